package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/** Rule lines with their conditions bound. Immutable; evaluation itself allocates nothing. */
final class CompiledAclList implements AclList {
  /**
   * One line: all its terms must hold.
   *
   * @param unknown the verdict where the addresses of the destination are missing
   * @param unnamed the verdict where the name of the destination is missing
   * @param unchecked the verdict where the credentials are not checked
   * @param challenge the verdict where there are no valid credentials
   * @param unasked the verdict where a helper has not been asked
   * @param undecided the verdict where a helper has no answer
   * @param unseen the verdict where the name or the MAC address of the client is missing
   */
  record Line(
      Condition[] conditions,
      boolean[] negated,
      AclVerdict verdict,
      AclVerdict unknown,
      AclVerdict unnamed,
      AclVerdict unchecked,
      AclVerdict challenge,
      AclVerdict unasked,
      AclVerdict undecided,
      AclVerdict unseen) {
    int test(AclInput request, byte @Nullable [] destination) {
      int outcome = Condition.YES;
      for (int i = 0; i < conditions.length; i++) {
        int one = testOne(i, request, destination);
        if (one == Condition.NO) {
          return Condition.NO;
        }
        if (one > Condition.NEEDS_NAME) {
          // in order, as in Squid: a name is looked up before the user is asked
          return outcome == Condition.YES ? one : outcome;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    }

    private int testOne(int index, AclInput request, byte @Nullable [] destination) {
      int one = conditions[index].test(request, destination);
      return negated[index] ? Condition.not(one) : one;
    }

    boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
      int last = 0;
      while (last < conditions.length - 1 && testOne(last, request, destination) == Condition.YES) {
        last++;
      }
      return last < conditions.length && conditions[last].endsWithUser(request, destination);
    }

    AclVerdict verdict(int outcome) {
      return switch (outcome) {
        case Condition.YES -> verdict;
        case Condition.NEEDS_DESTINATION -> unknown;
        case Condition.NEEDS_NAME -> unnamed;
        case Condition.NEEDS_LOGIN -> unchecked;
        case Condition.NEEDS_HELPER -> unasked;
        case Condition.UNDECIDED -> undecided;
        case Condition.NEEDS_CLIENT -> unseen;
        default -> challenge;
      };
    }
  }

  private final Line[] lines;
  private final AclVerdict otherwise;
  private final boolean needsDestination;
  private final boolean asksForUser;

  CompiledAclList(
      Line[] lines, AclVerdict otherwise, boolean needsDestination, boolean asksForUser) {
    this.lines = lines;
    this.otherwise = otherwise;
    this.needsDestination = needsDestination;
    this.asksForUser = asksForUser;
  }

  @Override
  public AclVerdict evaluate(AclInput request) {
    return evaluate(request, null);
  }

  @Override
  public AclVerdict evaluate(AclInput request, byte @Nullable [] destinationAddress) {
    for (Line line : lines) {
      int outcome = line.test(request, destinationAddress);
      if (outcome != Condition.NO) {
        return line.verdict(outcome);
      }
    }
    return otherwise;
  }

  @Override
  public boolean needsDestination() {
    return needsDestination;
  }

  @Override
  public boolean asksForUser() {
    return asksForUser;
  }

  @Override
  public boolean endsWithUser(AclInput request, byte @Nullable [] destinationAddress) {
    Line last = null;
    if (asksForUser) {
      for (Line line : lines) {
        last = line;
        if (line.test(request, destinationAddress) != Condition.NO) {
          break;
        }
      }
    }
    return last != null && last.endsWithUser(request, destinationAddress);
  }

  @Override
  public boolean isEmpty() {
    return false;
  }
}
