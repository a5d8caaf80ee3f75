package io.loligo.server.upstream.http1;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.transport.SmallPieces;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that have arrived on a connection and were not used yet: a head, then content by its
 * framing (RFC 9112 section 6). It owns them. Confined to the connection's event loop.
 */
final class ResponseInput {
  private final ParseLimits limits;
  private @Nullable ByteBuf bytes;
  private Framing framing = Framing.NONE;

  /** Bytes of content that are still to come; -1: unknown. */
  private long remaining;

  private @Nullable ChunkedDecoder chunks;

  /** The event behind small chunks that were joined. */
  private ChunkedDecoder.@Nullable Event ahead;

  private @Nullable ParseFailure failure;
  private @Nullable Fields trailers;

  ResponseInput(ParseLimits limits) {
    this.limits = limits;
  }

  /** Takes {@code arrived}. */
  void add(ByteBuf arrived) {
    bytes = bytes == null ? arrived : Unpooled.wrappedBuffer(bytes, arrived);
  }

  /** Whether no byte is left. */
  boolean isEmpty() {
    return bytes == null;
  }

  /** Releases the bytes. */
  void drop() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }

  /** Returns owned all bytes. */
  ByteBuf takeAll() {
    ByteBuf all = bytes == null ? Unpooled.EMPTY_BUFFER : bytes;
    bytes = null;
    return all;
  }

  /** Lets {@code heads} consume the bytes of a head. Legal if it is not empty. */
  Http1ResponseParser.Result readHead(HeadReader heads) {
    ByteBuf all = held();
    Http1ResponseParser.Result result = heads.read(all);
    dropIfRead(all);
    return result;
  }

  // ---- content

  /**
   * Content follows. Returns the fault of its framing or of the chunks that came with the head,
   * none of which is passed on then; or null.
   */
  @Nullable ParseFailure begin(Framing by) {
    framing = by;
    remaining = by.length();
    ahead = null;
    failure = null;
    trailers = null;
    if (by.kind() != Framing.Kind.CHUNKED) {
      return by.failure();
    }
    if (chunks == null) {
      chunks = new ChunkedDecoder(limits);
    }
    chunks.reset();
    return bytes == null ? null : chunks.preview(bytes);
  }

  /**
   * The next piece of content. Returns it owned; null: the bytes at hand have none, or {@link
   * #isComplete}, or {@link #failure}. Legal if it is not empty.
   */
  @Nullable ByteBuf next(ByteBufAllocator allocator) {
    return switch (framing.kind()) {
      case LENGTH -> {
        int length = (int) Math.min(remaining, held().readableBytes());
        remaining -= length;
        yield slice(length);
      }
      case CHUNKED -> nextOfChunks(decoder(), allocator);
      default -> takeAll();
    };
  }

  private @Nullable ByteBuf nextOfChunks(ChunkedDecoder decoder, ByteBufAllocator allocator) {
    ByteBuf all = held();
    ChunkedDecoder.Event event = ahead == null ? decoder.next(all) : ahead;
    ahead = null;
    switch (event) {
      case DATA -> {
        return decoder.dataLength() < SmallPieces.ENOUGH_BYTES
            ? small(decoder, allocator)
            : slice(decoder.dataLength());
      }
      case END -> {
        remaining = 0;
        trailers = decoder.trailers();
        dropIfRead(all);
      }
      case FAILED -> failure = decoder.failure();
      default -> drop();
    }
    return null;
  }

  /** Joins the small piece at hand and the following ones. */
  private ByteBuf small(ChunkedDecoder decoder, ByteBufAllocator allocator) {
    ByteBuf all = held();
    ByteBuf joined = null;
    ChunkedDecoder.Event event;
    do {
      joined = SmallPieces.join(joined, all, decoder.dataLength(), allocator);
      event = decoder.next(all);
    } while (event == ChunkedDecoder.Event.DATA && decoder.dataLength() < SmallPieces.ENOUGH_BYTES);
    ahead = event;
    return joined;
  }

  /** Bytes of content that are still to come; -1: unknown. */
  long remaining() {
    return remaining;
  }

  /** Whether all content was passed on. */
  boolean isComplete() {
    return remaining == 0;
  }

  /** The fault of the content; null: none so far. */
  @Nullable ParseFailure failure() {
    return failure;
  }

  /** Trailers of complete content; null: none. */
  @Nullable Fields trailers() {
    return trailers;
  }

  /** Whether content ends with the connection. */
  boolean lastsUntilClose() {
    return framing.kind() == Framing.Kind.UNTIL_CLOSE;
  }

  /**
   * Whether the peer is in the middle of content that it should be able to complete: not between
   * chunks, where an event stream waits for the next event.
   */
  boolean isInsidePiece() {
    return switch (framing.kind()) {
      case LENGTH -> true;
      case CHUNKED -> decoder().isInsideChunk();
      default -> false;
    };
  }

  private ChunkedDecoder decoder() {
    assert chunks != null : "begin makes it";
    return chunks;
  }

  private ByteBuf held() {
    assert bytes != null : "no byte has arrived";
    return bytes;
  }

  private void dropIfRead(ByteBuf all) {
    if (!all.isReadable()) {
      drop();
    }
  }

  /** Returns owned the next {@code length} bytes. */
  private ByteBuf slice(int length) {
    ByteBuf all = held();
    return length < all.readableBytes() ? all.readRetainedSlice(length) : takeAll();
  }
}
