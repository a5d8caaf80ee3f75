package io.loligo.server.downstream.http2;

import io.loligo.server.tunnel.ByteStream;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a stream that has become a tunnel: the content of its DATA frames (RFC 9113 section
 * 8.5). Confined to the connection's event loop.
 */
final class StreamBytes implements ByteStream {
  private final Http2Stream stream;
  private final Http2Connection connection;
  private final Output output;
  private final StreamContent input;
  private @Nullable Events events;
  private long writtenBytes;
  private boolean started;
  private boolean wanted;
  private boolean inputTold;
  private boolean outputShut;
  private boolean resets;
  private boolean over;

  /**
   * Takes the place of the exchange of {@code stream}.
   *
   * @param input bytes of the client, those before this call included
   */
  StreamBytes(Http2Stream stream, Http2Connection connection, Output output, StreamContent input) {
    this.stream = stream;
    this.connection = connection;
    this.output = output;
    this.input = input;
  }

  private Events listener() {
    Events told = events;
    assert told != null : "not attached";
    return told;
  }

  @Override
  public EventLoop loop() {
    return connection.channel().eventLoop();
  }

  @Override
  public void attach(Events listener, int bufferBytes, MemoryLedger transit) {
    // the stream's own buffer and the ledger of the connection count
    events = listener;
  }

  @Override
  public void start() {
    started = true;
    wanted = true;
    if (over) {
      listener().closed();
      return;
    }
    deliver();
    if (wanted && !over) {
      wanted = false;
      listener().readComplete();
    }
  }

  @Override
  public void read() {
    wanted = true;
    if (input.atHand() && !inputTold) {
      connection.later(this::deliver);
    }
  }

  /** Bytes or their end arrived. */
  void arrived() {
    if (started) {
      deliver();
    }
  }

  private void deliver() {
    if (over || !wanted) {
      return;
    }
    if (input.next() == StreamContent.Step.DATA) {
      wanted = false;
      while (!over && input.next() == StreamContent.Step.DATA) {
        listener().received(input.take());
      }
      if (!over) {
        listener().readComplete();
      }
    }
    if (!over && input.ended() && !inputTold) {
      inputTold = true;
      listener().inputEnded();
      closeIfEnded();
    }
  }

  @Override
  public void write(ByteBuf bytes) {
    if (over || outputShut) {
      bytes.release();
      return;
    }
    writtenBytes += bytes.readableBytes();
    output.content(stream, bytes);
    connection.flushes().soon();
  }

  @Override
  public boolean takesMore() {
    return !over && !stream.isFull();
  }

  @Override
  public void drain() {
    // progress of the head counts like that of the bytes after it
  }

  @Override
  public boolean drained() {
    return over || !stream.tally.pending();
  }

  @Override
  public void shutdownOutput() {
    if (!over && !outputShut) {
      outputShut = true;
      output.end(stream, null);
      connection.flushes().soon();
    }
  }

  @Override
  public void resetOnClose() {
    resets = true;
  }

  @Override
  public void close() {
    if (!over) {
      boolean complete = outputShut && drained() && input.ended();
      stream.closeTunnel(complete, resets);
    }
  }

  @Override
  public long writtenBytes() {
    return writtenBytes - stream.queuedBytes;
  }

  @Override
  public void discard() {
    if (!over) {
      stream.closeTunnel(false, true);
    }
  }

  // ---- events of the stream

  /** The socket took bytes. */
  void progressed() {
    if (started && !over) {
      listener().progressed();
      closeIfEnded();
    }
  }

  /** There is room again. */
  void writable() {
    if (started && !over) {
      listener().writable();
    }
  }

  private void closeIfEnded() {
    if (!over && inputTold && outputShut && drained()) {
      stream.closeTunnel(true, false);
    }
  }

  /** The stream is gone. */
  void gone() {
    if (!over) {
      over = true;
      if (started) {
        listener().closed();
      }
    }
  }
}
