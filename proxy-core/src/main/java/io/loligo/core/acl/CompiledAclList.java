package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/** Rule lines with their conditions bound. Immutable; evaluation itself allocates nothing. */
final class CompiledAclList implements AclList {
  /** One line: all its terms must hold. */
  record Line(Condition[] conditions, boolean[] negated, AclVerdict verdict, AclVerdict unknown) {
    int test(AclInput request, byte @Nullable [] destination) {
      int outcome = Condition.YES;
      for (int i = 0; i < conditions.length; i++) {
        int one = conditions[i].test(request, destination);
        if (negated[i]) {
          one = Condition.not(one);
        }
        if (one == Condition.NO) {
          return Condition.NO;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    }
  }

  private final Line[] lines;
  private final AclVerdict otherwise;
  private final boolean needsDestination;

  CompiledAclList(Line[] lines, AclVerdict otherwise, boolean needsDestination) {
    this.lines = lines;
    this.otherwise = otherwise;
    this.needsDestination = needsDestination;
  }

  @Override
  public AclVerdict evaluate(AclInput request) {
    return evaluate(request, null);
  }

  @Override
  public AclVerdict evaluate(AclInput request, byte @Nullable [] destinationAddress) {
    for (Line line : lines) {
      int outcome = line.test(request, destinationAddress);
      if (outcome == Condition.YES) {
        return line.verdict;
      }
      if (outcome == Condition.NEEDS_DESTINATION) {
        return line.unknown;
      }
    }
    return otherwise;
  }

  @Override
  public boolean needsDestination() {
    return needsDestination;
  }

  @Override
  public boolean isEmpty() {
    return false;
  }
}
