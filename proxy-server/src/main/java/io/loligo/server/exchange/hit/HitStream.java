package io.loligo.server.exchange.hit;

import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends stored content as the client takes it: what is in memory by {@value #GATHERED_BYTES}
 * octets, what is on disk in reads of at most {@value #SLICE_BYTES} octets, one at a time, the next
 * one when the stream takes content again. Owns one reference to the entry until it is done or the
 * client gone. Where a read finds the content damaged a {@link Resumption} brings the rest.
 * Confined to the client's event loop.
 */
final class HitStream implements ClientEvents {
  /** A stretch of content, perhaps with octets of ours in front (multipart heads). */
  private record Part(ByteBuf before, long from, long to) {}

  private static final Logger LOG = LoggerFactory.getLogger(HitStream.class);
  private static final int SLICE_BYTES = 64 << 10;

  /**
   * Most octets that are in memory and go into one gathered write. They are held anyway until the
   * client has them all; more of them at once would make others of the loop wait longer.
   */
  private static final int GATHERED_BYTES = 512 << 10;

  private final LoopServices services;
  private final ClientStream stream;
  private final ArrayDeque<Part> parts = new ArrayDeque<>();
  private Entry entry;
  private long position = -1;
  private int gathered;
  private boolean reading;
  private Resumption resumption;

  /** Takes {@code entry}. */
  HitStream(LoopServices services, ClientStream stream, Entry entry) {
    this.services = services;
    this.stream = stream;
    this.entry = entry;
  }

  /** Adds content {@code [from, to)} behind {@code before}, taken, which may be null. */
  void add(ByteBuf before, long from, long to) {
    parts.add(new Part(before, from, to));
  }

  /** Whether all was sent or the client is gone. */
  boolean done() {
    return entry == null;
  }

  @Override
  public void writable() {
    if (resumption != null) {
      resumption.writable();
      return;
    }
    gathered = 0;
    while (entry != null && !parts.isEmpty() && !reading && takesMore()) {
      sendSome();
    }
    goOn();
  }

  private boolean takesMore() {
    return stream.writable()
        || (gathered < GATHERED_BYTES && position >= 0 && entry.isResident(position));
  }

  private void goOn() {
    if (entry == null) {
      return; // the connection broke while writing
    }
    if (parts.isEmpty()) {
      release();
      stream.end(null);
    }
    stream.flush();
  }

  private void sendSome() {
    if (beginsPart()) {
      return;
    }
    int most = (int) Math.min(parts.peek().to() - position, SLICE_BYTES);
    if (entry.isResident(position)) {
      send(entry.retainedContent(position, most));
    } else {
      reading = true;
      long started = services.clock.nanos();
      entry.read(position, most, stream.loop(), content -> read(content, started));
    }
  }

  /** Goes to the start of the next part; whether there was anything to do. */
  private boolean beginsPart() {
    Part part = parts.peek();
    if (position < 0) {
      position = part.from();
      if (part.before() != null) {
        parts.poll();
        parts.addFirst(new Part(null, part.from(), part.to()));
        stream.content(part.before());
        return true;
      }
    }
    if (position >= part.to()) {
      endPart();
      return true;
    }
    return false;
  }

  private void endPart() {
    parts.poll();
    position = -1;
  }

  /** Takes {@code content}, which begins at the position. */
  private void send(ByteBuf content) {
    position += content.readableBytes();
    gathered += content.readableBytes();
    if (position == parts.peek().to()) {
      endPart();
    }
    stream.content(content);
  }

  /** A read came back. Takes {@code content}, null where it is damaged or gone. */
  private void read(ByteBuf content, long startedNanos) {
    reading = false;
    if (entry == null) {
      if (content != null) {
        content.release();
      }
      return;
    }
    ExchangeRecord record = stream.record();
    long before = Math.max(0, record.stage(Stage.DISK_REST));
    record.stage(Stage.DISK_REST, before + services.clock.nanos() - startedNanos);
    if (content != null) {
      send(content);
      writable();
    } else {
      LOG.warn(
          "{}: stored content cannot be read from octet {} of {}: asking the origin",
          record.target.url(),
          position,
          entry.contentLength());
      resume(/* alone= */ false);
    }
  }

  // ---- the rest from the origin

  /** Has the rest fetched; {@code alone}: not along with another request's fetch. */
  void resume(boolean alone) {
    if (stream.record().request.methodId() == Method.QUERY) {
      cut("the content of the request is not there any more");
      return;
    }
    if (stream.record().target.keyRule() instanceof Slice) {
      cut("it is a slice, which is asked for again");
      return;
    }
    if (!ascend()) {
      cut("its ranges are not in ascending order");
      return;
    }
    resumption = new Resumption(services, stream, this, entry, alone);
    resumption.start();
  }

  private boolean ascend() {
    long end = 0;
    for (Part part : parts) {
      if (part.from() < part.to()) {
        if (part.from() < end) {
          return false;
        }
        end = part.to();
      }
    }
    return true;
  }

  /**
   * The whole content comes by, from its first octet; what is not due any more or not yet is left
   * out. Takes {@code content}, which begins at {@code offset}.
   */
  void pass(long offset, ByteBuf content) {
    try {
      long end = offset + content.readableBytes();
      while (entry != null && !parts.isEmpty()) {
        if (beginsPart()) {
          continue;
        }
        if (position >= end) {
          break;
        }
        int length = (int) (Math.min(parts.peek().to(), end) - position);
        send(content.retainedSlice(content.readerIndex() + (int) (position - offset), length));
      }
    } finally {
      content.release();
    }
    if (parts.isEmpty()) {
      resumption.leave();
    }
    goOn();
  }

  /** The rest cannot be had: the client must not take what it has for the whole. */
  void cut(String why) {
    if (entry == null) {
      return;
    }
    LOG.warn("{}: the answer is cut: {}", stream.record().target.url(), why);
    release();
    stream.abort("stored content damaged; " + why);
  }

  @Override
  public void content(ByteBuf content) {
    content.release();
  }

  @Override
  public void contentEnd(Fields trailers) {}

  @Override
  public void contentFailed(ParseFailure failure) {}

  @Override
  public void gone() {
    release();
  }

  private void release() {
    if (resumption != null) {
      resumption.leave();
    }
    for (Part part = parts.poll(); part != null; part = parts.poll()) {
      if (part.before() != null) {
        part.before().release();
      }
    }
    if (entry != null) {
      entry.release();
      entry = null;
    }
  }
}
