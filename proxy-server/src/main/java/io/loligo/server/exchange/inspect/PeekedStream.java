package io.loligo.server.exchange.inspect;

import io.loligo.server.tunnel.ByteStream;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * A client's byte stream whose first bytes are read before anybody relays them. It holds the bytes
 * and enters them in the ledger of bytes in transit. Whoever attaches to it then gets them first.
 * Confined to the stream's event loop.
 */
final class PeekedStream implements ByteStream, ByteStream.Events {
  /** Told of the first bytes, until the stream is attached or taken apart. */
  interface Listener {
    /** More bytes are held. */
    void arrived(ByteBuf held);

    /** No more bytes come. */
    void ended();
  }

  private final ByteStream stream;
  private final MemoryLedger transit;
  private @Nullable Listener listener;
  private ByteBuf held = Unpooled.EMPTY_BUFFER;
  private int charged;
  private @Nullable Events events;
  private @Nullable Runnable drained;
  private boolean inputEnded;
  private boolean closed;
  private @Nullable Throwable failure;

  /** Takes {@code stream}, which is not attached. */
  PeekedStream(ByteStream stream, MemoryLedger transit, Listener listener) {
    this.stream = stream;
    this.transit = transit;
    this.listener = listener;
  }

  /** Reads from now on, until {@link #rest}. */
  void peek(int bufferBytes) {
    stream.attach(this, bufferBytes, transit);
    stream.start();
  }

  /** Stops reading; the listener is not told of anything any more. */
  void rest() {
    listener = null;
  }

  /** Calls {@code then} when all written bytes have left, or cannot leave; perhaps at once. */
  void whenDrained(Runnable then) {
    drained = then;
    tellDrained();
  }

  private void tellDrained() {
    Runnable told = drained;
    if (told != null && (closed || failure != null || stream.drained())) {
      drained = null;
      told.run();
    }
  }

  /** Bytes received so far. */
  int receivedBytes() {
    return held.readableBytes();
  }

  /** The stream itself, for another user, who first gets {@link #take}. */
  ByteStream stream() {
    return stream;
  }

  /** The held bytes, owned by the caller. */
  ByteBuf take() {
    ByteBuf taken = held;
    held = Unpooled.EMPTY_BUFFER;
    charge(0);
    return taken;
  }

  private void charge(int bytes) {
    if (bytes > charged) {
      transit.force(bytes - charged);
    } else {
      transit.release(charged - bytes);
    }
    charged = bytes;
  }

  // ---- events of the stream

  @Override
  public void received(ByteBuf bytes) {
    if (events != null) {
      events.received(bytes);
      return;
    }
    if (held.isReadable()) {
      try {
        held.writeBytes(bytes);
      } finally {
        bytes.release();
      }
    } else {
      held = bytes;
    }
    charge(held.capacity());
    if (listener != null) {
      listener.arrived(held);
    }
  }

  @Override
  public void readComplete() {
    if (events != null) {
      events.readComplete();
    } else if (listener != null) {
      stream.read();
    }
  }

  @Override
  public void inputEnded() {
    inputEnded = true;
    if (events != null) {
      events.inputEnded();
    } else {
      tellEnd();
    }
  }

  @Override
  public void progressed() {
    if (events != null) {
      events.progressed();
    } else if (drained != null) {
      // not from within a write
      loop().execute(this::tellDrained);
    }
  }

  @Override
  public void writable() {
    if (events != null) {
      events.writable();
    }
  }

  @Override
  public void closed() {
    closed = true;
    if (events != null) {
      events.closed();
    } else {
      tellEnd();
    }
  }

  @Override
  public void failed(Throwable cause) {
    failure = cause;
    if (events != null) {
      events.failed(cause);
    } else {
      tellEnd();
    }
  }

  private void tellEnd() {
    if (listener != null) {
      listener.ended();
    }
    tellDrained();
  }

  // ---- the stream for whoever relays it

  @Override
  public EventLoop loop() {
    return stream.loop();
  }

  @Override
  public void attach(Events user, int bufferBytes, MemoryLedger ledger) {
    listener = null;
    events = user;
  }

  @Override
  public void start() {
    Events user = events;
    assert user != null : "it is attached";
    ByteBuf first = take();
    if (first.isReadable()) {
      user.received(first);
    } else {
      first.release();
    }
    if (failure != null) {
      user.failed(failure);
    } else if (closed) {
      user.closed();
    } else if (inputEnded) {
      user.inputEnded();
    } else {
      user.readComplete();
    }
  }

  @Override
  public void read() {
    stream.read();
  }

  @Override
  public void write(ByteBuf bytes) {
    stream.write(bytes);
  }

  @Override
  public boolean takesMore() {
    return stream.takesMore();
  }

  @Override
  public void drain() {
    stream.drain();
  }

  @Override
  public boolean drained() {
    return stream.drained();
  }

  @Override
  public void shutdownOutput() {
    stream.shutdownOutput();
  }

  @Override
  public void resetOnClose() {
    stream.resetOnClose();
  }

  @Override
  public void close() {
    rest();
    take().release();
    stream.close();
  }

  @Override
  public long writtenBytes() {
    return stream.writtenBytes();
  }

  @Override
  public void discard() {
    close();
  }
}
