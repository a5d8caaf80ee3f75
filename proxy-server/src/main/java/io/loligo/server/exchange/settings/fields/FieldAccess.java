package io.loligo.server.exchange.settings.fields;

import io.loligo.core.acl.AclList;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lists of {@code request_header_access} or {@code reply_header_access} lines. Immutable.
 *
 * @param named the lists by field name, in lower case
 * @param other for fields that Squid does not know; null: without lines
 * @param all for fields without lines of their own; null: without lines
 */
record FieldAccess(Map<String, AclList> named, @Nullable AclList other, @Nullable AclList all) {
  boolean isEmpty() {
    return named.isEmpty() && other == null && all == null;
  }

  /** The list of the lines with {@code name}; null: there are none. */
  @Nullable AclList of(String name) {
    return named.get(name.toLowerCase(Locale.ROOT));
  }
}
