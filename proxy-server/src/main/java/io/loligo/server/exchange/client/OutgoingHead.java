package io.loligo.server.exchange.client;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The head of a final response to a client, and any content in the same block. Reusable. Confined
 * to its event loop.
 *
 * <p>An event loop owns one object and reuses it for each response, so that none is allocated. The
 * object is valid until {@link ClientStream#head} returns: the stream reads all of it before it
 * calls anything else. The lines and the block are borrowed for that call.
 */
public final class OutgoingHead {
  private int status;
  private @Nullable FieldLines lines;
  private @Nullable ByteBuf block;
  private int index;
  private int length;
  private long contentLength;
  private boolean last;

  /**
   * Returns a new head without a block, for code that has none to reuse.
   *
   * @param lines see {@link #begin}, borrowed
   */
  public static OutgoingHead of(int status, FieldLines lines) {
    return new OutgoingHead().begin(status, lines);
  }

  /**
   * Begins the head of another response, without a block and without content. Returns itself.
   *
   * @param status a final status: 200 or more
   * @param lines the lines specific to this response (Age, Via, Date ...), borrowed
   */
  public OutgoingHead begin(int status, FieldLines lines) {
    this.status = status;
    this.lines = lines;
    block = null;
    index = 0;
    length = 0;
    contentLength = 0;
    last = false;
    return this;
  }

  /**
   * Adds a block after the lines. Its reader and writer indices are neither used nor changed.
   * Returns itself.
   *
   * @param block further field lines, the empty line that ends the head, then content; borrowed
   * @param index where the lines in {@code block} start
   * @param length bytes of {@code block} to send: lines, empty line and the content after them
   */
  public OutgoingHead block(@Nullable ByteBuf block, int index, int length) {
    this.block = block;
    this.index = index;
    this.length = length;
    return this;
  }

  /**
   * Announces the content. Returns itself.
   *
   * @param contentLength bytes of the whole content (for HEAD: of the content that a GET would
   *     get), {@link ContentLength#UNKNOWN} or {@link ContentLength#NONE}
   * @param last whether the response is complete with this head and its block
   */
  public OutgoingHead content(long contentLength, boolean last) {
    this.contentLength = contentLength;
    this.last = last;
    return this;
  }

  public int status() {
    return status;
  }

  /** The lines specific to this response, borrowed. */
  public FieldLines lines() {
    assert lines != null : "not begun";
    return lines;
  }

  /** The block, borrowed. Null if there are only {@link #lines}: the stream then ends the head. */
  public @Nullable ByteBuf block() {
    return block;
  }

  /** The index in {@link #block} at which the field lines start. */
  public int index() {
    return index;
  }

  /** The number of bytes of {@link #block} to send. */
  public int length() {
    return length;
  }

  /**
   * The bytes of {@link #block} that belong to the head, with the empty line; the rest is content.
   *
   * @param toHead whether the response is one to HEAD, so that there is no content
   */
  public int blockHeadBytes(boolean toHead) {
    ByteBuf lines = block;
    if (lines == null) {
      return 0;
    }
    if (toHead || contentLength == ContentLength.NONE) {
      return length;
    }
    if (last && contentLength >= 0 && contentLength <= length) {
      return length - (int) contentLength;
    }
    int end = index + length;
    int lineStart = index;
    while (lineStart < end) {
      int newline = lines.indexOf(lineStart, end, (byte) '\n');
      if (newline < 0) {
        return length;
      }
      if (newline - lineStart == 1) {
        return newline + 1 - index;
      }
      lineStart = newline + 1;
    }
    return length;
  }

  /** The announced content length, see {@link #content}. */
  public long contentLength() {
    return contentLength;
  }

  /** Whether the response is complete with this head and its block. */
  public boolean last() {
    return last;
  }
}
