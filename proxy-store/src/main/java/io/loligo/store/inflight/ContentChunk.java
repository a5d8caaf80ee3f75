package io.loligo.store.inflight;

import io.netty.buffer.ByteBuf;

/**
 * A run of content in one buffer, linked to the one behind it. Confined to the writer's loop; the
 * bytes in it, once written, may be read anywhere.
 */
final class ContentChunk {
  /** Offset of its first byte in the content. */
  long start;

  /** Where its content starts in {@link #buffer}. */
  final int from;

  /** Null where it holds nothing any more, or never did. */
  ByteBuf buffer;

  /** Bytes of content in it so far. */
  int length;

  /** Bytes of content it has room for: more than {@link #length} while it is being filled. */
  int room;

  /** Bytes of memory it is entered with. */
  int charge;

  ContentChunk next;

  /** Takes {@code buffer}. */
  ContentChunk(long start, ByteBuf buffer, int from, int length, int room, int charge) {
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
