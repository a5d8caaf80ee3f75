package io.loligo.store.disk.format;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredForm;
import io.loligo.core.caching.StoredMeta;
import io.netty.buffer.ByteBuf;
import java.util.OptionalInt;

/**
 * The first block of an object: key, meta, places of further pieces, field lines and the first
 * content. It is written last and commits the object. The accessors also work on the beginning of a
 * block, as in records, as far as it goes. Stateless; see {@code docs/disk-format.md}.
 */
public final class FirstBlock {
  /** Bytes in front of the key. */
  public static final int FIXED_BYTES = Block.HEADER_BYTES + 56;

  /** Bytes for the place of a piece. */
  public static final int PIECE_BYTES = 8;

  private static final int HIGH = Block.HEADER_BYTES;
  private static final int LOW = HIGH + 8;
  private static final int CONTENT_LENGTH = LOW + 8;
  private static final int FIRST_CONTENT = CONTENT_LENGTH + 8;
  private static final int FIELDS_LENGTH = FIRST_CONTENT + 4;
  private static final int KEY_LENGTH = FIELDS_LENGTH + 4;
  private static final int META_LENGTH = KEY_LENGTH + 4;
  private static final int PIECES = META_LENGTH + 4;
  private static final int PIECE_BLOCKS = PIECES + 4;
  private static final int VERSION = PIECE_BLOCKS + 4;

  private FirstBlock() {}

  /**
   * Bytes of a first block.
   *
   * @param headBytes of key, meta and field lines
   */
  public static int bytes(int headBytes, int pieces, int firstContent) {
    return FIXED_BYTES + headBytes + pieces * PIECE_BYTES + firstContent;
  }

  /**
   * Writes everything except the content, of which the caller appends exactly the length in {@code
   * layout}. Borrows everything. The block then needs its {@link #version} and a {@link
   * Block#seal}.
   *
   * @param meta its bytes, see {@link StoredForm}
   * @param pieces places of the pieces, may be empty
   */
  public static void begin(
      ByteBuf block,
      long id,
      long high,
      long low,
      CacheKey key,
      ByteBuf meta,
      Layout layout,
      long[] pieces,
      ByteBuf fields) {
    Block.begin(block, Block.FIRST, id, 0);
    block.writeLong(high);
    block.writeLong(low);
    block.writeLong(layout.contentLength());
    block.writeInt(layout.firstContent());
    block.writeInt(fields.readableBytes());
    block.writeInt(key.length());
    block.writeInt(meta.readableBytes());
    block.writeInt(pieces.length);
    block.writeInt(layout.pieceBlocks());
    block.writeLong(0);
    StoredForm.writeKey(key, block);
    block.writeBytes(meta, meta.readerIndex(), meta.readableBytes());
    for (long piece : pieces) {
      block.writeLong(piece);
    }
    block.writeBytes(fields, fields.readerIndex(), fields.readableBytes());
  }

  /** Whether the lengths in a whole first block are consistent. */
  public static boolean isSound(ByteBuf block) {
    return Block.length(block) >= FIXED_BYTES
        && keyLength(block) >= 0
        && block.getInt(META_LENGTH) >= 0
        && pieces(block) >= 0
        && fieldsLength(block) >= 0
        && firstContent(block) >= 0
        && (pieces(block) == 0 || pieceBlocks(block) > 0)
        && sum(block) == Block.length(block)
        && firstContent(block) <= contentLength(block)
        && (pieces(block) > 0 || firstContent(block) == contentLength(block));
  }

  private static long sum(ByteBuf block) {
    return (long) FIXED_BYTES
        + keyLength(block)
        + block.getInt(META_LENGTH)
        + (long) pieces(block) * PIECE_BYTES
        + fieldsLength(block)
        + firstContent(block);
  }

  public static long high(ByteBuf block) {
    return block.getLong(HIGH);
  }

  public static long low(ByteBuf block) {
    return block.getLong(LOW);
  }

  /** Of two first blocks with the same hash the one of the higher version counts. */
  public static long version(ByteBuf block) {
    return block.getLong(VERSION);
  }

  public static void version(ByteBuf block, long version) {
    block.setLong(VERSION, version);
  }

  /** Further blocks in a full piece. */
  static int pieceBlocks(ByteBuf block) {
    return block.getInt(PIECE_BLOCKS);
  }

  public static long contentLength(ByteBuf block) {
    return block.getLong(CONTENT_LENGTH);
  }

  /** Bytes of content in this block. */
  public static int firstContent(ByteBuf block) {
    return block.getInt(FIRST_CONTENT);
  }

  public static int fieldsLength(ByteBuf block) {
    return block.getInt(FIELDS_LENGTH);
  }

  static int keyLength(ByteBuf block) {
    return block.getInt(KEY_LENGTH);
  }

  /** Pieces of further content. */
  public static int pieces(ByteBuf block) {
    return block.getInt(PIECES);
  }

  /** Where piece {@code number} stands. */
  static long piece(ByteBuf block, int number) {
    return block.getLong(piecesStart(block) + number * PIECE_BYTES);
  }

  public static void piece(ByteBuf block, int number, long place) {
    block.setLong(piecesStart(block) + number * PIECE_BYTES, place);
  }

  public static long[] allPieces(ByteBuf block) {
    long[] places = new long[pieces(block)];
    for (int i = 0; i < places.length; i++) {
      places[i] = piece(block, i);
    }
    return places;
  }

  /** Bytes of the meta. */
  public static int metaLength(ByteBuf block) {
    return block.getInt(META_LENGTH);
  }

  private static int metaStart(ByteBuf block) {
    return FIXED_BYTES + keyLength(block);
  }

  private static int piecesStart(ByteBuf block) {
    return metaStart(block) + block.getInt(META_LENGTH);
  }

  /** Index of the field lines. */
  public static int fieldsStart(ByteBuf block) {
    return piecesStart(block) + pieces(block) * PIECE_BYTES;
  }

  /** Whether it is of {@code key}. */
  public static boolean isOf(CacheKey key, ByteBuf block) {
    return StoredForm.isKey(key, block, FIXED_BYTES, keyLength(block));
  }

  /**
   * Whether it is, or may be, stored under another key of a URL than its own; for a beginning as
   * far as that tells.
   */
  public static boolean mayBeAlternative(ByteBuf block) {
    return StoredForm.mayBeAlternative(block, FIXED_BYTES, keyThere(block), keyLength(block));
  }

  /** {@link CacheKey#pathHash} of its key; empty if a beginning does not tell. */
  public static OptionalInt pathHash(ByteBuf block) {
    return StoredForm.pathHash(block, FIXED_BYTES, keyThere(block), keyLength(block));
  }

  private static int keyThere(ByteBuf block) {
    return Math.min(keyLength(block), block.writerIndex() - FIXED_BYTES);
  }

  public static CacheKey key(ByteBuf block) {
    return StoredForm.readKey(block, FIXED_BYTES, keyLength(block));
  }

  /**
   * The meta.
   *
   * @throws RuntimeException there is no valid meta; not in a verified block
   */
  public static StoredMeta meta(ByteBuf block) {
    return StoredForm.readMeta(block.slice(metaStart(block), block.getInt(META_LENGTH)));
  }
}
