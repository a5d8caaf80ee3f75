package io.loligo.server.upstream.names;

import io.loligo.core.config.ProxyConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Name resolution.
 *
 * @param nameservers empty: the system's
 * @param v4First {@code loligo_dns_v4_first}: IPv4 addresses are tried before IPv6
 */
public record NameSettings(
    List<String> nameservers,
    long timeoutMillis,
    long retransmitMillis,
    long positiveTtlSeconds,
    long negativeTtlSeconds,
    @Nullable String hostsFile,
    @Nullable String appendDomain,
    boolean v4First) {
  /** The values of {@code config}. */
  public static NameSettings of(ProxyConfig config) {
    return new NameSettings(
        config.get(NameDirectives.DNS_NAMESERVERS),
        config.get(NameDirectives.DNS_TIMEOUT),
        config.get(NameDirectives.DNS_RETRANSMIT_INTERVAL),
        config.get(NameDirectives.POSITIVE_DNS_TTL),
        config.get(NameDirectives.NEGATIVE_DNS_TTL),
        config.get(NameDirectives.HOSTS_FILE),
        config.get(NameDirectives.APPEND_DOMAIN),
        config.get(NameDirectives.DNS_V4_FIRST));
  }
}
