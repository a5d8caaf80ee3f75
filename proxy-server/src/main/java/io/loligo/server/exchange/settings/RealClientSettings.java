package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.NotedAddresses;

/** The values of {@link RealClientDirectives} in one configuration. Immutable. */
public final class RealClientSettings {
  /** {@code follow_x_forwarded_for}: the trusted proxies. */
  public final AclList follow;

  /** {@code loligo_follow_field}: the field in which they note addresses. */
  public final NotedAddresses.Field field;

  /** {@code acl_uses_indirect_client}. */
  public final boolean forAcls;

  /** {@code log_uses_indirect_client}. */
  public final boolean forLogs;

  RealClientSettings(ProxyConfig config) {
    follow = config.get(RealClientDirectives.FOLLOW_X_FORWARDED_FOR);
    field = config.get(RealClientDirectives.FOLLOW_FIELD);
    forAcls = config.get(RealClientDirectives.ACL_USES_INDIRECT_CLIENT);
    forLogs = config.get(RealClientDirectives.LOG_USES_INDIRECT_CLIENT);
  }
}
