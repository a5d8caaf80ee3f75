package io.loligo.server.exchange.request;

import io.loligo.server.tls.TlsFault;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A step in which {@code ssl_bump} decides about a CONNECT, and the facts known in it. Immutable.
 *
 * @param number 1 to 3
 * @param serverName the name in the first message of the client, in lower case; null: none
 * @param certifiedNames the names in the server's certificate; null: it is not known
 * @param faults of that certificate, as far as they are known
 * @param certificate of the server; null: it is not known
 */
public record TunnelStep(
    int number,
    @Nullable String serverName,
    @Nullable List<String> certifiedNames,
    List<TlsFault> faults,
    @Nullable X509Certificate certificate) {
  /** A step before the server is asked. */
  public TunnelStep(int number, @Nullable String serverName) {
    this(number, serverName, null, List.of(), null);
  }
}
