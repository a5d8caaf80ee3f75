package io.loligo.server.exchange.query;

import io.loligo.core.caching.ContentDigest;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.netty.buffer.ByteBuf;

/**
 * Takes in the content of a QUERY before anything is decided, for it is part of the key (RFC 10008
 * section 2.7), and gives it to whoever then asks the origin, as often as it is asked. Content
 * beyond {@code loligo_query_content_max}, and trailers, are passed through as they come: such a
 * request goes by the cache. Confined to the client's event loop.
 *
 * <pre>
 *   phase    entered by                left by
 *   TAKING   start                     all there, too much, failed, gone
 *   ANSWERED decided                   the answer's end, gone
 * </pre>
 */
public final class QueryContent extends Suspension {
  /** Goes on with the request. */
  public interface Continuation {
    /**
     * The content is there.
     *
     * @param request answers to a stream that brings the content again
     * @param content digest of all of it; null: it is more than is held, or has trailers
     * @return the next part of the exchange, or null where the response is complete
     */
    ClientEvents taken(Request request, ContentDigest content);

    /** The content is malformed. */
    void refused(Request request, ParseFailure failure);

    /** The content is not held any more. Once. */
    void released();
  }

  private final int maxBytes;
  private final Continuation continuation;

  /** The client's own stream; null until the content is there. */
  private ClientStream client;

  private ByteBuf kept;
  private Fields trailers;
  private boolean whole;
  private boolean released;
  private boolean asked;

  /** Part of the kept content that was given on: 0 nothing, 1 all bytes, 2 the end too. */
  private int given;

  /** Number of the request to the origin that it is given to. */
  private int attempt;

  /** For {@code request}, a snapshot, of whose content up to {@code maxBytes} are held. */
  public QueryContent(Request request, int maxBytes, Continuation continuation) {
    super(request);
    this.maxBytes = maxBytes;
    this.continuation = continuation;
  }

  /** Begins to read. Returns itself. */
  public ClientEvents start() {
    // of unknown length: -1
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
    } else if (kept.readableBytes() + content.readableBytes() <= maxBytes) {
      kept.writeBytes(content);
      content.release();
      request().stream().readContent();
    } else {
      kept.writeBytes(content); // one read more than is kept at most
      content.release();
      decide(null);
    }
  }

  @Override
  public void contentEnd(Fields trailers) {
    if (resumed() || released) {
      super.contentEnd(trailers);
    } else {
      whole = true;
      boolean any = trailers != null && trailers.count() > 0;
      this.trailers = any ? trailers.snapshot() : null;
      decide(any ? null : digest());
    }
  }

  private ContentDigest digest() {
    byte[] octets = new byte[kept.readableBytes()];
    kept.getBytes(kept.readerIndex(), octets);
    return new ContentDigest(request().head().fields()).update(octets, octets.length);
  }

  private void decide(ContentDigest content) {
    client = request().stream();
    request().answerTo(new Replaying(client, this));
    resume(
        () -> {
          ClientEvents next = continuation.taken(request(), content);
          if (next == null) {
            release();
          }
          return next;
        });
  }

  // ---- given on

  /** Asks for the next piece of it: the octets, the end, or what still comes. Told later. */
  void next() {
    if (!asked) {
      asked = true;
      int of = attempt;
      client.loop().execute(() -> give(of));
    }
  }

  private void give(int of) {
    if (of != attempt) {
      return; // asked for by a request that was given up since
    }
    asked = false;
    if (!resumed() || released) {
      return;
    }
    if (given == 0 && kept.isReadable()) {
      given = 1;
      super.content(kept.retainedDuplicate());
    } else if (!whole) {
      given = 1;
      client.readContent();
    } else if (given < 2) {
      given = 2;
      super.contentEnd(trailers);
    }
  }

  /** Begins anew with what is kept, if that is all of it: another request is made. */
  boolean rewind() {
    if (whole) {
      given = 0;
      asked = false;
      attempt++;
    }
    return whole;
  }

  /** Nobody needs it any more. */
  void release() {
    if (!released) {
      released = true;
      kept.release();
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
