package io.loligo.server.manager;

import io.loligo.core.acl.Acls;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ValueInForce;
import io.loligo.core.message.RequestTarget;
import java.util.List;

/**
 * Who gets manager pages in one configuration. Immutable.
 *
 * @param passwords the passwords of pages
 * @param isRuled whether rules of the configuration know requests for pages
 */
public record ManagerSettings(ManagerPasswords passwords, boolean isRuled) {
  private static final List<String> RULES = List.of("acl", "http_access");

  /** Those of {@code config}. */
  public static ManagerSettings of(ProxyConfig config) {
    return new ManagerSettings(
        config.get(ManagerDirectives.CACHEMGR_PASSWD),
        config.inForce().stream().anyMatch(ManagerSettings::knowsManager));
  }

  /** Whether it is a rule that names the ACL manager, or an ACL with the scheme of pages. */
  private static boolean knowsManager(ValueInForce line) {
    if (!RULES.contains(line.directive())) {
      return false;
    }
    for (String word : line.value().split(" ", -1)) {
      String name = word.startsWith("!") ? word.substring(1) : word;
      if (Acls.isBuiltIn(name) || name.equals(RequestTarget.MANAGER_SCHEME)) {
        return true;
      }
    }
    return false;
  }
}
