package io.loligo.server.downstream.stream;

import io.loligo.core.message.Fields;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.Limit;
import io.loligo.server.shaping.PacedBytes;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The content of one response that waits for the pools of its client. Confined to the client's
 * event loop.
 */
final class LimitedContent implements PacedBytes.Outlet {
  private final ExchangeStream stream;
  private final ClientResponse response;
  private final Limit limit;
  private final PacedBytes paced;
  private boolean ended;
  private @Nullable Fields trailers;

  LimitedContent(ExchangeStream stream, ClientResponse response, Limit limit) {
    this.stream = stream;
    this.response = response;
    this.limit = limit;
    paced = new PacedBytes(limit.loop(), this);
  }

  /** The limit that holds. */
  Limit limit() {
    return limit;
  }

  /** Sends {@code head}; the content in its block waits as all other content does. */
  void head(OutgoingHead head) {
    boolean ends = head.last();
    int lines = head.blockHeadBytes(stream.writer().headMethod());
    ByteBuf content = contentOf(head, lines);
    long before = stream.writer().headBytes();
    try {
      stream.writeHead(content == null ? head : withoutContent(head, lines));
    } catch (OutOfMemoryError e) {
      if (content != null) {
        content.release();
      }
      throw e;
    }
    limit.allowance().charge(stream.writer().headBytes() - before);
    if (content != null) {
      response.content(content);
      if (ends) {
        response.end(null);
      }
    } else if (ends) {
      response.completed();
    }
  }

  /** A copy of the content in the block of {@code head}, returned owned; null: it has none. */
  private @Nullable ByteBuf contentOf(OutgoingHead head, int lines) {
    ByteBuf block = head.block();
    int bytes = block == null || stream.writer().headMethod() ? 0 : head.length() - lines;
    return block == null || bytes <= 0
        ? null
        : stream
            .allocator()
            .directBuffer(bytes, bytes)
            .writeBytes(block, head.index() + lines, bytes);
  }

  private static OutgoingHead withoutContent(OutgoingHead head, int lines) {
    return OutgoingHead.of(head.status(), head.lines())
        .block(head.block(), head.index(), lines)
        .content(head.contentLength(), false);
  }

  /** Whether content waits. */
  boolean isWaiting() {
    return !paced.isEmpty();
  }

  /** Bytes that wait. */
  long waitingBytes() {
    return paced.queuedBytes();
  }

  /** Sends {@code content}, taken, when the pools let it pass. */
  void add(ByteBuf content) {
    paced.add(content);
    paced.pump();
  }

  /** Whether the response ends behind the content that waits. */
  boolean isEnded() {
    return ended;
  }

  /** The content is complete, and some of it waits; {@code after} borrowed. */
  void end(@Nullable Fields after) {
    ended = true;
    trailers = after == null ? null : after.snapshot();
  }

  @Override
  public Allowance allowance() {
    return limit.allowance();
  }

  @Override
  public void pass(ByteBuf piece) {
    response.writeContent(piece);
  }

  @Override
  public void paused() {
    stream.flush();
  }

  @Override
  public void passedAll() {
    if (ended) {
      response.writeEnd(trailers);
    } else {
      stream.flush();
      stream.limitedContentPassed();
    }
  }

  /** Drops the content that waits. */
  void close() {
    paced.close();
  }
}
