package io.loligo.store.inflight;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A consumer's place in the content. Confined to the writer's loop. */
final class Place {
  private final ContentLog log;
  private @Nullable ContentChunk chunk;
  private long position;

  /** At the first byte. */
  Place(ContentLog log) {
    this.log = log;
  }

  long position() {
    return position;
  }

  /** Whether the next byte was dropped from the log. */
  boolean isGone() {
    return position < log.dropped();
  }

  /** Whether it is after all content so far. */
  boolean isAtEnd() {
    return position == log.end();
  }

  /**
   * At most {@code max} of the next bytes; advances past them. Returns owned. Legal if neither
   * {@link #isGone} nor {@link #isAtEnd}.
   */
  ByteBuf next(long max) {
    ContentChunk now = chunk == null ? log.first() : chunk;
    while (position >= now.end()) {
      assert now.next != null : "at the end";
      now = now.next;
    }
    chunk = now;
    int bytes = (int) Math.min(max, now.end() - position);
    int from = now.from + (int) (position - now.start);
    position += bytes;
    assert now.buffer != null : "dropped";
    return now.buffer.retainedSlice(from, bytes);
  }

  /** Advances by {@code bytes} that came from elsewhere. */
  void skip(int bytes) {
    position += bytes;
  }

  /** Moves forward to {@code offset}, or to the end of the log if that comes first. */
  void skipTo(long offset) {
    position = Math.max(position, Math.min(offset, log.end()));
  }

  /** Releases its chunk: a chunk leads to all later ones. */
  void forgetChunk() {
    chunk = null;
  }
}
