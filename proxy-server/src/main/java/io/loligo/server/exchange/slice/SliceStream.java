package io.loligo.server.exchange.slice;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.ByteRange;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ClientEvents;
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
 * The client of a request for one slice. It passes the response to a {@link SliceAnswer} until
 * {@link #close}. It has its own record. Confined to the client's event loop.
 */
final class SliceStream implements ClientStream {
  private final SliceAnswer answer;
  private final ClientStream client;
  private final Slice slice;
  private final EventLoop loop;
  private final ByteBufAllocator allocator;
  private final HttpPort port;
  private final ExchangeRecord record;
  private final int connections;

  /** The receiver of the client's events; null: not known yet, or not needed any more. */
  private @Nullable ClientEvents events;

  /** Whether {@link #answer} no longer listens. */
  private boolean closed;

  /** Whether the response is over. */
  private boolean done;

  private boolean served;

  /** The offset of the next byte that arrives. */
  private long at;

  /** The offset after the last byte of the slice. */
  private long end;

  /**
   * A client for {@code slice}. The stream of the real client, {@code client}, lends its loop,
   * allocator and port.
   */
  SliceStream(SliceAnswer answer, ClientStream client, Slice slice) {
    this.answer = answer;
    this.client = client;
    this.slice = slice;
    this.loop = client.loop();
    this.allocator = client.allocator();
    this.port = client.port();
    this.record = SliceRecords.begin(client.record());
    this.connections = client.clientConnections();
  }

  /** The requested slice. */
  Slice slice() {
    return slice;
  }

  /** Sets the receiver of the client's events; {@code events} may be null. */
  void answeredBy(@Nullable ClientEvents events) {
    this.events = done ? null : events;
    if (closed) {
      leave();
    }
  }

  /** The content is {@code range} of the whole. */
  void begins(ByteRange range) {
    at = range.first();
    end = range.last() + 1;
  }

  /** Whether all content of the range has arrived. */
  boolean isFilled() {
    return at == end;
  }

  /** Whether more content has arrived than the range has. */
  boolean overflows() {
    return at > end;
  }

  /** The client has all that it wants of this slice; see {@link #isServed}. */
  void served() {
    served = true;
  }

  /** Stops passing the response on. */
  void close() {
    closed = true;
  }

  /** {@link #close}, and tells the receiver of the events that the client is gone. */
  void leave() {
    closed = true;
    ClientEvents told = events;
    events = null;
    if (told != null) {
      told.gone();
    }
  }

  /** Passes {@link ClientEvents#writable} on. */
  void tellWritable() {
    if (events != null && !closed) {
      events.writable();
    }
  }

  @Override
  public void head(OutgoingHead head) {
    if (head.last()) {
      over();
    }
    if (!closed) {
      answer.arrived(this, SliceReply.of(head));
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (closed) {
      content.release();
      return;
    }
    long offset = at;
    at += content.readableBytes();
    answer.content(this, offset, content);
  }

  @Override
  public void end(@Nullable Fields trailers) {
    over();
    if (!closed) {
      answer.ended(this, trailers);
    }
  }

  private void over() {
    done = true;
    events = null;
  }

  @Override
  public void abort(String why) {
    over();
    if (!closed) {
      answer.aborted(this, why);
    }
  }

  @Override
  public void failed(Throwable cause) {
    if (!closed) {
      answer.failed(cause);
    }
  }

  @Override
  public void interim(ResponseHead head, FieldLines own) {
    if (!closed) {
      answer.interim(head, own);
    }
  }

  @Override
  public void flush() {
    if (!closed) {
      client.flush();
    }
  }

  @Override
  public boolean writable() {
    return !closed && client.writable();
  }

  @Override
  public int gatheredBytes() {
    return client.gatheredBytes();
  }

  @Override
  public boolean isServed() {
    return served;
  }

  /** {@inheritDoc} A node of the cluster asked for the whole. */
  @Override
  public void acknowledge() {
    if (!closed) {
      client.acknowledge();
    }
  }

  @Override
  public EventLoop loop() {
    return loop;
  }

  @Override
  public ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  public HttpPort port() {
    return port;
  }

  @Override
  public @Nullable Destination destination() {
    return client.destination();
  }

  @Override
  public void forwarded() {
    if (!closed) {
      client.forwarded();
    }
  }

  @Override
  public ExchangeRecord record() {
    return record;
  }

  @Override
  public int clientConnections() {
    return connections;
  }

  @Override
  public int clientConnections(byte[] address) {
    throw new IllegalStateException("the client of a slice is known");
  }

  @Override
  public void closeAfter() {}

  @Override
  public void sendContinue() {}

  @Override
  public void readContent() {}

  @Override
  public ByteStream detach() {
    throw new IllegalStateException("a slice is no tunnel");
  }

  @Override
  public void tunnelBegun(Runnable end) {
    throw new IllegalStateException("a slice is no tunnel");
  }

  @Override
  public void tunnelEnded(long bytesFromClient, long bytesToClient) {
    throw new IllegalStateException("a slice is no tunnel");
  }
}
