package io.loligo.store.disk.format;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The content of a packed segment, as its footer and its section of a checkpoint state it: a head
 * of {@value #HEAD_BYTES} bytes and an entry for each first block. See {@code docs/disk-format.md}.
 * Stateless.
 */
public final class Contents {
  /** Bytes of the head. */
  public static final int HEAD_BYTES = 64;

  /** Bytes of an entry without pieces. */
  public static final int ENTRY_BYTES = 32;

  /** The pieces of a response that is in its first block only. */
  public static final long[] NO_PIECES = {};

  /** Bytes in front of the places of the pieces. */
  static final int PIECES_BYTES = 12;

  /** The places of its pieces follow the entry. */
  static final int HAS_PIECES = 1;

  /** The response is, or may be, stored under another key of a URL than its own. */
  public static final int ALTERNATIVE = 2;

  /** The response is a part. */
  public static final int PART = 4;

  private static final int MAGIC = 0x4C4F4C46;
  private static final int CRC = 4;
  private static final int GENERATION = 8;
  private static final int SEGMENT = 16;
  private static final int COUNT = 20;
  private static final int LENGTH = 24;

  private Contents() {}

  /**
   * One first block; {@link #of} begins one.
   *
   * @param high half of the hash of the key
   * @param low the other half
   * @param version of the response
   * @param offset in the segment, in bytes
   * @param length of the block, in bytes
   * @param hits of the response
   * @param flags {@link #ALTERNATIVE}, {@link #PART}
   * @param pieces places of the pieces, not to be changed; {@link #NO_PIECES}: none
   * @param fullPieceBytes length of each piece but the last; 0: there are none
   * @param lastPieceBytes length of the last piece; 0: there are none
   */
  public record Entry(
      long high,
      long low,
      long version,
      int offset,
      int length,
      int hits,
      int flags,
      long[] pieces,
      int fullPieceBytes,
      int lastPieceBytes) {
    /** Begins an entry without pieces. */
    public static Builder of(long high, long low) {
      return new Builder(high, low);
    }

    /** Bytes that {@link Contents#write} writes. */
    public int bytes() {
      return entryBytes(pieces.length);
    }

    /** Collects the parts of an entry. Confined to one thread. */
    public static final class Builder {
      private final long high;
      private final long low;
      private long version;
      private int offset;
      private int length;
      private int hits;
      private int flags;
      private long[] pieces = NO_PIECES;
      private int fullPieceBytes;
      private int lastPieceBytes;

      private Builder(long high, long low) {
        this.high = high;
        this.low = low;
      }

      /** See {@link Entry#version}. */
      public Builder version(long version) {
        this.version = version;
        return this;
      }

      /** See {@link Entry#offset}. */
      public Builder offset(int offset) {
        this.offset = offset;
        return this;
      }

      /** See {@link Entry#length}. */
      public Builder length(int length) {
        this.length = length;
        return this;
      }

      /** See {@link Entry#hits}. */
      public Builder hits(int hits) {
        this.hits = hits;
        return this;
      }

      /** See {@link Entry#flags}. */
      public Builder flags(int flags) {
        this.flags = flags;
        return this;
      }

      /** See {@link Entry#pieces}. */
      public Builder pieces(long[] pieces) {
        this.pieces = pieces;
        return this;
      }

      /** See {@link Entry#fullPieceBytes}. */
      public Builder fullPieceBytes(int fullPieceBytes) {
        this.fullPieceBytes = fullPieceBytes;
        return this;
      }

      /** See {@link Entry#lastPieceBytes}. */
      public Builder lastPieceBytes(int lastPieceBytes) {
        this.lastPieceBytes = lastPieceBytes;
        return this;
      }

      /** The entry with the parts set so far. */
      public Entry build() {
        return new Entry(
            high,
            low,
            version,
            offset,
            length,
            hits,
            flags,
            pieces,
            fullPieceBytes,
            lastPieceBytes);
      }
    }
  }

  /** Bytes of the entry of a first block with so many pieces. */
  public static int entryBytes(int pieces) {
    return ENTRY_BYTES + (pieces == 0 ? 0 : PIECES_BYTES + pieces * Long.BYTES);
  }

  /** Appends {@code entry} to {@code out}, borrowed. */
  public static void write(Entry entry, ByteBuf out) {
    boolean hasPieces = entry.pieces.length > 0;
    out.writeLong(entry.high);
    out.writeLong(entry.low);
    out.writeLong(entry.version);
    out.writeInt(entry.offset);
    out.writeShort(entry.length);
    out.writeByte(entry.hits);
    out.writeByte(hasPieces ? entry.flags | HAS_PIECES : entry.flags & ~HAS_PIECES);
    if (hasPieces) {
      out.writeInt(entry.fullPieceBytes);
      out.writeInt(entry.lastPieceBytes);
      out.writeInt(entry.pieces.length);
      for (long piece : entry.pieces) {
        out.writeLong(piece);
      }
    }
  }

  /** Reads the next entry of {@code in}, borrowed; null if it is damaged. */
  public static @Nullable Entry read(ByteBuf in) {
    if (in.readableBytes() < ENTRY_BYTES) {
      return null;
    }
    Entry.Builder entry = Entry.of(in.readLong(), in.readLong()).version(in.readLong());
    entry.offset(in.readInt()).length(in.readUnsignedShort()).hits(in.readUnsignedByte());
    int flags = in.readByte();
    entry.flags(flags);
    if ((flags & HAS_PIECES) == 0) {
      return entry.build();
    }
    if (in.readableBytes() < PIECES_BYTES) {
      return null;
    }
    int full = in.readInt();
    int last = in.readInt();
    int count = in.readInt();
    if (count <= 0 || count > in.readableBytes() / Long.BYTES || full <= 0 || last <= 0) {
      return null;
    }
    long[] pieces = new long[count];
    for (int i = 0; i < count; i++) {
      pieces[i] = in.readLong();
    }
    return entry.pieces(pieces).fullPieceBytes(full).lastPieceBytes(last).build();
  }

  /**
   * Writes the head of {@code entries}, borrowed, all of whose readable bytes it covers, to {@code
   * out} at {@code at}.
   */
  public static void head(
      ByteBuf out, int at, long generation, int segment, int count, ByteBuf entries) {
    out.setZero(at, HEAD_BYTES);
    out.setInt(at, MAGIC);
    out.setLong(at + GENERATION, generation);
    out.setInt(at + SEGMENT, segment);
    out.setInt(at + COUNT, count);
    out.setInt(at + LENGTH, entries.readableBytes());
    out.setInt(at + CRC, crc(out, at, entries));
  }

  /** Whether {@code at} has a head of the life {@code generation} of {@code segment}. */
  public static boolean isHead(ByteBuf in, int at, long generation, int segment) {
    return in.getInt(at) == MAGIC
        && in.getLong(at + GENERATION) == generation
        && in.getInt(at + SEGMENT) == segment
        && in.getInt(at + COUNT) >= 0
        && in.getInt(at + LENGTH) >= 0;
  }

  public static int segment(ByteBuf in, int at) {
    return in.getInt(at + SEGMENT);
  }

  /** Bytes of the entries. */
  public static int length(ByteBuf in, int at) {
    return in.getInt(at + LENGTH);
  }

  /** Whether head and {@code entries}, borrowed, are unchanged. */
  public static boolean isWhole(ByteBuf in, int at, ByteBuf entries) {
    return in.getInt(at + CRC) == crc(in, at, entries);
  }

  private static int crc(ByteBuf head, int at, ByteBuf entries) {
    CRC32C crc = new CRC32C();
    crc.update(head.nioBuffer(at + GENERATION, HEAD_BYTES - GENERATION));
    crc.update(entries.nioBuffer());
    return (int) crc.getValue();
  }
}
