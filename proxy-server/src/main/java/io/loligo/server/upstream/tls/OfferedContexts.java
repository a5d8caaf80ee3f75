package io.loligo.server.upstream.tls;

import io.loligo.server.tls.TlsFault;
import io.netty.handler.ssl.SslContext;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * One context for each list of protocols that is offered by ALPN. Immutable; thread-safe.
 *
 * @param withHttp2 offers {@link OriginContext#WITH_HTTP_2}
 * @param http1 offers {@link OriginContext#HTTP_1}
 * @param verifier of their handshakes
 */
public record OfferedContexts(SslContext withHttp2, SslContext http1, ServerVerifier verifier) {
  /**
   * The faults that a handshake with {@code server} would find in {@code chain}; empty: none. It
   * takes up to a few milliseconds of CPU.
   *
   * @param chain as the server sends it, its own certificate first; not empty
   */
  public List<TlsFault> faults(List<X509Certificate> chain, String server) {
    return verifier.faults(chain.toArray(new X509Certificate[0]), server);
  }

  /** The context that offers {@code protocols}. */
  public SslContext offering(List<String> protocols) {
    return protocols.equals(OriginContext.WITH_HTTP_2) ? withHttp2 : http1;
  }
}
