package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import java.util.Locale;
import java.util.Map;

/**
 * Which protocols a request may switch to. Immutable.
 *
 * @param rules the rules of each protocol; a key is a name in lower case, with or without a version
 *     behind a slash, or {@code other}
 */
public record Upgrades(Map<String, AclList> rules) {
  /**
   * The rules for {@code protocol}, an element of an Upgrade field: its name in any case, its
   * version, if it has one, to the letter.
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
