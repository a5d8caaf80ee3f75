package io.loligo.store.disk.format;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of one response's content over its first block and its pieces. Immutable.
 *
 * @param contentLength bytes of content
 * @param firstContent of these, in the first block
 * @param pieceBlocks further blocks in a full piece
 */
public record Layout(long contentLength, int firstContent, int pieceBlocks) {
  /**
   * Bytes left free in the first block of a response with pieces, for a head that grows when it is
   * freshened.
   */
  private static final int HEAD_SLACK_BYTES = 1024;

  /**
   * The layout of a response whose key, meta and field lines take {@code headBytes}; null if it
   * cannot be stored.
   */
  public static @Nullable Layout of(long contentLength, int headBytes, Geometry geometry) {
    int room = Block.MAX_BYTES - FirstBlock.FIXED_BYTES - headBytes;
    if (room < 0 || contentLength > geometry.maxContentBytes()) {
      return null;
    }
    int pieceBlocks = geometry.pieceBlocks();
    if (contentLength <= room) {
      return new Layout(contentLength, (int) contentLength, pieceBlocks);
    }
    long pieceContent = pieceContent(pieceBlocks);
    long most = (contentLength + pieceContent - 1) / pieceContent;
    int first = room - (int) most * FirstBlock.PIECE_BYTES - HEAD_SLACK_BYTES;
    return first < 0 ? null : new Layout(contentLength, first, pieceBlocks);
  }

  /** The layout that a first block states. */
  public static Layout of(ByteBuf block) {
    return new Layout(
        FirstBlock.contentLength(block),
        FirstBlock.firstContent(block),
        FirstBlock.pieceBlocks(block));
  }

  private static long pieceContent(int pieceBlocks) {
    return (long) pieceBlocks * Block.FURTHER_CONTENT;
  }

  /** Content in a full piece. */
  long pieceContent() {
    return pieceContent(pieceBlocks);
  }

  /** Pieces of content after the first block. */
  public int pieces() {
    return (int) ((contentLength - firstContent + pieceContent() - 1) / pieceContent());
  }

  /** Content in piece {@code piece}. */
  long contentOfPiece(int piece) {
    return Math.min(pieceContent(), contentLength - firstContent - piece * pieceContent());
  }

  /** Further blocks in piece {@code piece}. */
  public int blocksOf(int piece) {
    return (int) ((contentOfPiece(piece) - 1) / Block.FURTHER_CONTENT) + 1;
  }

  /** Bytes of disk that piece {@code piece} takes: whole pages. */
  public int bytesOf(int piece) {
    return pieceBytes(contentOfPiece(piece));
  }

  /** Bytes of disk that a piece of {@code content} takes: whole pages. */
  static int pieceBytes(long content) {
    int full = (int) (content / Block.FURTHER_CONTENT);
    int rest = (int) (content % Block.FURTHER_CONTENT);
    return full * Block.STRIDE + (rest == 0 ? 0 : Block.pages(rest + Block.HEADER_BYTES));
  }

  public int fullPieceBytes() {
    return pieceBlocks * Block.STRIDE;
  }

  /** Bytes of disk that the last piece takes, 0 where there is none. */
  public int lastPieceBytes() {
    int pieces = pieces();
    return pieces == 0 ? 0 : bytesOf(pieces - 1);
  }

  /** Bytes of disk that all pieces take. */
  public long pieceBytes() {
    int pieces = pieces();
    return pieces == 0 ? 0 : (long) (pieces - 1) * fullPieceBytes() + lastPieceBytes();
  }

  /** Number of the further block, from 0, in which the content at {@code offset} stands. */
  public long blockAt(long offset) {
    return (offset - firstContent) / Block.FURTHER_CONTENT;
  }

  /** Further blocks that are contiguous from further block {@code block} on. */
  public int blocksFrom(long block) {
    return blocksOf((int) (block / pieceBlocks)) - (int) (block % pieceBlocks);
  }

  /** Offset of the first content of further block {@code block}. */
  public long startOf(long block) {
    return firstContent + block * Block.FURTHER_CONTENT;
  }

  /** Content in further block {@code block}. */
  public int contentOfBlock(long block) {
    return (int) Math.min(Block.FURTHER_CONTENT, contentLength - startOf(block));
  }

  /** Where further block {@code block} stands. */
  public long placeOf(long block, long[] pieces) {
    return pieces[(int) (block / pieceBlocks)] + block % pieceBlocks * Block.STRIDE;
  }
}
