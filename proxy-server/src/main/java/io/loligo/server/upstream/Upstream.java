package io.loligo.server.upstream;

import io.loligo.core.acl.AclInput;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The way to origins and parents. One per event loop; confined to it. */
public interface Upstream {
  /**
   * Sends {@code request} to the first reachable hop. A kept connection that proves dead before any
   * byte of a response is replaced once, silently, if the request may be repeated (idempotent and
   * no content sent).
   *
   * @param hops in order of preference, not empty
   * @param check asked for every resolved address of a direct hop, before it is dialled
   */
  OriginStream fetch(
      List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events);

  /**
   * Opens a tunnel: connects (with CONNECT if the hop is a parent) and calls {@code events.head}
   * with null head once bytes may flow, or {@code failed}.
   */
  OriginStream connect(
      List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents events);

  /**
   * Connects to {@code hop}, with TLS if it has that, and sends nothing. {@code events.head} is
   * called with null head once it is connected and the handshake is over, or {@code failed}; no
   * other event follows. The connection is kept for later requests, and {@link
   * OriginStream#timings} has the facts of its TLS.
   */
  OriginStream probe(Hop hop, AddressCheck check, OriginEvents events);

  /**
   * The number of kept connections to {@code hop}.
   *
   * @param addresses those of its host
   * @param check chooses this end of the connections that count
   */
  default int kept(Hop hop, List<InetAddress> addresses, AddressCheck check) {
    return 0;
  }

  /**
   * Verifies a server without a handshake. {@code done} is called on this event loop, perhaps
   * before this returns, with the faults of its certificate; empty: none.
   *
   * @param options that the configuration has
   * @param server the name or the address that the certificate has to be for
   * @param chain as the server sends it, its own certificate first; not empty
   */
  void verify(
      TlsOptions options,
      String server,
      List<X509Certificate> chain,
      Consumer<List<TlsFault>> done);

  /**
   * Starts to connect to {@code address} without TLS, for a service that is no origin. {@code
   * handler} is the channel's only handler.
   */
  default ChannelFuture dial(InetSocketAddress address, ChannelHandler handler) {
    throw new UnsupportedOperationException("no network");
  }

  /**
   * Begins TLS with HTTP/1.1 or any other protocol of text on {@code channel}, which {@link #dial}
   * has opened. {@code done} is called on this event loop, perhaps before this returns, with the
   * reason why it failed, or null. Closing the channel ends it.
   *
   * @param options that the configuration has
   * @param server the name or the address that the certificate has to be for
   */
  default void secure(
      Channel channel,
      TlsOptions options,
      String server,
      int port,
      Consumer<@Nullable String> done) {
    throw new UnsupportedOperationException("no network");
  }

  /** Addresses of {@code host} known now (literal or cached), or null: then {@link #resolve}. */
  @Nullable List<InetAddress> resolved(String host);

  /**
   * Resolves; {@code done} is called on this event loop, perhaps before this returns, with an empty
   * list if the name has no address or resolution failed.
   */
  void resolve(String host, Consumer<List<InetAddress>> done);

  /**
   * The name that DNS has for {@code address} as far as it is known now, {@link AclInput#NO_NAME}
   * if it has none; null: {@link #findName} has to be called.
   */
  default @Nullable String knownName(String address) {
    return AclInput.NO_NAME;
  }

  /**
   * Looks up the name of {@code address}; {@code done} is called on this event loop, perhaps before
   * this returns, with {@link AclInput#NO_NAME} if it has none or no server answers.
   */
  default void findName(String address, Consumer<String> done) {
    done.accept(AclInput.NO_NAME);
  }
}
