package io.loligo.server.downstream.http2;

import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.server.downstream.stream.ResponseWriter;
import io.loligo.server.exchange.client.OutgoingHead;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Writes the responses of one stream as frames. Confined to the client's event loop. */
final class StreamWriter implements ResponseWriter {
  private final Http2Stream stream;
  private final Output output;
  private final LoopCodecs codecs;
  private long announcedBytes;
  private long sentBytes;
  private long headBytes;
  private boolean headMethod;
  private boolean headSent;

  StreamWriter(Http2Stream stream, Output output, LoopCodecs codecs) {
    this.stream = stream;
    this.output = output;
    this.codecs = codecs;
  }

  /** Begins a response, to HEAD or another method. */
  void start(boolean toHead) {
    headMethod = toHead;
    announcedBytes = ContentLength.UNKNOWN;
    sentBytes = 0;
    headBytes = 0;
    headSent = false;
  }

  @Override
  public boolean takesInterim() {
    return true;
  }

  @Override
  public boolean headSent() {
    return headSent;
  }

  @Override
  public boolean headMethod() {
    return headMethod;
  }

  @Override
  public long headBytes() {
    return headBytes;
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
    headers(100, new FieldLines(0), false);
  }

  @Override
  public void writeInterim(int status, FieldLines lines) {
    headers(status, lines, false);
  }

  @Override
  public void writeOverloaded() {
    announcedBytes = 0;
    headSent = true;
    headers(503, new FieldLines(16).add("Retry-After", "1"), true);
  }

  private void headers(int status, FieldLines lines, boolean last) {
    int start = output.headers(HpackEncoder.maxBytes(lines.length()));
    ByteBuf out = output.block();
    int blockStart = out.writerIndex();
    HpackEncoder.status(out, status);
    HpackEncoder.lines(out, lines.bytes(), 0, lines.length());
    headBytes += out.writerIndex() - blockStart;
    output.head(stream, start, last);
  }

  /** Writes the final head, borrowed, and the content in its block. */
  void writeHead(OutgoingHead head) {
    long contentLength = head.contentLength();
    headSent = true;
    announcedBytes =
        headMethod
            ? 0
            : contentLength == ContentLength.UNKNOWN ? contentLength : Math.max(0, contentLength);
    FieldLines lines = head.lines();
    ByteBuf block = head.block();
    int length = head.length();
    int headLength = head.blockHeadBytes(headMethod);
    int start = output.headers(HpackEncoder.maxBytes(lines.length() + headLength) + 16);
    ByteBuf out = output.block();
    int blockStart = out.writerIndex();
    HpackEncoder.status(out, head.status());
    byte[] scratch = codecs.scratch(Math.max(lines.length(), headLength));
    System.arraycopy(lines.bytes(), 0, scratch, 0, lines.length());
    HpackEncoder.lines(out, scratch, 0, lines.length());
    if (contentLength >= 0) {
      HpackEncoder.contentLength(out, contentLength);
    }
    if (block != null) {
      block.getBytes(head.index(), scratch, 0, headLength);
      HpackEncoder.lines(out, scratch, 0, headLength);
    }
    headBytes += out.writerIndex() - blockStart;
    int content = headMethod ? 0 : length - headLength;
    output.head(stream, start, head.last() && content == 0);
    if (content > 0) {
      assert block != null : "it has content";
      sentBytes += content;
      output.content(stream, block, head.index() + headLength, content, head.last());
    }
  }

  @Override
  public void writeContent(ByteBuf content) {
    sentBytes += content.readableBytes();
    output.content(stream, content);
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (trailers == null || trailers.count() == 0) {
      output.end(stream, null);
      return;
    }
    FieldLines lines = new FieldLines(256);
    for (int i = 0; i < trailers.count(); i++) {
      lines.add(trailers, i);
    }
    output.end(stream, lines);
  }
}
