package io.loligo.core.acl;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The name that DNS has for the client's address. Immutable.
 *
 * @param names the names that match; {@link AclInput#NO_NAME} stands for none
 */
record SourceNameCondition(Predicate<String> names) implements Condition {
  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    String name = request.clientName();
    return name == null ? NEEDS_CLIENT : Condition.of(names.test(name));
  }
}
