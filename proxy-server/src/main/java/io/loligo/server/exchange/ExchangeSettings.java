package io.loligo.server.exchange;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.PortMode;
import io.loligo.core.message.FieldLines;
import java.nio.charset.StandardCharsets;

/**
 * What exchanges need of the configuration in force, with the lines that never change composed
 * once. Immutable; replaced whole by a reload.
 *
 * @param config the configuration
 * @param cacheName name in Cache-Status (RFC 9211) and Via
 * @param viaLine own Via line with CRLF, empty where {@code via off}
 * @param viaMark the pseudonym by which a request that was here before is recognised
 * @param gatewayCaching what decides about responses through ports that stand for the origin
 * @param logsByAcl whether an access_log line has ACLs, so that records must keep their request
 */
public record ExchangeSettings(
    ProxyConfig config,
    String cacheName,
    byte[] viaLine,
    String viaMark,
    CacheSettings gatewayCaching,
    boolean logsByAcl) {

  /**
   * Settings of {@code config}.
   *
   * @param processMark unique to this process, so that only our own requests look like a loop
   */
  public static ExchangeSettings of(ProxyConfig config, String processMark) {
    String name = config.forwarding().visibleHostname();
    String mark = name + " (loligo/" + processMark + ")";
    byte[] via =
        config.forwarding().via()
            ? new FieldLines(64).add("Via", "1.1 " + mark).toBytes()
            : "".getBytes(StandardCharsets.US_ASCII);
    boolean logsByAcl =
        config.logging().accessLogs().stream().anyMatch(log -> !log.access().isEmpty());
    CacheSettings gateway = config.caching().asGateway();
    return new ExchangeSettings(config, name, via, mark, gateway, logsByAcl);
  }

  /** What decides about responses through a port of this kind. */
  CacheSettings caching(PortMode mode) {
    return mode == PortMode.ACCEL ? gatewayCaching : config.caching();
  }
}
