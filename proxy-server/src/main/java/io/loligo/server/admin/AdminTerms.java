package io.loligo.server.admin;

import io.loligo.core.acl.AclList;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a configuration says about access to the admin port. Immutable.
 *
 * @param secret null: none is configured
 * @param names accepted host names besides loopback ones, in lower case
 * @param clients the addresses that may connect
 */
public record AdminTerms(@Nullable String secret, Set<String> names, AclList clients) {
  /** An empty secret is none. */
  public AdminTerms {
    secret = secret == null || secret.isEmpty() ? null : secret;
    names =
        names.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }
}
