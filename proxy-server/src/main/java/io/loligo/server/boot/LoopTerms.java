package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.upstream.tls.OriginContexts;

/**
 * A configuration as event loops use it. Thread-safe.
 *
 * @param settings of exchanges
 * @param names of the resolver
 * @param contexts of TLS to origins
 */
record LoopTerms(ExchangeSettings settings, DnsSettings names, OriginContexts contexts) {
  /** The configuration. */
  ProxyConfig config() {
    return settings.config();
  }
}
