package io.loligo.server.upstream.names;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives of name resolution. */
public final class NameDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Names");

  /** {@code dns_nameservers}: empty: those of the system. */
  public static final Setting<List<String>> DNS_NAMESERVERS =
      FEATURE
          .addresses("dns_nameservers")
          .text("Name servers, those of all lines. Without a line they are the system's.");

  /** {@code dns_timeout}: milliseconds. */
  public static final Setting<Long> DNS_TIMEOUT =
      FEATURE
          .millis("dns_timeout", "30 seconds")
          .range(1, Integer.MAX_VALUE)
          .text("How long a name lookup may take.");

  /** {@code dns_retransmit_interval}: milliseconds. */
  public static final Setting<Long> DNS_RETRANSMIT_INTERVAL =
      FEATURE
          .millis("dns_retransmit_interval", "5 seconds")
          .range(1, Integer.MAX_VALUE)
          .text("How long one name server may take to answer.");

  /** {@code positive_dns_ttl}: seconds, at least 1. */
  public static final Setting<Long> POSITIVE_DNS_TTL =
      FEATURE
          .seconds("positive_dns_ttl", "6 hours")
          .range(0, Integer.MAX_VALUE)
          .as(seconds -> Math.max(1, seconds))
          .text("Longest time for which an address is cached, at least one second.");

  /** {@code negative_dns_ttl}: seconds. */
  public static final Setting<Long> NEGATIVE_DNS_TTL =
      FEATURE
          .seconds("negative_dns_ttl", "1 minutes")
          .range(0, Integer.MAX_VALUE)
          .text("How long a failed lookup is cached.");

  /** {@code hosts_file}: null: none. */
  public static final Setting<@Nullable String> HOSTS_FILE =
      FEATURE
          .path("hosts_file", "/etc/hosts")
          .as(path -> path.equals("none") ? null : path)
          .text("A file of names and addresses that need no lookup. none: no file.");

  /** {@code append_domain}: null: none. */
  public static final Setting<@Nullable String> APPEND_DOMAIN =
      FEATURE
          .text("append_domain", "")
          .form(".DOMAIN")
          .mustBe(
              "a domain that begins with a dot",
              word -> word.startsWith("."),
              word -> "write ." + word)
          .text("Added to host names without a dot. It begins with a dot.");

  /** {@code loligo_dns_v4_first}: whether IPv4 addresses are tried first. */
  public static final Setting<Boolean> DNS_V4_FIRST =
      FEATURE
          .flag("loligo_dns_v4_first", "off")
          .text("Whether the IPv4 addresses of a name are tried before its IPv6 addresses.");

  private NameDirectives() {}
}
