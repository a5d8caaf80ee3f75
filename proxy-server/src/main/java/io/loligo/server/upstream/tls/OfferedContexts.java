package io.loligo.server.upstream.tls;

import io.netty.handler.ssl.SslContext;
import java.util.List;

/**
 * One context for each list of protocols that is offered by ALPN. Immutable; thread-safe.
 *
 * @param withHttp2 offers {@link OriginContext#WITH_HTTP_2}
 * @param http1 offers {@link OriginContext#HTTP_1}
 */
public record OfferedContexts(SslContext withHttp2, SslContext http1) {
  /** The context that offers {@code protocols}. */
  public SslContext offering(List<String> protocols) {
    return protocols.equals(OriginContext.WITH_HTTP_2) ? withHttp2 : http1;
  }
}
