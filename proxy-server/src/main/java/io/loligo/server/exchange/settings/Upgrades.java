package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import java.util.Locale;
import java.util.Map;

/**
 * The protocols that a request may switch to. Immutable.
 *
 * @param rules the rules of each protocol; a key is a name in lower case, optionally with a slash
 *     and a version, or {@code other}
 */
public record Upgrades(Map<String, AclList> rules) {
  /**
   * The rules for {@code protocol}, one member of an Upgrade field. The name may be in any case.
   * The version, if present, must match exactly. A protocol that no line names gets the rules of
   * {@code other}, or is denied.
   */
  public AclList of(String protocol) {
    int slash = protocol.indexOf('/');
    String name = (slash < 0 ? protocol : protocol.substring(0, slash)).toLowerCase(Locale.ROOT);
    AclList ofName = rules.get(name);
    if (ofName == null) {
      return rules.getOrDefault("other", AclList.denyAll());
    }
    return slash < 0 ? ofName : rules.getOrDefault(name + protocol.substring(slash), ofName);
  }
}
