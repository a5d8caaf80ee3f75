package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.core.message.NotedAddresses;
import java.util.Arrays;

/** Directives that find the client behind other proxies. Immutable. */
public final class RealClientDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Real client");

  /** {@code follow_x_forwarded_for}: whose notes of addresses are trusted. Default: none. */
  public static final Setting<AclList> FOLLOW_X_FORWARDED_FOR =
      FEATURE
          .rules("follow_x_forwarded_for", "deny all", RuleScope.CLIENT)
          .difference(
              "an ACL about the destination's address or about the response stops the start")
          .text(
              "Which addresses belong to trusted proxies. If the address of the connection is"
                  + " allowed, the last address in X-Forwarded-For is the client. If that address"
                  + " is allowed too, the address before it is the client, and so on. The first"
                  + " address that is denied is the client, called the indirect client. A member"
                  + " that is not an address ends the search, and so does the 64th member.");

  /** {@code loligo_follow_field}: the field in which trusted proxies note addresses. */
  public static final Setting<NotedAddresses.Field> FOLLOW_FIELD =
      FEATURE
          .word(
              "loligo_follow_field",
              NotedAddresses.Field.X_FORWARDED_FOR.fieldName(),
              NotedAddresses.Field.X_FORWARDED_FOR.fieldName(),
              NotedAddresses.Field.FORWARDED.fieldName())
          .as(RealClientDirectives::field)
          .text(
              "The field that follow_x_forwarded_for reads. Name the field that the trusted"
                  + " proxies write. The other field is not read, because a client can send it"
                  + " through a proxy that does not know it.");

  /** {@code acl_uses_indirect_client}: whether ACLs see the indirect client. Default: on. */
  public static final Setting<Boolean> ACL_USES_INDIRECT_CLIENT =
      FEATURE
          .flag("acl_uses_indirect_client", "on")
          .text(
              "Whether the ACL types src and maxconn test the indirect client. off: they test"
                  + " the connection. follow_x_forwarded_for itself tests each address in turn.");

  /** {@code log_uses_indirect_client}: whether logs show the indirect client. Default: on. */
  public static final Setting<Boolean> LOG_USES_INDIRECT_CLIENT =
      FEATURE
          .flag("log_uses_indirect_client", "on")
          .text("Whether %>a and %>A in logs are the indirect client. off: the connection's.");

  private RealClientDirectives() {}

  private static NotedAddresses.Field field(String word) {
    return Arrays.stream(NotedAddresses.Field.values())
        .filter(field -> field.fieldName().equals(word))
        .findFirst()
        .orElseThrow();
  }
}
