package io.loligo.server.bump;

import io.loligo.core.config.Feature;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import java.util.List;

/** Directives about the content of tunnels. */
public final class BumpDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Inspection of TLS tunnels");

  /** {@code ssl_bump}: which tunnels are inspected, and how. */
  public static final Setting<BumpRules> SSL_BUMP =
      FEATURE
          .lines("ssl_bump", "ACTION [[!]ACL...]", BumpLines::new)
          .difference(
              "http_access also decides about the name in the client's first message; bump always"
                  + " asks the server for its certificate first; after a peek in step 2, the"
                  + " certificate is known with TLS 1.2 only, and verified only if a line asks for"
                  + " its faults; an ssl_error ACL also matches a fault that sslproxy_cert_error"
                  + " does not tolerate; an intercepted connection that http_access denies is"
                  + " closed, without a page inside TLS; it is logged once")
          .text(
              "What happens to a CONNECT on a port with ssl-bump. The first matching line of each"
                  + " step decides. Step 1: the CONNECT is known. Step 2: the client's first"
                  + " message is known, with the name of the server. Step 3: the server's"
                  + " certificate is known. splice: the bytes are relayed. peek: the next step"
                  + " follows; afterwards the tunnel can be spliced. stare: the next step follows;"
                  + " afterwards the tunnel can be bumped. bump: the proxy decrypts the tunnel,"
                  + " with a certificate that it makes; its requests are requests for https URLs."
                  + " terminate: the tunnel ends. If no line matches in step 1 or 2, the tunnel is"
                  + " spliced. Without any line, tunnels are not inspected. ACL types for these"
                  + " lines: at_step, ssl::server_name, ssl::server_name_regex, and in step 3"
                  + " ssl_error.");

  /** {@code on_unsupported_protocol}: tunnels that do not begin with TLS. */
  public static final Setting<UnsupportedProtocol> ON_UNSUPPORTED_PROTOCOL =
      FEATURE
          .lines(
              "on_unsupported_protocol",
              "tunnel|respond|terminate [[!]ACL...]",
              UnsupportedProtocol.Lines::new)
          .text(
              "What happens to an inspected tunnel whose first bytes are not TLS. tunnel: they are"
                  + " relayed. respond: the client gets an error page in clear text. terminate: the"
                  + " tunnel ends. If no line matches, respond holds.");

  /** {@code sslproxy_cert_sign}: the signers of made certificates. */
  public static final Setting<List<CertificateRules.SigningLine>> SSLPROXY_CERT_SIGN =
      FEATURE
          .lines(
              "sslproxy_cert_sign",
              "signTrusted|signUntrusted|signSelf [[!]ACL...]",
              CertificateLines.Signing::new)
          .text(
              "The signer of the certificate that a client gets in a decrypted tunnel. The first"
                  + " matching line decides. signTrusted: the authority of the port."
                  + " signUntrusted: an authority that no client trusts. signSelf: the key of the"
                  + " certificate. If no line matches, a certificate of the server that was"
                  + " tolerated although it is not trusted yields signUntrusted, a self-signed one"
                  + " signSelf, and any other signTrusted. If the server has no certificate that"
                  + " may be used, the client gets an error page with signTrusted.");

  /** {@code sslproxy_cert_adapt}: changes of made certificates. */
  public static final Setting<List<CertificateRules.AdaptationLine>> SSLPROXY_CERT_ADAPT =
      FEATURE
          .lines(
              "sslproxy_cert_adapt",
              "setValidAfter|setValidBefore|setCommonName[{NAME}] [[!]ACL...]",
              CertificateLines.Adapting::new)
          .text(
              "How the certificate that a client gets in a decrypted tunnel differs from the"
                  + " server's. For each word, the first matching line counts. setValidAfter: its"
                  + " validity ends with that of the authority of the port. setValidBefore: its"
                  + " validity begins with that of the authority. setCommonName{NAME}: NAME is its"
                  + " only name; without {NAME}, the host in CONNECT is. If the server has no"
                  + " certificate that may be used, no line counts.");

  /** {@code loligo_splice_after_refusals}: a number of refusals; 0: never. */
  public static final Setting<Integer> SPLICE_AFTER_REFUSALS =
      FEATURE
          .number("loligo_splice_after_refusals", "0")
          .range(0, 1_000)
          .text(
              "A tunnel that would be bumped is spliced if clients have refused the certificate of"
                  + " the proxy for this server so many times within the last hour. They do if"
                  + " they do not know the authority, or accept one certificate only. 0: such"
                  + " tunnels fail.");

  private BumpDirectives() {}

  /** The rules of {@code config} about made certificates. */
  public static CertificateRules certificates(ProxyConfig config) {
    return new CertificateRules(config.get(SSLPROXY_CERT_SIGN), config.get(SSLPROXY_CERT_ADAPT));
  }
}
