package io.loligo.server.admin;

import io.loligo.core.config.Feature;
import io.loligo.core.config.HostPort;
import io.loligo.core.config.Setting;
import org.jspecify.annotations.Nullable;

/** Directives of the admin port. */
public final class AdminDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Administration");

  /** {@code loligo_admin_port}: null: off. */
  public static final Setting<@Nullable HostPort> ADMIN_PORT =
      FEATURE
          .text("loligo_admin_port", "127.0.0.1:3129")
          .form("[ADDRESS:]PORT|off")
          .restart()
          .mustBe("PORT, ADDRESS:PORT or off", AdminDirectives::isPlace, word -> "")
          .with(AdminPortReader::new)
          .text(
              "The port for health, metrics and administration. off: none. If an"
                  + " http_port has the default number, the default is the next free number.");

  /** {@code loligo_admin_secret}: null: changes by HTTP are not possible. */
  public static final Setting<@Nullable String> ADMIN_SECRET =
      FEATURE
          .text("loligo_admin_secret", "")
          .form("SECRET")
          .secret()
          .text(
              "The secret for changes over HTTP. Without a line no change is possible"
                  + " over HTTP.");

  private AdminDirectives() {}

  private static boolean isPlace(String word) {
    return word.equals("off") || HostPort.parse(word) != null;
  }
}
