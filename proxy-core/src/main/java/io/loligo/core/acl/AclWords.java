package io.loligo.core.acl;

import java.util.List;
import java.util.Set;

/** The words that values of some types of ACLs are chosen from. Immutable. */
final class AclWords {
  static final Set<String> METHODS =
      Set.of(
          "GET",
          "HEAD",
          "POST",
          "PUT",
          "DELETE",
          "CONNECT",
          "OPTIONS",
          "TRACE",
          "PATCH",
          "PURGE",
          "PROPFIND",
          "PROPPATCH",
          "MKCOL",
          "COPY",
          "MOVE",
          "LOCK",
          "UNLOCK",
          "REPORT",
          "SEARCH");
  static final Set<String> SCHEMES =
      Set.of(
          "http",
          "https",
          "ftp",
          "coap",
          "coaps",
          "gopher",
          "wais",
          "whois",
          "urn",
          "cache_object",
          "icap",
          "icy",
          "icp",
          "htcp",
          "none",
          "tls",
          "ssl");

  static final List<String> STEPS =
      List.of("SslBump1", "SslBump2", "SslBump3", "GeneratingCONNECT");

  /** Squid's codes of ways, those that do not occur here included. */
  static final List<String> WAYS =
      List.of(
          "HIER_NONE",
          "HIER_DIRECT",
          "SIBLING_HIT",
          "PARENT_HIT",
          "DEFAULT_PARENT",
          "SINGLE_PARENT",
          "FIRSTUP_PARENT",
          "FIRST_PARENT_MISS",
          "CLOSEST_PARENT_MISS",
          "CLOSEST_PARENT",
          "CLOSEST_DIRECT",
          "NO_DIRECT_FAIL",
          "SOURCE_FASTEST",
          "ROUNDROBIN_PARENT",
          "CD_PARENT_HIT",
          "CD_SIBLING_HIT",
          "CARP",
          "ANY_OLD_PARENT",
          "USERHASH_PARENT",
          "SOURCEHASH_PARENT",
          "PINNED",
          "ORIGINAL_DST",
          "STANDBY_POOL");

  /** Names of notes that Squid keeps for answers of helpers. */
  static final Set<String> RESERVED =
      Set.of(
          "group",
          "ha1",
          "log",
          "message",
          "password",
          "rewrite-url",
          "status",
          "tag",
          "ttl",
          "url",
          "user");

  static final List<String> PARTS = List.of("request", "response", "ALE");

  /** {@code internal} and {@code all} are groups; the others never begin a transaction here. */
  static final List<String> INITIATORS =
      List.of(
          "client",
          "internal",
          "all",
          "adaptation",
          "asn",
          "cache-digest",
          "certificate-fetching",
          "esi",
          "htcp",
          "icmp",
          "icp",
          "ipc",
          "netdb",
          "peer-mcast");

  private AclWords() {}
}
