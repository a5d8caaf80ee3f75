package io.loligo.server.exchange.rules;

import io.loligo.core.acl.NoRequest;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.AddressBytes;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that is no acceptable request, for rules about the response to it: only its connection
 * is known. Confined to its event loop.
 */
public final class UnreadRequest extends NoRequest {
  private final ClientStream stream;
  private final long nowMillis;
  private @Nullable Fields reply;
  private int replyStatus;

  /** The message in progress on {@code stream}. */
  public UnreadRequest(ClientStream stream, long nowMillis) {
    this.stream = stream;
    this.nowMillis = nowMillis;
  }

  void reply(Fields fields, int status) {
    reply = fields;
    replyStatus = status;
  }

  @Override
  public byte[] clientAddress() {
    return bytes(stream.record().client);
  }

  @Override
  public byte[] localAddress() {
    return bytes(stream.record().local);
  }

  private static byte[] bytes(@Nullable InetSocketAddress address) {
    return address == null ? new byte[4] : AddressBytes.of(address.getAddress());
  }

  @Override
  public int localPort() {
    InetSocketAddress local = stream.record().local;
    return local == null ? 0 : local.getPort();
  }

  @Override
  public String portName() {
    return stream.port().name();
  }

  @Override
  public @Nullable Fields replyFields() {
    return reply;
  }

  @Override
  public int replyStatus() {
    return replyStatus;
  }

  @Override
  public List<byte[]> destinationAddresses() {
    return List.of();
  }

  @Override
  public int clientConnections() {
    return stream.clientConnections();
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }
}
