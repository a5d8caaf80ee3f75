package io.loligo.server.exchange.client;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.netty.buffer.ByteBuf;

/**
 * The head of a final response as it goes to a client, and content that stands in the same block.
 * Reusable. Confined to its event loop.
 *
 * <p>An exchange loop owns one and begins it anew for each response, so that none is allocated. It
 * is valid until {@link ClientStream#head} is called: the stream reads all of it before it calls
 * anything else. The lines and the block are borrowed for that call.
 */
public final class OutgoingHead {
  private int status;
  private FieldLines lines;
  private ByteBuf block;
  private int index;
  private int length;
  private long contentLength;
  private boolean last;

  /** A new head without a block, for code that has none to reuse. */
  public static OutgoingHead of(int status, FieldLines lines) {
    return new OutgoingHead().begin(status, lines);
  }

  /**
   * Begins the head of another response. It has no block and no content so far.
   *
   * @param status final status
   * @param lines lines made for this response (Age, Via, Date ...), borrowed
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
   * Adds a block behind the lines. Its indices are neither used nor changed.
   *
   * @param block further field lines, the empty line that ends the head, then content; borrowed
   * @param index where the lines in {@code block} start
   * @param length bytes of {@code block} to send: lines, empty line, and the content behind them
   */
  public OutgoingHead block(ByteBuf block, int index, int length) {
    this.block = block;
    this.index = index;
    this.length = length;
    return this;
  }

  /**
   * Announces the content.
   *
   * @param contentLength bytes of the whole content (for HEAD: of the content that a GET would
   *     have), {@link ContentLength#UNKNOWN} or {@link ContentLength#NONE}
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

  /** Lines made for this response. */
  public FieldLines lines() {
    return lines;
  }

  /** The block; null where {@link #lines} is all: then the stream ends the head. */
  public ByteBuf block() {
    return block;
  }

  /** Where the field lines in {@link #block} start. */
  public int index() {
    return index;
  }

  /** Bytes of {@link #block} to send. */
  public int length() {
    return length;
  }

  /** As in {@link #content}. */
  public long contentLength() {
    return contentLength;
  }

  /** Whether the response is complete with this head and its block. */
  public boolean last() {
    return last;
  }
}
