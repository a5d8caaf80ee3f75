package io.loligo.core.acl;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Conditions composed of other ACLs: {@code any-of} and {@code all-of}. Stateless. */
final class Groups {
  private Groups() {}

  /** Any term of any line. */
  static Condition any(List<List<String>> lines, Acls acls) {
    Condition[] terms =
        lines.stream().flatMap(List::stream).map(acls::term).toArray(Condition[]::new);
    return (request, destination) -> {
      int outcome = Condition.NO;
      for (Condition term : terms) {
        int one = term.test(request, destination);
        if (one == Condition.YES) {
          return Condition.YES;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    };
  }

  /** All terms of any line. */
  static Condition all(List<List<String>> lines, Acls acls) {
    Condition[][] terms =
        lines.stream()
            .map(line -> line.stream().map(acls::term).toArray(Condition[]::new))
            .toArray(Condition[][]::new);
    return (request, destination) -> {
      int outcome = Condition.NO;
      for (Condition[] line : terms) {
        int one = allOf(line, request, destination);
        if (one == Condition.YES) {
          return Condition.YES;
        }
        outcome = Math.max(outcome, one);
      }
      return outcome;
    };
  }

  private static int allOf(Condition[] terms, AclInput request, byte @Nullable [] destination) {
    int outcome = Condition.YES;
    for (Condition term : terms) {
      int one = term.test(request, destination);
      if (one == Condition.NO) {
        return Condition.NO;
      }
      outcome = Math.max(outcome, one);
    }
    return outcome;
  }
}
