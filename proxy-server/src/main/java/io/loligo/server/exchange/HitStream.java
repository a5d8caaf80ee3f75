package io.loligo.server.exchange;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * Sends stored content as the client takes it. Owns one reference to the entry until it is done or
 * the client gone. Confined to the client's event loop.
 */
final class HitStream implements ClientEvents {
  /** A stretch of content, perhaps with octets of ours in front (multipart heads). */
  private record Part(ByteBuf before, long from, long to) {}

  private static final int SLICE_BYTES = 64 << 10;

  private final ClientStream stream;
  private final ArrayDeque<Part> parts = new ArrayDeque<>();
  private Entry entry;
  private long position = -1;

  /** Takes {@code entry}. */
  HitStream(ClientStream stream, Entry entry) {
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
    if (entry == null) {
      return;
    }
    while (!parts.isEmpty() && stream.writable()) {
      sendSome(parts.peek());
      if (entry == null) {
        return; // the connection broke while writing
      }
    }
    if (parts.isEmpty()) {
      release();
      stream.end(null);
    }
    stream.flush();
  }

  private void sendSome(Part part) {
    if (position < 0) {
      position = part.from();
      if (part.before() != null) {
        parts.poll();
        parts.addFirst(new Part(null, part.from(), part.to()));
        stream.content(part.before());
        return;
      }
    }
    long left = part.to() - position;
    if (left <= 0) {
      parts.poll();
      position = -1;
      return;
    }
    ByteBuf content = entry.retainedContent(position, (int) Math.min(left, SLICE_BYTES));
    position += content.readableBytes();
    if (position == part.to()) {
      parts.poll();
      position = -1;
    }
    stream.content(content);
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
