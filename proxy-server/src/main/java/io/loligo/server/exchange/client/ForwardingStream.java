package io.loligo.server.exchange.client;

import io.loligo.core.acl.Notes;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.login.ConnectionLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.shaping.Limit;
import io.loligo.server.transport.SocketEnds;
import io.loligo.server.tunnel.ByteStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * A client's stream that passes everything on to another one. A subclass replaces parts of it.
 * Confined to the client's event loop.
 */
public class ForwardingStream implements ClientStream {
  private final ClientStream stream;

  /** Before {@code stream}. */
  protected ForwardingStream(ClientStream stream) {
    this.stream = stream;
  }

  @Override
  public void forwarded() {
    stream.forwarded();
  }

  @Override
  public void readContent() {
    stream.readContent();
  }

  @Override
  public boolean contentMissing() {
    return stream.contentMissing();
  }

  @Override
  public boolean rewindContent() {
    return stream.rewindContent();
  }

  @Override
  public boolean isServed() {
    return stream.isServed();
  }

  @Override
  public void head(OutgoingHead head) {
    stream.head(head);
  }

  @Override
  public void end(@Nullable Fields trailers) {
    stream.end(trailers);
  }

  @Override
  public void failed(Throwable cause) {
    stream.failed(cause);
  }

  @Override
  public void abort(String why) {
    stream.abort(why);
  }

  @Override
  public boolean impliesConnect() {
    return stream.impliesConnect();
  }

  @Override
  public @Nullable Decryption decryption() {
    return stream.decryption();
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
  public @Nullable ConnectionLogin login() {
    return stream.login();
  }

  @Override
  public ExchangeRecord record() {
    return stream.record();
  }

  @Override
  public long connectionMark() {
    return stream.connectionMark();
  }

  @Override
  public void connectionMark(long mark) {
    stream.connectionMark(mark);
  }

  @Override
  public @Nullable SocketEnds socketEnds() {
    return stream.socketEnds();
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
  public void trafficClass(int value) {
    stream.trafficClass(value);
  }

  @Override
  public void packetMark(int mark) {
    stream.packetMark(mark);
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
  public void acknowledge() {
    stream.acknowledge();
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
  public int gatheredBytes() {
    return stream.gatheredBytes();
  }

  @Override
  public @Nullable Limit limit() {
    return stream.limit();
  }

  @Override
  public @Nullable ByteStream detach() {
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
