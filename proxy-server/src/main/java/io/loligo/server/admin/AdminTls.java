package io.loligo.server.admin;

import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.KeyPair;
import io.loligo.server.tls.ServerTls;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The TLS of the admin port, if it has any. Thread-safe: any thread. */
public final class AdminTls {
  private record Used(@Nullable ServerTls server, Set<String> names) {}

  private volatile Used used = new Used(null, Set.of());

  /** Clear text, until {@link #use}. */
  public AdminTls() {}

  /** The certificates of handshakes from now on; null: none begins. Its owner closes it. */
  public void use(@Nullable ServerTls server) {
    Set<String> names =
        server == null
            ? Set.of()
            : server.pairs().stream()
                .map(KeyPair::names)
                .flatMap(List::stream)
                .filter(name -> !name.startsWith("*"))
                .collect(Collectors.toUnmodifiableSet());
    used = new Used(server, names);
  }

  /** The names in the certificates, without wildcards. */
  Set<String> names() {
    return used.names();
  }

  /** The first handler of a connection with TLS. */
  ChannelHandler newHandler() {
    return new FirstMessage();
  }

  /** Reads the first message, which chooses the certificate, and makes room for its handler. */
  private final class FirstMessage extends ByteToMessageDecoder {
    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
      ClientHello hello = ClientHello.read(in);
      if (hello.state() == ClientHello.State.INCOMPLETE) {
        return;
      }
      ServerTls server = used.server();
      if (hello.state() != ClientHello.State.COMPLETE || server == null) {
        in.skipBytes(in.readableBytes());
        context.close();
        return;
      }
      SslHandler tls = server.handler(hello.serverName(), hello.ecdsa(), context.alloc());
      context.pipeline().replace(this, null, tls);
    }
  }
}
