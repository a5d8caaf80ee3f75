package io.loligo.server.downstream.stream;

import io.loligo.core.message.Fields;
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
  private final Limit limit;
  private final PacedBytes paced;
  private boolean ended;
  private @Nullable Fields trailers;

  LimitedContent(ExchangeStream stream, Limit limit) {
    this.stream = stream;
    this.limit = limit;
    paced = new PacedBytes(limit.loop(), this);
  }

  /** The limit that holds. */
  Limit limit() {
    return limit;
  }

  /** {@code bytes} were sent without a wait. */
  void sent(int bytes) {
    limit.allowance().charge(bytes);
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
    stream.writeContent(piece);
  }

  @Override
  public void paused() {
    stream.flush();
  }

  @Override
  public void passedAll() {
    if (ended) {
      stream.writeEnd(trailers);
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
