package io.loligo.server.metrics;

import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Shed;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.TlsFault;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Counters distinguished by one label, each family declared once. Every exchange counts once in
 * each of the first four. Immutable.
 */
public enum CounterFamily {
  CLASS(
      "loligo.exchanges",
      "class",
      "Finished exchanges by class of their response.",
      names(HitClass.values())),
  RESULT(
      "loligo.results",
      "result",
      "Finished exchanges by the access log's result code, without its suffixes.",
      Arrays.stream(LogTag.values()).map(LogTag::name).toList()),
  STATUS(
      "loligo.responses",
      "status",
      "Finished exchanges by class of the status sent; none: no response was sent.",
      List.of("none", "1xx", "2xx", "3xx", "4xx", "5xx")),
  HIERARCHY(
      "loligo.hops",
      "hierarchy",
      "Finished exchanges by the way the response was fetched, as in the access log.",
      Arrays.stream(HierarchyCode.values()).map(HierarchyCode::name).toList()),
  MISS(
      "loligo.misses",
      "cause",
      "Requests that were looked up in the store and were not hits, by the first cause that decided"
          + " it; loligo_origin_misses has them by origin.",
      Arrays.stream(CacheReason.values()).map(CacheReason::detail).toList()),
  ERROR(
      "loligo.errors",
      "reason",
      "Error responses made by the proxy, by Squid's name of the error; ERR_ACCESS_DENIED counts"
          + " denials by the rules; other: pages of deny_info with names of their own.",
      List.of(
          "other",
          "ERR_ACCESS_DENIED",
          "ERR_CACHE_ACCESS_DENIED",
          "ERR_CACHE_MGR_ACCESS_DENIED",
          "ERR_CANNOT_FORWARD",
          "ERR_CLIENT_GONE",
          "ERR_CONFLICT_HOST",
          "ERR_CONNECT_FAIL",
          "ERR_DNS_FAIL",
          "ERR_FORWARDING_DENIED",
          "ERR_FORWARDING_LOOP",
          "ERR_GATEWAY_FAILURE",
          "ERR_ICAP_FAILURE",
          "ERR_INTERNAL",
          "ERR_INVALID_REQ",
          "ERR_INVALID_RESP",
          "ERR_INVALID_URL",
          "ERR_LIFETIME_EXP",
          "ERR_ONLY_IF_CACHED_MISS",
          "ERR_ORIGIN_FAILED",
          "ERR_OVERLOADED",
          "ERR_PROTOCOL_UNKNOWN",
          "ERR_PURGE_BUSY",
          "ERR_PURGE_FAILED",
          "ERR_READ_ERROR",
          "ERR_READ_TIMEOUT",
          "ERR_RELAY_REMOTE",
          "ERR_REQUEST_TIMEOUT",
          "ERR_SECURE_CONNECT_FAIL",
          "ERR_SHUTTING_DOWN",
          "ERR_TOO_BIG",
          "ERR_TOO_MANY_LOGINS",
          "ERR_TOO_MANY_REQUESTS",
          "ERR_UNSUP_HTTPVERSION",
          "ERR_UNSUP_REQ",
          "ERR_URN_RESOLVE",
          "ERR_WRITE_ERROR",
          "ERR_ZERO_SIZE_OBJECT")),
  REQUEST_REFUSAL(
      "loligo.requests.refused",
      "reason",
      "Requests refused or cut because their syntax or framing is wrong or ambiguous, by the first"
          + " error; too_slow: slower than loligo_min_request_rate.",
      names(ParseFailure.values())),
  SHED(
      "loligo.shed",
      "reason",
      "Requests and connections refused by a limit: for one client (client_connections,"
          + " client_requests) or for all (requests, memory, loop_lag, descriptors).",
      names(Shed.values())),
  TLS_FAILURE(
      "loligo.tls.failures",
      "reason",
      "Connections and inspected tunnels of clients that ended within their TLS handshake or"
          + " because of a broken record; plaintext: the client spoke no TLS where it has to.",
      names(TlsFailure.values())),
  TUNNEL(
      "loligo.tunnels.inspected",
      "action",
      "Finished inspections of tunnels by the action that ssl_bump chose last.",
      names(BumpAction.values())),
  RESPONSE_REFUSAL(
      "loligo.responses.refused",
      "reason",
      "Responses of origins and parents refused, cut or followed by surplus bytes, by the first"
          + " error; too_slow: slower than loligo_min_origin_rate. The connection is not reused.",
      names(ParseFailure.values())),
  SERVER_TLS_FAULT(
      "loligo.server.tls.faults",
      "fault",
      "Failed handshakes of TLS with origins and parents; another address or parent may have been"
          + " used instead.",
      names(TlsFault.values())),
  TOLERATED_CERTIFICATE(
      "loligo.server.tls.tolerated",
      "fault",
      "Connections made in spite of a fault of the server's certificate, by flags or by"
          + " sslproxy_cert_error.",
      names(TlsFault.values()));

  private final String meter;
  private final String label;
  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // List.of or toList: cannot be modified
  private final List<String> values;

  CounterFamily(String meter, String label, String text, List<String> values) {
    this.meter = meter;
    this.label = label;
    this.text = text;
    this.values = values;
  }

  /** Name in Micrometer's spelling. */
  public String meter() {
    return meter;
  }

  /** The label of its counters. */
  public String label() {
    return label;
  }

  /** For the operator. */
  public String text() {
    return text;
  }

  /** The label values, by index. */
  public List<String> labelValues() {
    return values;
  }

  private static List<String> names(Enum<?>[] constants) {
    return Arrays.stream(constants).map(c -> c.name().toLowerCase(Locale.ROOT)).toList();
  }
}
