package io.loligo.server.upstream.names;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of one configuration that the resolution of names follows. Two are equal if all
 * directives of names have equal values. Immutable.
 */
public final class NameSettings {
  /** {@code dns_nameservers}; empty: the system's. */
  final List<String> nameservers;

  /** {@code dns_timeout}. */
  final long timeoutMillis;

  /** {@code dns_retransmit_interval}. */
  final long retransmitMillis;

  /** {@code positive_dns_ttl}. */
  final long positiveTtlSeconds;

  /** {@code negative_dns_ttl}. */
  final long negativeTtlSeconds;

  /** {@code hosts_file}; null: none. */
  final @Nullable String hostsFile;

  /** {@code append_domain}; null: none. */
  final @Nullable String appendDomain;

  /** {@code loligo_dns_v4_first}: IPv4 addresses are tried before IPv6 addresses. */
  final boolean v4First;

  private final List<@Nullable Object> values = new ArrayList<>();

  /** The settings of {@code config}. */
  public NameSettings(ProxyConfig config) {
    nameservers = config.get(NameDirectives.DNS_NAMESERVERS);
    timeoutMillis = config.get(NameDirectives.DNS_TIMEOUT);
    retransmitMillis = config.get(NameDirectives.DNS_RETRANSMIT_INTERVAL);
    positiveTtlSeconds = config.get(NameDirectives.POSITIVE_DNS_TTL);
    negativeTtlSeconds = config.get(NameDirectives.NEGATIVE_DNS_TTL);
    hostsFile = config.get(NameDirectives.HOSTS_FILE);
    appendDomain = config.get(NameDirectives.APPEND_DOMAIN);
    v4First = config.get(NameDirectives.DNS_V4_FIRST);
    for (Setting<?> setting : NameDirectives.FEATURE.settings()) {
      values.add(config.get(setting));
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NameSettings settings && values.equals(settings.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }
}
