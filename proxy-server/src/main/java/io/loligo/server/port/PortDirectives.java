package io.loligo.server.port;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Feature;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Setting;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives of the ports that clients connect to. */
public final class PortDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Ports");

  /** {@code http_port}: the ports. */
  public static final Setting<List<HttpPort>> HTTP_PORT =
      FEATURE
          .lines(
              "http_port",
              "[ADDRESS:]PORT [accel|intercept|tproxy] [OPTION...]",
              reading -> PortLines.http(reading))
          .alias("ascii_port")
          .listen()
          .text(
              "A port to listen on. Several lines open several ports. Options: accel (reverse"
                  + " proxy), intercept (clients that do not know the proxy connect to any address,"
                  + " and the NAT of Linux redirects them here; not beside accel), transparent (the"
                  + " old name of intercept), tproxy (the same by TPROXY of Linux; Loligo needs the"
                  + " capability CAP_NET_RAW or CAP_NET_ADMIN, and connects from the client's"
                  + " address, see spoof_client_ip), defaultsite=HOST (the site for requests that"
                  + " name none), vhost (the Host field chooses the site; this is the default),"
                  + " no-vhost (requests always go to defaultsite), vport (URLs get the port of the"
                  + " connection, whatever Host or defaultsite say; an absolute-form target keeps"
                  + " its own), vport=N (URLs get port N), protocol=http|https (the scheme of all"
                  + " URLs. Use https behind a product that ends TLS: rules, keys and logs then see"
                  + " https and port 443, and requests go to a cache_peer only), name=NAME (the"
                  + " name for myportname; the default is the port as written), allow-direct (an"
                  + " accel port may also ask the origin itself), ignore-cc (clients cannot bypass"
                  + " the cache: only only-if-cached counts among the directives of a request),"
                  + " tcpkeepalive[=IDLE[,INTERVAL,TIMEOUT]] (seconds of silence before the system"
                  + " probes a client, seconds between probes, and seconds without an answer until"
                  + " the connection ends; the default is the system's), tcpkeepalive=off, h2c"
                  + " (clients speak HTTP/2 in clear text from the first byte, without an upgrade;"
                  + " the port speaks no HTTP/1), require-proxy-header (each connection begins with"
                  + " a header of the PROXY protocol, version 1 or 2, which gives the client's"
                  + " address; see proxy_protocol_access), ssl-bump (CONNECT is inspected; see"
                  + " ssl_bump), tls-cert=FILE (with ssl-bump: the authority that signs the"
                  + " certificates of decrypted tunnels. PEM, PKCS#12 or JKS), tls-key=FILE (its"
                  + " key, if that is in another file), generate-host-certificates=on|off (off: no"
                  + " tunnel can be decrypted), dynamic_cert_mem_cache_size=SIZE (memory of made"
                  + " certificates; the default is 4 MB). With ssl-bump, the options of https_port"
                  + " about versions and cipher suites hold for handshakes in decrypted tunnels."
                  + " With port 0 the system chooses a port.");

  /** {@code https_port}: the ports with TLS. */
  public static final Setting<List<HttpPort>> HTTPS_PORT =
      FEATURE
          .lines(
              "https_port",
              "[ADDRESS:]PORT tls-cert=FILE [tls-key=FILE] [accel] [OPTION...]",
              reading -> PortLines.https(reading))
          .listen()
          .difference(
              "TLS 1.2 and 1.3 only; several tls-cert= are chosen by name; ssl-bump needs neither"
                  + " intercept nor tproxy")
          .text(
              "A port to listen on, with TLS. With accel it serves https URLs; without, it is a"
                  + " forward proxy that clients reach over TLS. With ssl-bump it inspects CONNECT,"
                  + " and one more tls-cert is that of the authority that signs certificates for"
                  + " decrypted tunnels. With intercept or tproxy beside"
                  + " ssl-bump, it gets the TLS connections of clients that do not know the proxy,"
                  + " and decides about each as about a CONNECT (see ssl_bump); tls-cert is then"
                  + " the authority that signs certificates. Options: all of http_port, and"
                  + " tls-cert=FILE (the certificate with its chain: PEM, PKCS#12 or JKS. Several"
                  + " are chosen by the name that the client asks for; the first one is for"
                  + " clients that ask for no other. Two for the same name, of ECDSA and RSA, are"
                  + " chosen by the abilities of the client), tls-key=FILE (the key of the"
                  + " tls-cert before it; without, the key is in the same file),"
                  + " tls-min-version=1.2|1.3, options=OPTION[,OPTION...] (NO_TLSv1_2, NO_TLSv1_3,"
                  + " NO_TICKET), cipher=LIST (cipher suites of TLS 1.2 in OpenSSL's syntax; the"
                  + " default is ECDHE with AES-GCM or ChaCha20), clientca=FILE (clients have to"
                  + " present a certificate of one of these authorities), tls-cafile=FILE"
                  + " (authorities that verify them instead, with clientca), capath=FOLDER,"
                  + " crlfile=FILE (revoked certificates of clients), tls-default-ca,"
                  + " sslflags=FLAG[,FLAG...] (CONDITIONAL_AUTH: a client may present no"
                  + " certificate; VERIFY_CRL, VERIFY_CRL_ALL, NO_SESSION_REUSE). The names of"
                  + " Squid 3 (cert, key, cafile, version) work too.");

  /** {@code proxy_protocol_access}: whose headers of the PROXY protocol are believed. */
  public static final Setting<AclList> PROXY_PROTOCOL_ACCESS =
      FEATURE
          .rules("proxy_protocol_access", "deny all", RuleScope.CLIENT)
          .difference(
              "an ACL about the destination's address or about the response stops the start")
          .text(
              "Which addresses may connect to a port with require-proxy-header. A connection from"
                  + " any other address is closed unread. The header gives the client's address"
                  + " for rules, limits and logs.");

  private PortDirectives() {}

  /** All ports: those of http_port, then those of https_port. */
  public static List<HttpPort> ports(ProxyConfig config) {
    List<HttpPort> ports = new ArrayList<>(config.get(HTTP_PORT));
    ports.addAll(config.get(HTTPS_PORT));
    return ports;
  }

  /**
   * The port at which a request for {@code url} most likely arrives.
   *
   * @param name of the port; null: a port that serves the scheme, forward ports before accelerators
   * @return null: no port has this name
   */
  public static @Nullable HttpPort portFor(ProxyConfig config, @Nullable String name, String url) {
    List<HttpPort> ports = ports(config);
    if (name != null) {
      return ports.stream().filter(port -> name.equals(port.name())).findFirst().orElse(null);
    }
    boolean https = url.regionMatches(true, 0, "https:", 0, 6);
    HttpPort best = null;
    for (HttpPort port : ports) {
      if (best == null || rank(port, https) > rank(best, https)) {
        best = port;
      }
    }
    return best;
  }

  private static int rank(HttpPort port, boolean https) {
    boolean forward = port.mode() == PortMode.FORWARD;
    boolean serves = forward || https == port.scheme().equals("https");
    return (serves ? 2 : 0) + (forward ? 1 : 0);
  }
}
