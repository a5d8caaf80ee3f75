package io.loligo.server.exchange.query;

import io.loligo.core.caching.ContentDigest;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Reads the content of a QUERY before the cache decision, because the content is part of the key
 * (RFC 10008 section 2.7). Replays it to the origin as often as needed. If the content exceeds
 * {@code loligo_query_content_max} or has trailers, the rest is streamed and the request bypasses
 * the cache. Confined to the client's event loop.
 *
 * <pre>
 *   phase    entered by                left by
 *   TAKING   start                     complete, too large, failed, gone
 *   ANSWERED decided                   end of the response, gone
 * </pre>
 */
public final class QueryContent extends Suspension {
  /** Continues with the request after its content was read. Called on the event loop. */
  public interface Continuation {
    /**
     * The content has been read, or as much of it as is held.
     *
     * @param request its stream replays the content
     * @param content the digest of the whole content; null if the content is too large or has
     *     trailers
     * @return the next part of the exchange, or null if the response is complete
     */
    @Nullable ClientEvents taken(Request request, @Nullable ContentDigest content);

    /** The content is malformed. */
    void refused(Request request, ParseFailure failure);

    /** The content is no longer held. Called once. */
    void released();
  }

  private final int maxBytes;
  private final Continuation continuation;

  /** The client's own stream; null until the content has been read. */
  private @Nullable ClientStream client;

  private @Nullable ByteBuf kept;
  private @Nullable Fields trailers;
  private boolean whole;
  private boolean released;
  private boolean asked;

  /** Progress of the replay: 0 nothing, 1 all held bytes, 2 the end too. */
  private int given;

  /** The number of the request to the origin that receives the content. */
  private int attempt;

  /**
   * Prepares to read the content of {@code request}, a snapshot, of which at most {@code maxBytes}
   * are held.
   */
  public QueryContent(Request request, int maxBytes, Continuation continuation) {
    super(request);
    this.maxBytes = maxBytes;
    this.continuation = continuation;
  }

  /** Begins to read. Returns itself. */
  public ClientEvents start() {
    // -1 if the length is unknown
    int expected = (int) Math.max(0, Math.min(maxBytes, request().contentLength()));
    ClientStream stream = request().stream();
    kept = stream.allocator().directBuffer(expected);
    kept.touch("QueryContent: content of a QUERY, for its key and the origin");
    stream.sendContinue();
    stream.readContent();
    return this;
  }

  @Override
  public void content(ByteBuf content) {
    if (resumed() || released) {
      super.content(content);
    } else if (kept().readableBytes() + content.readableBytes() <= maxBytes) {
      kept().writeBytes(content);
      content.release();
      request().stream().readContent();
    } else {
      kept().writeBytes(content); // exceeds the limit by at most one read
      content.release();
      decide(null);
    }
  }

  @Override
  public void contentEnd(@Nullable Fields trailers) {
    if (resumed() || released) {
      super.contentEnd(trailers);
    } else {
      whole = true;
      if (trailers != null && trailers.count() > 0) {
        this.trailers = trailers.snapshot();
        decide(null);
      } else {
        decide(digest());
      }
    }
  }

  /** The content that is held. */
  private ByteBuf kept() {
    assert kept != null : "not started";
    return kept;
  }

  private ContentDigest digest() {
    ByteBuf held = kept();
    byte[] bytes = new byte[held.readableBytes()];
    held.getBytes(held.readerIndex(), bytes);
    return new ContentDigest(request().head().fields()).update(bytes, bytes.length);
  }

  private void decide(@Nullable ContentDigest content) {
    ClientStream own = request().stream();
    client = own;
    request().answerTo(new Replaying(own, this));
    resume(
        () -> {
          ClientEvents next = continuation.taken(request(), content);
          if (next == null) {
            release();
          }
          return next;
        });
  }

  // ---- replay

  private ClientStream client() {
    assert client != null : "the content has not been read";
    return client;
  }

  /**
   * Requests the next piece of the replay: the held bytes, the end, or content that still arrives.
   * The piece is delivered by a later task of the event loop.
   */
  void next() {
    if (!asked) {
      asked = true;
      int of = attempt;
      client().loop().execute(() -> give(of));
    }
  }

  private void give(int of) {
    if (of != attempt) {
      return; // requested by an attempt that was abandoned since
    }
    asked = false;
    if (!resumed() || released) {
      return;
    }
    if (given == 0 && kept().isReadable()) {
      given = 1;
      super.content(kept().retainedDuplicate());
    } else if (!whole) {
      given = 1;
      client().readContent();
    } else if (given < 2) {
      given = 2;
      super.contentEnd(trailers);
    }
  }

  /**
   * Restarts the replay for another request to the origin, if all content is held. Returns whether
   * it did.
   */
  boolean rewind() {
    if (whole) {
      given = 0;
      asked = false;
      attempt++;
    }
    return whole;
  }

  /** Releases the held content. Idempotent. */
  void release() {
    if (!released) {
      released = true;
      kept().release();
      continuation.released();
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    if (resumed() || released) {
      super.contentFailed(failure);
    } else {
      release();
      continuation.refused(request(), failure);
    }
  }

  @Override
  public void gone() {
    super.gone();
    release();
  }
}
