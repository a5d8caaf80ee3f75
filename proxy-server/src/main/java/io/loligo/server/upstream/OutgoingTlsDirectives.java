package io.loligo.server.upstream;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import org.jspecify.annotations.Nullable;

/** Directives of TLS to origins. */
public final class OutgoingTlsDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("TLS to origins");

  /** {@code tls_outgoing_options}: handshakes with origins. */
  public static final Setting<OutgoingTls> TLS_OUTGOING_OPTIONS =
      FEATURE
          .lines("tls_outgoing_options", "OPTION...|disable", OutgoingTlsLines::of)
          .difference(
              "TLS 1.2 is the least version; the common name of a certificate does not count, only"
                  + " its subjectAltName; a crlfile is always used")
          .text(
              "TLS to origins: requests for https URLs that go to no cache_peer. cafile=FILE and"
                  + " capath=FOLDER: authorities, beside those of the system. default-ca=off:"
                  + " without those. crlfile=FILE: revoked certificates. cert=FILE and key=FILE: a"
                  + " certificate for origins that ask for one. min-version=1.2|1.3,"
                  + " options=NO_TLSv1_3|NO_TICKET|..., cipher=LIST (for TLS 1.2)."
                  + " flags=DONT_VERIFY_PEER: certificates are not verified. DONT_VERIFY_DOMAIN:"
                  + " their names are not. NO_SESSION_REUSE: no session is resumed. disable:"
                  + " requests for https URLs get 503. Several lines count together.");

  /** {@code sslproxy_cert_error}: faults of certificates that are tolerated. Default: none. */
  public static final Setting<AclList> SSLPROXY_CERT_ERROR =
      FEATURE
          .rules("sslproxy_cert_error", "deny all", RuleScope.HANDSHAKE)
          .difference(
              "a connection with a tolerated fault serves one request, and no session is resumed")
          .text(
              "Requests that are sent although the certificate of the origin or the cache_peer has"
                  + " a fault. The ACL type ssl_error tests the fault. Each use is counted and"
                  + " logged. Somebody on the way can read and change such requests and"
                  + " responses.");

  /** {@code sslproxy_foreign_intermediate_certs}: a path; empty: none. */
  public static final Setting<String> SSLPROXY_FOREIGN_INTERMEDIATE_CERTS =
      FEATURE
          .path("sslproxy_foreign_intermediate_certs", "")
          .or(reading -> "")
          .text(
              "A file of certificates in PEM, which complete the chains of servers that send an"
                  + " incomplete one. They are not trusted themselves.");

  /** {@code sslproxy_session_ttl}: seconds. */
  public static final Setting<Integer> SSLPROXY_SESSION_TTL =
      FEATURE
          .number("sslproxy_session_ttl", "300")
          .range(0, 86_400)
          .text("Seconds for which a session with a server may be resumed. 0: none is.");

  /** {@code sslproxy_session_cache_size}: bytes of sessions that may be resumed. */
  public static final Setting<Long> SSLPROXY_SESSION_CACHE_SIZE =
      FEATURE
          .bytes("sslproxy_session_cache_size", "2 MB")
          .difference("each tls_outgoing_options and cache_peer line has such a cache")
          .text(
              "Memory of sessions with servers, of 2 KB each, that may be resumed. 0: none is"
                  + " resumed.");

  private static final String OLDER = "An older name of an option of tls_outgoing_options: ";

  /** {@code sslproxy_cafile}. */
  public static final Setting<@Nullable Void> SSLPROXY_CAFILE =
      older("sslproxy_cafile", "FILE", "cafile");

  /** {@code sslproxy_capath}. */
  public static final Setting<@Nullable Void> SSLPROXY_CAPATH =
      older("sslproxy_capath", "FOLDER", "capath");

  /** {@code sslproxy_cipher}. */
  public static final Setting<@Nullable Void> SSLPROXY_CIPHER =
      older("sslproxy_cipher", "LIST", "cipher");

  /** {@code sslproxy_client_certificate}. */
  public static final Setting<@Nullable Void> SSLPROXY_CLIENT_CERTIFICATE =
      older("sslproxy_client_certificate", "FILE", "cert");

  /** {@code sslproxy_client_key}. */
  public static final Setting<@Nullable Void> SSLPROXY_CLIENT_KEY =
      older("sslproxy_client_key", "FILE", "key");

  /** {@code sslproxy_flags}. */
  public static final Setting<@Nullable Void> SSLPROXY_FLAGS =
      older("sslproxy_flags", "FLAG[,FLAG...]", "flags");

  /** {@code sslproxy_options}. */
  public static final Setting<@Nullable Void> SSLPROXY_OPTIONS =
      older("sslproxy_options", "OPTION[,OPTION...]", "options");

  /** {@code sslproxy_version}. */
  public static final Setting<@Nullable Void> SSLPROXY_VERSION =
      older("sslproxy_version", "NUMBER", "version");

  private OutgoingTlsDirectives() {}

  private static Setting<@Nullable Void> older(String directive, String form, String option) {
    return FEATURE
        .<@Nullable Void>lines(directive, form, reading -> OutgoingTlsLines.older(reading, option))
        .text(OLDER + option + "=.");
  }
}
