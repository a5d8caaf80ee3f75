package io.loligo.server.exchange;

import io.loligo.core.caching.ContentDigest;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
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
final class QueryContent implements ClientEvents {
  private final ExchangeLoop loop;
  private final ClientStream stream;
  private final RequestHead head;
  private final RequestTarget target;
  private final long contentLength;
  private final RequestView view;
  private final int maxBytes;
  private ByteBuf kept;
  private Fields trailers;
  private boolean whole;
  private boolean released;
  private boolean gone;
  private boolean asked;
  private ClientEvents answering;

  /** What of the kept content was given on: 0 nothing, 1 all octets, 2 the end too. */
  private int given;

  /** Number of the request to the origin that it is given to. */
  private int request;

  /** {@code head}, {@code target} and {@code view} are borrowed: it goes on with snapshots. */
  QueryContent(
      ExchangeLoop loop,
      ClientStream stream,
      RequestHead head,
      RequestTarget target,
      long contentLength,
      RequestView view,
      int maxBytes) {
    this.loop = loop;
    this.stream = stream;
    this.head = head.snapshot();
    this.target = target.snapshot(this.head);
    this.contentLength = contentLength;
    this.view = view.copy(this.head, this.target);
    this.maxBytes = maxBytes;
    stream.record().request = this.head;
    stream.record().target = this.target;
  }

  /** Begins to read. Returns itself. */
  ClientEvents start() {
    // of unknown length: -1
    int expected = (int) Math.max(0, Math.min(maxBytes, contentLength));
    kept = stream.allocator().directBuffer(expected);
    kept.touch("QueryContent: content of a QUERY, for its key and the origin");
    stream.sendContinue();
    stream.readContent();
    return this;
  }

  @Override
  public void content(ByteBuf content) {
    if (released && answering == null) {
      content.release();
    } else if (answering != null) {
      answering.content(content);
    } else if (kept.readableBytes() + content.readableBytes() <= maxBytes) {
      kept.writeBytes(content);
      content.release();
      stream.readContent();
    } else {
      kept.writeBytes(content); // one read more than what is kept at most
      content.release();
      decide(null);
    }
  }

  @Override
  public void contentEnd(Fields trailers) {
    if (answering != null) {
      answering.contentEnd(trailers);
    } else if (!released) {
      whole = true;
      boolean any = trailers != null && trailers.count() > 0;
      this.trailers = any ? trailers.snapshot() : null;
      decide(any ? null : digest());
    }
  }

  private ContentDigest digest() {
    byte[] octets = new byte[kept.readableBytes()];
    kept.getBytes(kept.readerIndex(), octets);
    return new ContentDigest(head.fields()).update(octets, octets.length);
  }

  private void decide(ContentDigest content) {
    ClientEvents next =
        loop.query(new Replaying(stream, this), head, target, contentLength, view, content);
    answering = next;
    if (next == null) {
      release();
    } else if (gone) {
      next.gone();
    }
  }

  // ---- given on

  /** Asks for the next piece of it: the octets, the end, or what still comes. Told later. */
  void next() {
    if (!asked) {
      asked = true;
      int of = request;
      stream.loop().execute(() -> give(of));
    }
  }

  private void give(int of) {
    if (of != request) {
      return; // asked for by a request that was given up since
    }
    asked = false;
    if (answering == null || released) {
      return;
    }
    if (given == 0 && kept.isReadable()) {
      given = 1;
      answering.content(kept.retainedDuplicate());
    } else if (!whole) {
      given = 1;
      stream.readContent();
    } else if (given < 2) {
      given = 2;
      answering.contentEnd(trailers);
    }
  }

  /** Begins anew with what is kept, if that is all of it: another request is made. */
  boolean rewind() {
    if (whole) {
      given = 0;
      asked = false;
      request++;
    }
    return whole;
  }

  /** Nobody needs it any more. */
  void release() {
    if (!released) {
      released = true;
      kept.release();
      loop.queryReleased();
    }
  }

  @Override
  public void contentFailed(ParseFailure failure) {
    if (answering != null) {
      answering.contentFailed(failure);
    } else if (!released) {
      release();
      loop.refused(stream, failure);
    }
  }

  @Override
  public void writable() {
    if (answering != null) {
      answering.writable();
    }
  }

  @Override
  public void gone() {
    gone = true;
    if (answering != null) {
      answering.gone();
    }
    release();
  }
}
