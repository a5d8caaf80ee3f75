package io.loligo.server.admin;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import io.loligo.server.port.HttpPort;
import org.jspecify.annotations.Nullable;

/** Directives of the admin port. */
public final class AdminDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Administration");

  /** {@code loligo_admin_port}: null: off. */
  public static final Setting<@Nullable HttpPort> ADMIN_PORT =
      FEATURE
          .text("loligo_admin_port", "127.0.0.1:3129")
          .form("[ADDRESS:]PORT [tls-cert=FILE [tls-key=FILE] [OPTION...]]|off")
          .with(AdminPortReader::new)
          .text(
              "The port for health, metrics and administration. off: none. If an"
                  + " http_port has the default number, the default is the next free number."
                  + " Beyond loopback, all pages except /health need loligo_admin_secret."
                  + " tls-cert=FILE: the port speaks TLS. Further options are those of https_port"
                  + " about TLS; changed files are read again (loligo_tls_check_interval).");

  /** {@code loligo_admin_access}: the addresses that may connect to the admin port. */
  public static final Setting<AclList> ADMIN_ACCESS =
      FEATURE
          .rules("loligo_admin_access", "allow all", RuleScope.CLIENT)
          .text(
              "Which addresses may connect to loligo_admin_port. A connection from any other"
                  + " address is closed unread. The types of ACLs that have a meaning here are src,"
                  + " localip, localport, myportname (loligo_admin_port), time and random.");

  /** {@code loligo_admin_secret}: null: changes by HTTP are not possible. */
  public static final Setting<@Nullable String> ADMIN_SECRET =
      FEATURE
          .text("loligo_admin_secret", "")
          .form("SECRET")
          .secret()
          .text(
              "The secret for changes over HTTP, and for pages where loligo_admin_port is not on"
                  + " loopback. Without a line no change is possible over HTTP, and beyond loopback"
                  + " only /health answers.");

  private AdminDirectives() {}
}
