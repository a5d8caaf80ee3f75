package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;

/**
 * How the content of one object is spread over its first block and its pieces. Immutable.
 *
 * @param contentLength octets of content
 * @param firstContent of these, in the first block
 * @param pieceContent in a full piece
 */
record Layout(long contentLength, int firstContent, long pieceContent) {
  /**
   * Left in the first block of an object with pieces, for a head that grows when it is freshened.
   */
  private static final int HEAD_SLACK_BYTES = 1024;

  /**
   * The layout of an object whose key, meta and field lines take {@code headBytes}; null where it
   * cannot be stored.
   */
  static Layout of(long contentLength, int headBytes, Geometry geometry) {
    int room = Block.MAX_BYTES - FirstBlock.FIXED_BYTES - headBytes;
    if (room < 0 || contentLength > geometry.maxContentBytes()) {
      return null;
    }
    if (contentLength <= room) {
      return new Layout(contentLength, (int) contentLength, geometry.pieceContent());
    }
    long most = (contentLength + geometry.pieceContent() - 1) / geometry.pieceContent();
    int first = room - (int) most * FirstBlock.PIECE_BYTES - HEAD_SLACK_BYTES;
    return first < 0 ? null : new Layout(contentLength, first, geometry.pieceContent());
  }

  /** As a first block of an object says. */
  static Layout of(ByteBuf block, Geometry geometry) {
    return new Layout(
        FirstBlock.contentLength(block), FirstBlock.firstContent(block), geometry.pieceContent());
  }

  /** Pieces of content behind the first block. */
  int pieces() {
    return (int) ((contentLength - firstContent + pieceContent - 1) / pieceContent);
  }

  /** Content in piece {@code number}. */
  long contentOfPiece(int piece) {
    return Math.min(pieceContent, contentLength - firstContent - piece * pieceContent);
  }

  /** Octets of disk that piece {@code number} takes. */
  int bytesOf(int piece) {
    return Geometry.pieceBytes(contentOfPiece(piece));
  }

  int fullPieceBytes() {
    return Geometry.pieceBytes(pieceContent);
  }

  /** Octets of disk that the last piece takes, 0 where there is none. */
  int lastPieceBytes() {
    int pieces = pieces();
    return pieces == 0 ? 0 : bytesOf(pieces - 1);
  }

  /** Octets of disk all pieces take. */
  long pieceBytes() {
    int pieces = pieces();
    return pieces == 0 ? 0 : (long) (pieces - 1) * fullPieceBytes() + lastPieceBytes();
  }

  /** Number of the further block, from 0, in which the content at {@code offset} stands. */
  long blockAt(long offset) {
    return (offset - firstContent) / Block.FURTHER_CONTENT;
  }

  /** Offset of the first content of further block {@code block}. */
  long startOf(long block) {
    return firstContent + block * Block.FURTHER_CONTENT;
  }

  /** Content in further block {@code block}. */
  int contentOfBlock(long block) {
    return (int) Math.min(Block.FURTHER_CONTENT, contentLength - startOf(block));
  }

  /** Where further block {@code block} stands. */
  long placeOf(long block, long[] pieces) {
    long perPiece = pieceContent / Block.FURTHER_CONTENT;
    long piece = pieces[(int) (block / perPiece)];
    return piece + block % perPiece * Block.MAX_BYTES;
  }
}
