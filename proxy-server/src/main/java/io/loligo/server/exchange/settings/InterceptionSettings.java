package io.loligo.server.exchange.settings;

import io.loligo.core.config.ProxyConfig;

/** The values of {@link InterceptionDirectives} in one configuration. Immutable. */
public final class InterceptionSettings {
  /** {@code host_verify_strict}. */
  public final boolean strict;

  /** {@code client_dst_passthru}. */
  public final boolean keepsAddress;

  InterceptionSettings(ProxyConfig config) {
    strict = config.get(InterceptionDirectives.HOST_VERIFY_STRICT);
    keepsAddress = config.get(InterceptionDirectives.CLIENT_DST_PASSTHRU);
  }
}
