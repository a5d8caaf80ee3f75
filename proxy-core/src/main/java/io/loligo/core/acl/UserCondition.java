package io.loligo.core.acl;

import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether the user of a request matches. It is undecided as long as the user is not known.
 * Immutable; any thread.
 *
 * @param user tests a request whose user is known
 * @param asksAgain whether a denial after it asks for another login
 */
record UserCondition(Predicate<AclInput> user, boolean asksAgain) implements Condition {
  /** The first value of a line that any user matches. */
  static final String REQUIRED = "REQUIRED";

  /** Tests the name. */
  static Condition ofName(Predicate<String> matches) {
    return new UserCondition(
        request -> {
          String name = request.user();
          // as in Squid, a user of this name matches nothing
          return name != null && !name.equals("-") && matches.test(name);
        },
        true);
  }

  /** Any user. */
  static Condition ofAll() {
    return ofName(name -> true);
  }

  /**
   * Any of {@code names}.
   *
   * @param anyCase whether the case of letters does not matter
   */
  static Condition ofNames(Set<String> names, boolean anyCase) {
    return ofName(named(names, anyCase));
  }

  /** Whether a user is any of {@code names}. */
  static Predicate<String> named(Set<String> names, boolean anyCase) {
    if (!anyCase) {
      Set<String> known = Set.copyOf(names);
      return known::contains;
    }
    Set<String> known =
        names.stream().map(UserCondition::lower).collect(Collectors.toUnmodifiableSet());
    return name -> known.contains(lower(name));
  }

  /** More than {@code most} addresses. */
  static Condition ofAddresses(int most, boolean strict) {
    return new UserCondition(request -> request.hasMoreAddresses(most, strict), false);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    return switch (request.login()) {
      case NO_LOGIN -> NO;
      case UNCHECKED -> NEEDS_LOGIN;
      case CHALLENGE -> CHALLENGE;
      case KNOWN -> Condition.of(user.test(request));
    };
  }

  @Override
  public boolean endsWithUser(AclInput request, byte @Nullable [] destination) {
    return asksAgain;
  }
}
