package io.loligo.core.acl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conditions composed of other ACLs: {@code any-of}, {@code all-of} and negations. Stateless. */
final class Groups {
  private Groups() {}

  /** Any term of any line. */
  static Condition any(List<List<String>> lines, Acls acls) {
    return new Any(lines.stream().flatMap(List::stream).map(acls::term).toArray(Condition[]::new));
  }

  /** All terms of any line. */
  static Condition all(List<List<String>> lines, Acls acls) {
    return new Any(lines.stream().map(line -> allOf(line, acls)).toArray(Condition[]::new));
  }

  private static Condition allOf(List<String> line, Acls acls) {
    return new All(line.stream().map(acls::term).toArray(Condition[]::new));
  }

  /** Any of {@code terms}. */
  private record Any(Condition[] terms) implements Condition {
    @Override
    public int test(AclInput request, byte @Nullable [] destination) {
      int outcome = NO;
      for (Condition term : terms) {
        int one = term.test(request, destination);
        if (one == YES) {
          return YES;
        }
        if (one > NEEDS_NAME) {
          // in order, as in Squid: a name is looked up before the user is asked
          return outcome == NO ? one : outcome;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    }

    @Override
    public boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
      Condition last = null;
      for (Condition term : terms) {
        last = term;
        if (term.test(request, destination) != NO) {
          break;
        }
      }
      return last != null && last.endsWithUser(request, destination);
    }
  }

  /** All of {@code terms}. */
  record All(Condition[] terms) implements Condition {
    @Override
    public int test(AclInput request, byte @Nullable [] destination) {
      int outcome = YES;
      for (Condition term : terms) {
        int one = term.test(request, destination);
        if (one == NO) {
          return NO;
        }
        if (one > NEEDS_NAME) {
          return outcome == YES ? one : outcome;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    }

    @Override
    public boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
      Condition last = null;
      for (Condition term : terms) {
        last = term;
        if (term.test(request, destination) != YES) {
          break;
        }
      }
      return last != null && last.endsWithUser(request, destination);
    }
  }

  /** The opposite of {@code condition}. */
  record Not(Condition condition) implements Condition {
    @Override
    public int test(AclInput request, byte @Nullable [] destination) {
      return Condition.not(condition.test(request, destination));
    }

    @Override
    public boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
      return condition.endsWithUser(request, destination);
    }
  }
}
