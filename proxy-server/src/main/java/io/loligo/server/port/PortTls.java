package io.loligo.server.port;

import io.loligo.server.tls.TlsOptions;
import java.util.List;

/**
 * TLS on a port, as an {@code https_port} line describes it. Immutable.
 *
 * @param options the words that lines about TLS share
 * @param clientCa {@code clientca=}: files of the authorities of clients; empty: no certificate is
 *     requested
 * @param required whether a client without a certificate is refused
 */
public record PortTls(TlsOptions options, List<String> clientCa, boolean required) {
  /** Copies the list. */
  public PortTls {
    clientCa = List.copyOf(clientCa);
  }

  /** Whether clients are asked for a certificate. */
  public boolean requests() {
    return !clientCa.isEmpty();
  }
}
