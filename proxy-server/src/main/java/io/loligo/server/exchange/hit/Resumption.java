package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.Validation;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;

/**
 * Brings the rest of an answer whose stored content turned out damaged after its head was sent: the
 * whole is fetched again, as for any miss, so that it is stored again too, and handed to the {@link
 * HitStream}, which leaves out what the client has. Only where the answer is {@linkplain
 * Validation#provesSame for certain the same representation}; else the client is cut. Confined to
 * the client's event loop.
 *
 * <p>It first reads along with whoever fetches the object already. If that one ends another way (a
 * 304, a variant, a refusal) there is one more try with a fetch of its own.
 */
final class Resumption implements InFlight.Reader {
  private final LoopServices services;
  private final ClientStream stream;
  private final HitStream answer;
  private final StoredMeta meta;
  private final CacheKey key;
  private final boolean alone;
  private Fetch fetch;
  private InFlight.Subscription subscription;
  private long offset;
  private long creditOwed;
  private boolean over;

  /**
   * For the answer that {@code stream} is in the middle of.
   *
   * @param damaged borrowed
   * @param alone whether it fetches itself, whoever else does
   */
  Resumption(
      LoopServices services, ClientStream stream, HitStream answer, Entry damaged, boolean alone) {
    this.services = services;
    this.stream = stream;
    this.answer = answer;
    this.meta = damaged.meta();
    this.key = damaged.key();
    this.alone = alone;
  }

  void start() {
    ExchangeRecord record = stream.record();
    record.tag = LogTag.TCP_SWAPFAIL_MISS;
    record.hitClass = HitClass.MISS;
    RequestHead head = record.request;
    Request request =
        new Request()
            .begin(stream, head, ContentLength.NONE, record.target, services.clock.millis())
            .with(head, record.target);
    Fetch mine = Fetch.again(services, request);
    InFlight inFlight =
        alone || !mayJoin(head) ? mine.begin(key) : mine.joinOrBegin(key, meta.vary());
    if (inFlight == null) {
      answer.cut("the proxy is at its memory limit");
    } else if (inFlight.writer() == mine) {
      fetch = mine;
      subscription = inFlight.attach(this, true);
      mine.start();
    } else {
      subscription = inFlight.attach(this, false);
      if (subscription == null) {
        tryAlone("the fetch of another ended");
      }
    }
  }

  private boolean mayJoin(RequestHead head) {
    return services.settings.fetches.collapsedForwarding
        && !head.fields().has(FieldName.AUTHORIZATION);
  }

  @Override
  public EventExecutor loop() {
    return stream.loop();
  }

  @Override
  public void head(InFlight.Arrived arrived) {
    if (over) {
      return;
    }
    if (!Validation.provesSame(meta, arrived.head(), arrived.contentLength())) {
      tryAlone("what the origin has now may be another representation");
    } else if (fetch == null && !arrived.shareable()) {
      tryAlone("the fetch of another is not shared");
    } else {
      creditOwed = services.settings.streamBufferBytes;
      writable();
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (over) {
      content.release();
      return;
    }
    int length = content.readableBytes();
    long start = offset;
    offset += length;
    creditOwed += length;
    answer.pass(start, content);
    writable();
  }

  @Override
  public void end(Fields trailers) {
    subscription = null;
    if (!over) {
      leave();
      answer.cut("what the origin has now is shorter");
    }
  }

  @Override
  public void broken(Throwable failure) {
    subscription = null;
    if (!over) {
      stream.failed(failure);
    }
  }

  @Override
  public void failed(Object cause) {
    subscription = null;
    if (!over) {
      tryAlone(String.valueOf(cause));
    }
  }

  /** Asks for as much as was passed on, where the client takes it. */
  void writable() {
    if (subscription != null && creditOwed > 0 && stream.writable()) {
      long credit = creditOwed;
      creditOwed = 0;
      subscription.request(credit);
    }
  }

  /** One more try where this was not one's own fetch; else there is no rest to be had. */
  private void tryAlone(String why) {
    boolean joined = fetch == null && !alone;
    leave();
    if (joined) {
      answer.resume(/* alone= */ true);
    } else {
      answer.cut(why);
    }
  }

  /** Nothing more is wanted. */
  void leave() {
    if (over) {
      return;
    }
    over = true;
    if (fetch != null) {
      fetch.account(stream.record());
    }
    InFlight.Subscription left = subscription;
    subscription = null;
    if (left != null) {
      left.cancel();
    }
  }
}
