package io.loligo.store.inflight;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A run of content in one buffer, linked to the next one. Confined to the writer's loop; any thread
 * may read bytes that have been written.
 */
final class ContentChunk {
  /** Offset of its first byte in the content. */
  long start;

  /** Where its content starts in {@link #buffer}. */
  final int from;

  /** Null if it no longer holds, or never held, anything. */
  @Nullable ByteBuf buffer;

  /** Bytes of content in it so far. */
  int length;

  /** Bytes of content that it has room for: more than {@link #length} while it is being filled. */
  int room;

  /** Bytes of memory that are entered for it. */
  int charge;

  @Nullable ContentChunk next;

  /** Takes {@code buffer}. */
  ContentChunk(long start, @Nullable ByteBuf buffer, int from, int length, int room, int charge) {
    this.start = start;
    this.buffer = buffer;
    this.from = from;
    this.length = length;
    this.room = room;
    this.charge = charge;
  }

  long end() {
    return start + length;
  }
}
