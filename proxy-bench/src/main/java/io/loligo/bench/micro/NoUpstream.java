package io.loligo.bench.micro;

import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Upstream;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;

/** An upstream that a benchmark of hits must never need. Stateless. */
class NoUpstream implements Upstream {
  @Override
  public OriginStream fetch(
      List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
    throw new IllegalStateException("no hit");
  }

  @Override
  public OriginStream connect(
      List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents events) {
    throw new IllegalStateException("no hit");
  }

  @Override
  public OriginStream probe(Hop hop, AddressCheck check, OriginEvents events) {
    throw new IllegalStateException("no hit");
  }

  @Override
  public void verify(
      TlsOptions options,
      String server,
      List<X509Certificate> chain,
      Consumer<List<TlsFault>> done) {
    throw new IllegalStateException("no hit");
  }

  @Override
  public List<InetAddress> resolved(String host) {
    return List.of();
  }

  @Override
  public void resolve(String host, Consumer<List<InetAddress>> done) {
    done.accept(List.of());
  }
}
