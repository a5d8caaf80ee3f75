package io.loligo.server.downstream.http2;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.downstream.stream.ContentSource;
import io.loligo.server.time.Pace;
import io.loligo.server.transport.SmallPieces;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request, from its DATA frames. Unread bytes are entered in the ledger of bytes
 * in transit; the stream's window bounds them. Confined to the client's event loop.
 */
final class StreamContent implements ContentSource {
  /** Told that the exchange has read bytes, so that the client may send as many again. */
  interface Reader {
    /** {@code bytes} of the window are free again. */
    void read(int bytes);
  }

  private final ByteBufAllocator allocator;
  private final MemoryLedger transit;
  private final @Nullable Pace pace;
  private final Reader reader;
  private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(2);

  /** Announced bytes that did not arrive yet; negative: not announced. */
  private long missing;

  private final boolean announced;
  private int heldBytes;
  private long bytesIn;
  private boolean whole;
  private @Nullable Fields trailers;

  /**
   * Content of {@code contentLength} bytes, or of an unknown length if that is negative.
   *
   * @param pace at which it has to come while it is waited for; null: any
   */
  StreamContent(
      ByteBufAllocator allocator,
      MemoryLedger transit,
      long contentLength,
      @Nullable Pace pace,
      Reader reader) {
    this.allocator = allocator;
    this.transit = transit;
    this.announced = contentLength >= 0;
    this.missing = contentLength;
    this.pace = pace;
    this.reader = reader;
  }

  /** Adds {@code payload}, borrowed and read; false: there is more than announced. */
  boolean add(ByteBuf payload) {
    int length = payload.readableBytes();
    missing -= length;
    if (announced && missing < 0) {
      return false;
    }
    bytesIn += length;
    if (length == 0) {
      return true;
    }
    ByteBuf last = pieces.peekLast();
    if (length < SmallPieces.ENOUGH_BYTES) {
      // a small piece would keep all of its read's buffer
      boolean joins = last != null && last.readableBytes() < SmallPieces.ENOUGH_BYTES;
      ByteBuf joined =
          SmallPieces.join(joins ? pieces.pollLast() : null, payload, length, allocator);
      pieces.addLast(joined);
    } else {
      pieces.addLast(payload.readRetainedSlice(length));
    }
    heldBytes += length;
    transit.force(length);
    return true;
  }

  /** The last frame has arrived; false: there is less than announced. */
  boolean finish(@Nullable Fields trailerFields) {
    whole = true;
    trailers = trailerFields;
    return !announced || missing == 0;
  }

  /** Whether pieces, or the end, are at hand. */
  boolean atHand() {
    return whole || !pieces.isEmpty();
  }

  /** Drops the unread pieces. */
  void release() {
    for (ByteBuf piece = pieces.poll(); piece != null; piece = pieces.poll()) {
      piece.release();
    }
    int dropped = heldBytes;
    heldBytes = 0;
    if (dropped > 0) {
      transit.release(dropped);
      reader.read(dropped);
    }
  }

  @Override
  public Step next() {
    if (!pieces.isEmpty()) {
      return Step.DATA;
    }
    return whole ? Step.END : Step.NEED_MORE;
  }

  @Override
  public ByteBuf take() {
    ByteBuf piece = pieces.remove();
    int length = piece.readableBytes();
    heldBytes -= length;
    transit.release(length);
    reader.read(length);
    return piece;
  }

  @Override
  public boolean ended() {
    return whole && pieces.isEmpty();
  }

  @Override
  public long bytesIn() {
    return bytesIn;
  }

  @Override
  public @Nullable Pace pace() {
    return pace;
  }

  @Override
  public @Nullable Fields trailers() {
    return trailers;
  }

  @Override
  public ParseFailure failure() {
    throw new IllegalStateException("a stream with malformed content is reset");
  }
}
