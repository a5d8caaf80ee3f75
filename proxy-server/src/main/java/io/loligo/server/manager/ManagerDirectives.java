package io.loligo.server.manager;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of the manager pages. */
public final class ManagerDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Manager pages");

  /** {@code cachemgr_passwd}. */
  public static final Setting<ManagerPasswords> CACHEMGR_PASSWD =
      FEATURE
          .lines("cachemgr_passwd", PasswordLines.FORM, PasswordLines::new)
          .secret()
          .text(
              "The password of manager pages (/squid-internal-mgr/PAGE on an http_port). all: every"
                  + " page. disable: nobody gets the page. none: no password. The first line that"
                  + " names a page counts. Without a line a page needs no password, and nobody"
                  + " gets the page config.");

  private ManagerDirectives() {}
}
