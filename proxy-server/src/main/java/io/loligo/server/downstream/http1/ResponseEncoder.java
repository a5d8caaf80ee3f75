package io.loligo.server.downstream.http1;

import io.loligo.core.http1.ChunkedEncoder;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.server.downstream.stream.ResponseWriter;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.transport.WriteTally;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes responses in HTTP/1 syntax (RFC 9112 sections 4 to 7): one at a time, from {@link #start}
 * to {@link #end}. Confined to the client's event loop.
 */
final class ResponseEncoder implements ResponseWriter {
  /** Responses and chunks up to this size are copied into one buffer, larger ones are gathered. */
  static final int COPY_LIMIT_BYTES = 16_384;

  // at most: a length line, or Transfer-Encoding, a chunk's lines, the last chunk and an empty line
  private static final int FRAMING_BYTES = 64;
  private static final byte[] CLOSE = ascii("Connection: close\r\n");
  private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
  private static final byte[] UPGRADE = ascii("Connection: upgrade\r\n");
  private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
  private static final byte[] NONE = {};
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final ByteBuf CHUNK_END = constant("\r\n");
  private static final ByteBuf OVERLOADED =
      constant(
          "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
              + "Connection: close\r\n\r\n");

  private static final byte[] CONTINUE = ascii("HTTP/1.1 100 Continue\r\n\r\n");

  private final ChannelHandlerContext context;
  private final WriteTally tally;
  private long announcedBytes;
  private long sentBytes;
  private long headBytes;
  private boolean version11;
  private boolean headMethod;
  private boolean headSent;
  private boolean chunked;
  private boolean untilClose;

  /** Responses written by {@code context} and counted by {@code tally}. */
  ResponseEncoder(ChannelHandlerContext context, WriteTally tally) {
    this.context = context;
    this.tally = tally;
  }

  /** Bytes that are available without further memory; a duplicate of them is written. */
  private static ByteBuf constant(String text) {
    return new ConstantBuf(ascii(text));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Begins a response to a client of HTTP/1.1 or 1.0, to HEAD or another method. */
  void start(boolean version11, boolean headMethod) {
    this.version11 = version11;
    this.headMethod = headMethod;
    announcedBytes = ContentLength.UNKNOWN;
    sentBytes = 0;
    headBytes = 0;
    headSent = false;
    chunked = false;
    untilClose = false;
  }

  @Override
  public boolean headSent() {
    return headSent;
  }

  @Override
  public boolean takesInterim() {
    return version11;
  }

  @Override
  public boolean headMethod() {
    return headMethod;
  }

  @Override
  public long headBytes() {
    return headBytes;
  }

  /** Whether only the end of the connection ends the content. */
  boolean untilClose() {
    return untilClose;
  }

  @Override
  public boolean exceeded(int more) {
    return announcedBytes >= 0 && sentBytes + more > announcedBytes;
  }

  @Override
  public boolean incomplete() {
    return announcedBytes >= 0 && sentBytes != announcedBytes;
  }

  @Override
  public void writeContinue() {
    headBytes += CONTINUE.length;
    write(allocator().directBuffer(CONTINUE.length).writeBytes(CONTINUE));
  }

  @Override
  public void writeInterim(int status, FieldLines lines) {
    byte[] statusLine = StatusLines.of(status);
    ByteBuf out = allocator().directBuffer(statusLine.length + lines.length() + FRAMING_BYTES);
    out.writeBytes(statusLine);
    lines.writeTo(out);
    ChunkedEncoder.writeEnd(out);
    headBytes += out.readableBytes();
    write(out);
  }

  @Override
  public void writeOverloaded() {
    announcedBytes = 0;
    headBytes += OVERLOADED.readableBytes();
    write(OVERLOADED.duplicate());
  }

  /** Decides how the content is delimited, before {@link #writeHead}. */
  void frame(long contentLength) {
    headSent = true;
    if (headMethod) {
      announcedBytes = 0;
    } else if (contentLength == ContentLength.UNKNOWN) {
      chunked = version11;
      untilClose = !version11;
    } else {
      announcedBytes = Math.max(0, contentLength);
    }
  }

  /** The Connection line, which depends on whether the connection persists. */
  byte[] connectionLine(boolean upgrading, boolean tunnelling, boolean closing) {
    if (upgrading) {
      return UPGRADE;
    }
    if (tunnelling) {
      return NONE;
    }
    if (closing) {
      return CLOSE;
    }
    return version11 ? NONE : KEEP_ALIVE;
  }

  /** Writes the final head, borrowed, with this Connection line. */
  void writeHead(OutgoingHead head, byte[] connection) {
    byte[] statusLine = StatusLines.of(head.status());
    FieldLines lines = head.lines();
    ByteBuf block = head.block();
    int index = head.index();
    long contentLength = head.contentLength();
    int blockHead = head.blockHeadBytes(headMethod);
    int blockContent = block == null ? 0 : head.length() - blockHead;
    int room = statusLine.length + lines.length() + connection.length + FRAMING_BYTES + blockHead;
    boolean copied = blockContent <= COPY_LIMIT_BYTES;
    ByteBuf out = allocator().directBuffer(copied ? room + blockContent : room);
    out.writeBytes(statusLine);
    lines.writeTo(out);
    out.writeBytes(connection);
    if (contentLength >= 0) {
      writeContentLength(out, contentLength);
    } else if (chunked) {
      out.writeBytes(CHUNKED);
    }
    if (block == null) {
      ChunkedEncoder.writeEnd(out);
    } else {
      out.writeBytes(block, index, blockHead);
    }
    headBytes += out.readableBytes();
    writeContent(out, block, index + blockHead, blockContent, head.last());
  }

  private void writeContentLength(ByteBuf out, long length) {
    out.writeBytes(CONTENT_LENGTH);
    int digits = 1;
    for (long rest = length / 10; rest > 0; rest /= 10) {
      digits++;
    }
    int start = out.writerIndex();
    out.writerIndex(start + digits);
    long rest = length;
    for (int at = start + digits - 1; at >= start; at--) {
      out.setByte(at, (int) ('0' + rest % 10));
      rest /= 10;
    }
    ChunkedEncoder.writeEnd(out);
  }

  /** Content in the head's block; takes {@code out}, borrows {@code block}. */
  private void writeContent(
      ByteBuf out, @Nullable ByteBuf block, int index, int length, boolean last) {
    sentBytes += length;
    boolean inChunk = chunked && length > 0;
    if (inChunk) {
      ChunkedEncoder.writeHeader(out, length);
    }
    if (length > COPY_LIMIT_BYTES) {
      assert block != null : "it has content";
      write(out);
      write(block.retainedSlice(index, length));
      if (chunked) {
        writeChunkEnd(allocator().directBuffer(FRAMING_BYTES), true, last);
      }
      return;
    }
    if (length > 0) {
      assert block != null : "it has content";
      out.writeBytes(block, index, length);
    }
    writeChunkEnd(out, inChunk, last);
  }

  private void writeChunkEnd(ByteBuf out, boolean inChunk, boolean last) {
    if (inChunk) {
      ChunkedEncoder.writeEnd(out);
    }
    if (chunked && last) {
      ChunkedEncoder.writeLast(out);
    }
    write(out);
  }

  @Override
  public void writeContent(ByteBuf content) {
    int length = content.readableBytes();
    sentBytes += length;
    if (!chunked) {
      write(content);
      return;
    }
    boolean copied = length <= COPY_LIMIT_BYTES;
    int framing = ChunkedEncoder.headerLength(length) + ChunkedEncoder.CRLF_LENGTH;
    ByteBuf out;
    try {
      out = allocator().directBuffer(copied ? length + framing : framing);
    } catch (OutOfMemoryError e) {
      content.release();
      throw e;
    }
    ChunkedEncoder.writeHeader(out, length);
    if (copied) {
      out.writeBytes(content);
      content.release();
      ChunkedEncoder.writeEnd(out);
      write(out);
    } else {
      write(out);
      write(content);
      write(CHUNK_END.duplicate());
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (!chunked) {
      return;
    }
    if (trailers == null || trailers.count() == 0) {
      ByteBuf out = allocator().directBuffer(ChunkedEncoder.LAST_LENGTH);
      ChunkedEncoder.writeLast(out);
      write(out);
      return;
    }
    FieldLines lines = new FieldLines(256);
    for (int i = 0; i < trailers.count(); i++) {
      lines.add(trailers, i);
    }
    ByteBuf out = allocator().directBuffer(lines.length() + ChunkedEncoder.LAST_LENGTH);
    ChunkedEncoder.writeLastSize(out);
    lines.writeTo(out);
    ChunkedEncoder.writeEnd(out);
    write(out);
  }

  private ByteBufAllocator allocator() {
    return context.alloc();
  }

  private void write(ByteBuf out) {
    tally.write(context, out);
  }
}
