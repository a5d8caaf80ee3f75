package io.loligo.server.exchange.fetch;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.shaping.Allowance;
import io.loligo.server.shaping.PacedBytes;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The content of one response from a server, passed on as its delay pool allows. No more than one
 * read of it waits: the next one is not asked for before. Confined to the fetch's event loop.
 */
final class DelayedArrival implements OriginEvents, PacedBytes.Outlet {
  private final OriginEvents to;
  private final Supplier<@Nullable Allowance> limit;
  private final MemoryLedger transit;
  private final PacedBytes paced;
  private long chargedBytes;

  // what follows the bytes that wait
  private boolean readOver;
  private boolean ended;
  private @Nullable Fields trailers;
  private @Nullable FetchFailure failure;

  /**
   * Passes the events of a response on to {@code to}.
   *
   * @param limit the limit at present; null: none
   */
  DelayedArrival(LoopServices services, OriginEvents to, Supplier<@Nullable Allowance> limit) {
    this.to = to;
    this.limit = limit;
    transit = services.store.transit();
    paced = new PacedBytes(services.paces, this);
  }

  @Override
  public void content(ByteBuf content) {
    if (paced.isEmpty() && limit.get() == null) {
      to.content(content);
      return;
    }
    long bytes = content.readableBytes();
    transit.force(bytes);
    chargedBytes += bytes;
    paced.add(content);
    paced.pump();
  }

  @Override
  public @Nullable Allowance allowance() {
    return limit.get();
  }

  @Override
  public void pass(ByteBuf piece) {
    uncharge(chargedBytes - paced.queuedBytes());
    to.content(piece);
  }

  private void uncharge(long bytes) {
    chargedBytes -= bytes;
    transit.release(bytes);
  }

  @Override
  public void passedAll() {
    if (failure != null) {
      to.failed(failure);
    } else if (ended) {
      to.end(trailers);
    } else if (readOver) {
      readOver = false;
      to.readComplete();
    }
  }

  @Override
  public void readComplete() {
    if (paced.isEmpty()) {
      to.readComplete();
    } else {
      readOver = true;
    }
  }

  @Override
  public void end(@Nullable Fields after) {
    if (paced.isEmpty()) {
      to.end(after);
    } else {
      ended = true;
      trailers = after == null ? null : after.snapshot();
    }
  }

  @Override
  public void failed(FetchFailure why) {
    if (paced.isEmpty()) {
      to.failed(why);
    } else {
      failure = why;
    }
  }

  @Override
  public void readyForContent() {
    to.readyForContent();
  }

  @Override
  public void interim(ResponseHead head) {
    to.interim(head);
  }

  @Override
  public void head(@Nullable ResponseHead head, long contentLength) {
    to.head(head, contentLength);
  }

  /** Not while bytes wait: those that break off are passed on before that is told. */
  @Override
  public boolean canContinue() {
    return paced.isEmpty() && to.canContinue();
  }

  @Override
  public void writable() {
    to.writable();
  }

  /** Passes the bytes that may pass now. */
  void pump() {
    paced.pump();
  }

  /** Drops the bytes that wait; no event follows. The terminal method. */
  void close() {
    paced.close();
    uncharge(chargedBytes);
  }
}
