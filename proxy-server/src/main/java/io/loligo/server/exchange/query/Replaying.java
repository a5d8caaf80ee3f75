package io.loligo.server.exchange.query;

import io.loligo.core.acl.Notes;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * A client's stream whose request content comes from a {@link QueryContent}, which was read before.
 * The content is released when the response is complete. Confined to the client's event loop.
 */
final class Replaying implements ClientStream {
  private final ClientStream stream;
  private final QueryContent content;

  Replaying(ClientStream stream, QueryContent content) {
    this.stream = stream;
    this.content = content;
  }

  @Override
  public void readContent() {
    content.next();
  }

  @Override
  public boolean rewindContent() {
    return content.rewind();
  }

  @Override
  public void head(OutgoingHead head) {
    boolean last = head.last();
    stream.head(head);
    if (last) {
      content.release();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    stream.end(trailers);
    content.release();
  }

  @Override
  public void failed(Throwable cause) {
    stream.failed(cause);
    content.release();
  }

  @Override
  public void abort(String why) {
    stream.abort(why);
    content.release();
  }

  @Override
  public EventLoop loop() {
    return stream.loop();
  }

  @Override
  public ByteBufAllocator allocator() {
    return stream.allocator();
  }

  @Override
  public HttpPort port() {
    return stream.port();
  }

  @Override
  public @Nullable Destination destination() {
    return stream.destination();
  }

  @Override
  public ExchangeRecord record() {
    return stream.record();
  }

  @Override
  public @Nullable Notes connectionNotes() {
    return stream.connectionNotes();
  }

  @Override
  public void connectionNotes(Notes replaced) {
    stream.connectionNotes(replaced);
  }

  @Override
  public int clientConnections() {
    return stream.clientConnections();
  }

  @Override
  public int clientConnections(byte[] address) {
    return stream.clientConnections(address);
  }

  @Override
  public void interim(ResponseHead head, FieldLines own) {
    stream.interim(head, own);
  }

  @Override
  public void sendContinue() {
    stream.sendContinue();
  }

  @Override
  public void closeAfter() {
    stream.closeAfter();
  }

  @Override
  public void content(ByteBuf bytes) {
    stream.content(bytes);
  }

  @Override
  public void flush() {
    stream.flush();
  }

  @Override
  public boolean writable() {
    return stream.writable();
  }

  @Override
  public @Nullable ByteStream detach() {
    content.release();
    return stream.detach();
  }

  @Override
  public void tunnelBegun(Runnable end) {
    stream.tunnelBegun(end);
  }

  @Override
  public void tunnelEnded(long bytesFromClient, long bytesToClient) {
    stream.tunnelEnded(bytesFromClient, bytesToClient);
  }
}
