package io.loligo.store.inflight;

import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Reservation;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content that has arrived and is still needed, in chunks. Confined to the writer's loop.
 *
 * <p>While it is <em>kept</em> for the store, it is copied into the blocks of the future entry: the
 * field lines and the first content in one, {@link Entry#BLOCK_BYTES} in each further one.
 * Otherwise buffers are linked as they arrive; a buffer that would pin much more memory than its
 * content needs is copied into a compact block instead.
 */
final class ContentLog {
  private static final int MIN_COMPACT_BYTES = 4 << 10;

  /** A buffer is kept as it is if its memory is at most this many times its content. */
  private static final int MAX_PINNING = 2;

  private final ByteBufAllocator allocator;
  private final Reservation reservation;
  private ContentChunk head = new ContentChunk(0, null, 0, 0, 0, 0);
  private ContentChunk tail = head;
  private long end;
  private long dropped;
  private boolean kept;
  private int fieldsLength;
  private long expected;

  /** Takes {@code reservation}. */
  ContentLog(ByteBufAllocator allocator, Reservation reservation) {
    this.allocator = allocator;
    this.reservation = reservation;
  }

  /** Bytes of content that arrived. */
  long end() {
    return end;
  }

  /** Bytes dropped at the start. */
  long dropped() {
    return dropped;
  }

  /** Whether the content is kept whole for the store. */
  boolean kept() {
    return kept;
  }

  /** The first chunk, for readers from the first byte. */
  ContentChunk first() {
    return head;
  }

  /** Counts {@code fields} as held until {@link #close}, in every way of holding the content. */
  void holdBeside(ByteBuf fields) {
    reservation.force(SizeClass.of(fields));
  }

  /**
   * Keeps the content from now on, after {@code fields}, borrowed; {@code contentLength} -1 if
   * unknown. Returns whether there was room.
   */
  boolean keep(ByteBuf fields, long contentLength) {
    fieldsLength = fields.readableBytes();
    expected = contentLength;
    int room = Math.max(0, Entry.BLOCK_BYTES - fieldsLength);
    if (contentLength >= 0) {
      room = (int) Math.min(room, contentLength);
    } else {
      room = Math.min(room, MIN_COMPACT_BYTES);
    }
    if (!link(fieldsLength, room)) {
      return false;
    }
    assert tail.buffer != null : "just linked";
    tail.buffer.setBytes(0, fields, fields.readerIndex(), fieldsLength);
    kept = true;
    return true;
  }

  /** Keeps no more: a chunk is released once all readers have read it. */
  void stopKeeping() {
    kept = false;
  }

  /**
   * Copies as much of {@code content}, borrowed, as there is memory for, and advances it; returns
   * whether that was all.
   */
  boolean copyIn(ByteBuf content) {
    while (content.isReadable()) {
      if (tail.length == tail.room && !extend(content.readableBytes())) {
        return false;
      }
      int bytes = Math.min(content.readableBytes(), tail.room - tail.length);
      assert tail.buffer != null : "it has room";
      tail.buffer.setBytes(tail.from + tail.length, content, content.readerIndex(), bytes);
      content.skipBytes(bytes);
      tail.length += bytes;
      end += bytes;
    }
    return true;
  }

  /** Makes room after the last byte: the first block grows, then further blocks follow. */
  private boolean extend(int wanted) {
    if (!kept) {
      return link(0, Math.max(MIN_COMPACT_BYTES, Math.min(wanted, Entry.BLOCK_BYTES)));
    }
    int firstRoom = Math.max(0, Entry.BLOCK_BYTES - fieldsLength);
    if (expected < 0 && tail.start == 0 && tail.from == fieldsLength && tail.room < firstRoom) {
      return grow((int) Math.min(firstRoom, Math.max(2L * tail.room, (long) tail.room + wanted)));
    }
    long rest = expected < 0 ? Entry.BLOCK_BYTES : expected - end;
    return link(0, (int) Math.min(Entry.BLOCK_BYTES, rest));
  }

  private boolean link(int from, int room) {
    int charge = SizeClass.packed(from + room);
    if (!reservation.grow(charge)) {
      return false;
    }
    ByteBuf buffer = bufferOf(from + room);
    if (buffer == null) {
      reservation.shrink(charge);
      return false;
    }
    link(new ContentChunk(end, buffer, from, 0, room, charge));
    return true;
  }

  /** Owned; null if there is no memory, even if the ledger has room. */
  private @Nullable ByteBuf bufferOf(int room) {
    try {
      return allocator.directBuffer(room, room);
    } catch (OutOfMemoryError e) {
      reservation.shortage().met(e, "a copy of content");
      return null;
    }
  }

  private void link(ContentChunk chunk) {
    tail.next = chunk;
    tail = chunk;
  }

  /** Replaces the buffer of the last chunk by a larger one; readers' slices keep the old one. */
  private boolean grow(int room) {
    int charge = SizeClass.packed(tail.from + room);
    return reservation.grow(charge) && replaceTail(room, charge);
  }

  /**
   * {@code charge} is entered; returns whether there was memory for it; if not, the entry is struck
   * out.
   */
  private boolean replaceTail(int room, int charge) {
    ByteBuf larger = bufferOf(tail.from + room);
    if (larger == null) {
      reservation.shrink(charge);
      return false;
    }
    ByteBuf old = tail.buffer;
    assert old != null : "nothing to replace";
    larger.setBytes(0, old, 0, tail.from + tail.length);
    old.release();
    reservation.shrink(tail.charge);
    tail.buffer = larger;
    tail.room = room;
    tail.charge = charge;
    return true;
  }

  /**
   * Holds {@code content} as it is, or a compact copy if it would pin too much memory. True: it was
   * taken. False: there is no memory for the readable rest, which stays the caller's.
   */
  boolean pass(ByteBuf content) {
    int bytes = content.readableBytes();
    int charge = SizeClass.of(content);
    if (charge <= MAX_PINNING * bytes && reservation.grow(charge)) {
      hold(content, charge);
      return true;
    }
    if (copyIn(content)) {
      content.release();
      return true;
    }
    return false;
  }

  /** Holds {@code content} regardless of the limits, just as compactly. Takes it. */
  void force(ByteBuf content) {
    int bytes = content.readableBytes();
    int charge = SizeClass.of(content);
    if (charge <= MAX_PINNING * bytes) {
      reservation.force(charge);
      hold(content, charge);
      return;
    }
    int room = Math.max(MIN_COMPACT_BYTES, bytes);
    ByteBuf buffer = bufferOf(room);
    if (buffer == null) {
      reservation.force(charge);
      hold(content, charge);
      return;
    }
    int compact = SizeClass.packed(room);
    reservation.force(compact);
    link(new ContentChunk(end, buffer, 0, 0, room, compact));
    copyIn(content);
    content.release();
  }

  private void hold(ByteBuf content, int charge) {
    int bytes = content.readableBytes();
    link(
        new ContentChunk(
            end, content.touch("ContentLog"), content.readerIndex(), bytes, bytes, charge));
    end += bytes;
  }

  /**
   * Counts {@code bytes} that passed without being held: all readers have read everything before
   * them.
   */
  void skip(int bytes) {
    drop(end);
    end += bytes;
    dropped = end;
    tail.start = end;
    tail.length = 0;
    tail.room = 0;
  }

  /** Releases chunks that end at or before {@code offset}. */
  void drop(long offset) {
    while (head.end() <= offset) {
      free(head);
      dropped = head.end();
      if (head.next == null) {
        return;
      }
      head = head.next;
    }
  }

  private void free(ContentChunk chunk) {
    if (chunk.buffer != null) {
      chunk.buffer.release();
      chunk.buffer = null;
      reservation.shrink(chunk.charge);
      chunk.charge = 0;
      chunk.room = chunk.length;
    }
  }

  /** Copies the last block to a smaller one if more than a quarter of it would be wasted. */
  void trim() {
    int used = tail.from + tail.length;
    int fit = SizeClass.packed(used);
    if (tail.buffer != null && tail.charge - fit > tail.charge / 4 && reservation.grow(fit)) {
      replaceTail(tail.length, fit);
    }
  }

  /** The block with the fields. Legal while {@link #kept}. */
  ContentChunk firstBlock() {
    if (head.buffer != null) {
      return head;
    }
    assert head.next != null : "nothing is kept";
    return head.next;
  }

  /** The blocks after the first, borrowed. Legal while {@link #kept}. */
  ByteBuf[] furtherBlocks() {
    List<ByteBuf> blocks = new ArrayList<>();
    for (ContentChunk chunk = firstBlock().next; chunk != null; chunk = chunk.next) {
      blocks.add(chunk.buffer);
    }
    return blocks.toArray(new ByteBuf[0]);
  }

  /**
   * Reserves {@code bytes}, present ones included, if there is room for them; returns whether there
   * was.
   */
  boolean setAside(long bytes) {
    return reservation.raiseFloor(bytes);
  }

  /** Whether memory is so scarce that no more is read than is consumed. */
  boolean isScarce() {
    return reservation.isScarce();
  }

  /** Whether memory is so scarce that optional users give way. */
  boolean isCrowded() {
    return reservation.isCrowded();
  }

  /** No more content comes: the memory reserved for it is given back. */
  void complete() {
    reservation.dropFloor();
  }

  /** Bytes used in the last block. */
  int lastLength() {
    return tail.length;
  }

  /** The chunks are entered elsewhere from now on: they are no longer counted here. */
  void chargedElsewhere() {
    for (ContentChunk chunk = head; chunk != null; chunk = chunk.next) {
      reservation.shrink(chunk.charge);
      chunk.charge = 0;
    }
  }

  /** Releases everything, including the reservation. */
  void close() {
    for (ContentChunk chunk = head; chunk != null; chunk = chunk.next) {
      free(chunk);
    }
    head = tail;
    reservation.close();
  }
}
