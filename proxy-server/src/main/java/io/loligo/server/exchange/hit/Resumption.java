package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.Validation;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
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
import org.jspecify.annotations.Nullable;

/**
 * Fetches the rest of a response whose stored content turned out to be damaged after its head was
 * sent. The whole is fetched again, as for any miss, so that it is also stored again. The {@link
 * HitStream} skips the bytes that the client already has. The rest is used only if the new response
 * is {@linkplain Validation#provesSame certainly the same representation}; otherwise the response
 * is cut. Confined to the client's event loop.
 *
 * <p>It first joins a fetch of the object that another request has begun. If that fetch ends
 * without a usable response (a 304, a variant, a refusal), one more attempt makes its own fetch.
 */
final class Resumption implements InFlight.Reader {
  private final LoopServices services;
  private final ClientStream stream;
  private final HitStream answer;
  private final StoredMeta meta;
  private final CacheKey key;
  private final boolean alone;
  private @Nullable Fetch fetch;
  private InFlight.@Nullable Subscription subscription;
  private long offset;
  private long creditOwed;
  private boolean over;

  /**
   * Prepares to resume the response in progress on {@code stream}.
   *
   * @param damaged the stored response, borrowed
   * @param alone whether to begin a new fetch even if another request is fetching the object
   */
  Resumption(
      LoopServices services, ClientStream stream, HitStream answer, Entry damaged, boolean alone) {
    this.services = services;
    this.stream = stream;
    this.answer = answer;
    this.meta = damaged.meta().kept();
    this.key = damaged.key();
    this.alone = alone;
  }

  /** Joins or begins the fetch. */
  void start() {
    ExchangeRecord record = stream.record();
    record.tag = LogTag.TCP_SWAPFAIL_MISS;
    record.hitClass = HitClass.MISS;
    RequestHead head = record.request;
    RequestTarget target = record.target;
    assert head != null && target != null : "a response was begun";
    Request request =
        new Request()
            .begin(stream, head, ContentLength.NONE, target, services.clock.millis())
            .with(head, target);
    if (record.rewritten != null) {
      request.rewrite(record.rewritten);
    }
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
        tryAlone("the other request's fetch has ended");
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
      tryAlone("the origin's response may be another representation");
    } else if (fetch == null && !arrived.shareable()) {
      tryAlone("the other request's fetch is not shared");
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
  public void end(@Nullable Fields trailers) {
    subscription = null;
    if (!over) {
      leave();
      answer.cut("the origin's response is shorter");
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

  /** Requests as many further bytes as were passed on, if the client accepts more. */
  void writable() {
    if (subscription != null && creditOwed > 0 && stream.writable()) {
      long credit = creditOwed;
      creditOwed = 0;
      subscription.request(credit);
    }
  }

  /**
   * Makes one more attempt if this one joined another request's fetch; otherwise cuts the response.
   */
  private void tryAlone(String why) {
    boolean joined = fetch == null && !alone;
    leave();
    if (joined) {
      answer.resume(/* alone= */ true);
    } else {
      answer.cut(why);
    }
  }

  /** Stops reading. Idempotent. */
  void leave() {
    if (over) {
      return;
    }
    over = true;
    if (fetch != null) {
      fetch.account(stream.record());
      fetch.clientLeaves(stream.record());
    }
    InFlight.Subscription left = subscription;
    subscription = null;
    if (left != null) {
      left.cancel();
    }
  }
}
