package io.loligo.server.downstream.http1;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.downstream.stream.ContentSource;
import io.loligo.server.time.Pace;
import io.loligo.server.transport.SmallPieces;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request as HTTP/1 delimits it: by a length, or chunked (RFC 9112 section 6).
 * Confined to the client's event loop.
 */
final class RequestContent implements ContentSource {
  private final ReceivedBytes in;
  private final ByteBufAllocator allocator;
  private final @Nullable ChunkedDecoder chunks;
  private final @Nullable Pace pace;
  private long remainingBytes;
  private long bytesIn;
  private boolean ended;
  private int dataLength;

  /**
   * Content that arrives in {@code in}.
   *
   * @param pace at which it has to come while it is waited for; null: any
   */
  RequestContent(
      ReceivedBytes in,
      ByteBufAllocator allocator,
      Framing framing,
      ParseLimits limits,
      @Nullable Pace pace) {
    this.in = in;
    this.allocator = allocator;
    this.pace = pace;
    this.chunks = framing.kind() == Framing.Kind.CHUNKED ? new ChunkedDecoder(limits) : null;
    this.remainingBytes = framing.length();
    this.ended = chunks == null && remainingBytes == 0;
  }

  /** Why the bytes at hand are malformed; null: they are not. Call it before {@link #next}. */
  @Nullable ParseFailure preview() {
    return chunks == null || in.isEmpty() ? null : chunks.preview(in.bytes());
  }

  @Override
  public @Nullable Pace pace() {
    return pace;
  }

  @Override
  public Step next() {
    if (ended) {
      return Step.END;
    }
    if (in.isEmpty()) {
      return Step.NEED_MORE;
    }
    Step step = findNext();
    if (step == Step.NEED_MORE || step == Step.END) {
      in.releaseIfRead();
    }
    return step;
  }

  private Step findNext() {
    ByteBuf bytes = in.bytes();
    int before = bytes.readerIndex();
    Step step = chunks == null ? nextOfLength(bytes) : nextChunk(chunks, bytes);
    bytesIn += bytes.readerIndex() - before;
    return step;
  }

  private Step nextOfLength(ByteBuf bytes) {
    if (!bytes.isReadable()) {
      return Step.NEED_MORE;
    }
    dataLength = (int) Math.min(remainingBytes, bytes.readableBytes());
    remainingBytes -= dataLength;
    ended = remainingBytes == 0;
    return Step.DATA;
  }

  private Step nextChunk(ChunkedDecoder chunks, ByteBuf bytes) {
    return switch (chunks.next(bytes)) {
      case NEED_MORE -> Step.NEED_MORE;
      case DATA -> {
        dataLength = chunks.dataLength();
        yield Step.DATA;
      }
      case END -> {
        ended = true;
        yield Step.END;
      }
      case FAILED -> Step.FAILED;
    };
  }

  @Override
  public ByteBuf take() {
    boolean last = dataLength == in.bytes().readableBytes();
    if (last || dataLength >= SmallPieces.ENOUGH_BYTES) {
      bytesIn += dataLength;
      return in.take(dataLength);
    }
    return takeSmall();
  }

  /** The small piece at hand, and all following ones at hand. */
  private ByteBuf takeSmall() {
    ByteBuf joined = null;
    Step step;
    do {
      joined = SmallPieces.join(joined, in.bytes(), dataLength, allocator);
      bytesIn += dataLength;
      step = ended ? Step.END : findNext();
    } while (step == Step.DATA);
    if (step != Step.FAILED) {
      // the next call reports a failure
      in.releaseIfRead();
    }
    return joined;
  }

  /** After {@link Step#DATA}: drops that piece. */
  void skip() {
    in.bytes().skipBytes(dataLength);
    bytesIn += dataLength;
    in.releaseIfRead();
  }

  @Override
  public long bytesIn() {
    return bytesIn;
  }

  @Override
  public boolean ended() {
    return ended;
  }

  /** Whether the missing bytes may turn out to be {@code bytes} or fewer. */
  boolean mayEndWithin(long bytes) {
    return chunks != null || remainingBytes <= bytes;
  }

  @Override
  public @Nullable Fields trailers() {
    return chunks == null ? null : chunks.trailers();
  }

  @Override
  public ParseFailure failure() {
    ParseFailure failure = chunks == null ? null : chunks.failure();
    assert failure != null : "it has not failed";
    return failure;
  }
}
