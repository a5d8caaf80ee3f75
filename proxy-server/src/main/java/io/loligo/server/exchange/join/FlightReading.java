package io.loligo.server.exchange.join;

import io.loligo.core.message.Fields;
import io.loligo.server.exchange.fetch.LimitedReader;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.BandwidthRules;
import io.loligo.server.shaping.Allowance;
import io.loligo.store.inflight.InFlight;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import org.jspecify.annotations.Nullable;

/**
 * One reader of a fetch: its place at the fetch, and the delivery of the content to the client.
 * When its owner has left it, its events are ignored. Confined to the client's event loop, except
 * for what {@link LimitedReader} tells.
 */
final class FlightReading implements InFlight.Reader, LimitedReader {
  /** The answer that a reading is for. Called on its loop. */
  interface Owner {
    /** Whether {@code reading} is the present one. */
    boolean reads(FlightReading reading);

    /** Whether the client has the head, and content follows. */
    boolean isStreaming();

    /** The head has arrived. */
    void arrived(FlightReading reading, InFlight.Arrived arrived);

    /** The client has the range it asked for. */
    void rangeDelivered();

    /** The content is larger than {@code reply_body_max_size}, which its head did not say. */
    void outgrown();

    /** The client has all of the content. */
    void delivered(@Nullable Fields trailers);

    /** An event failed with {@code failure}; there is no other. */
    void broken(Throwable failure);

    /** There will be no more, for this reason. */
    void failed(Object why);
  }

  private final Owner owner;
  private final Request request;

  /** Its place at the fetch; null: there is none, or not any more. */
  private InFlight.@Nullable Subscription subscription;

  /** Passes content on; null until the head was sent. */
  private @Nullable Delivery delivery;

  // written on this loop, read on that of the fetch
  private @Nullable Allowance limit;
  private volatile boolean chosen;

  /** For the client of {@code request}. */
  FlightReading(Owner owner, Request request) {
    this.owner = owner;
    this.request = request;
  }

  /**
   * Reads {@code inFlight} from now on.
   *
   * @param own whether the request has begun it
   * @return false if it is too late
   */
  boolean attach(InFlight inFlight, boolean own) {
    subscription = inFlight.attach(this, own);
    return subscription != null;
  }

  /** Needs no content before this byte. */
  void startAt(long firstByte) {
    assert subscription != null : "it is read along";
    subscription.startAt(firstByte);
  }

  /**
   * The head is sent next.
   *
   * @param window the range for the client; null: all of the content
   * @param limitBytes largest content; -1: no limit
   */
  void deliver(@Nullable Window window, long limitBytes) {
    delivery = new Delivery(request.stream(), window, limitBytes);
  }

  /** The head was sent: asks for content, {@code bufferBytes} at most on its way. */
  void begin(long bufferBytes) {
    assert delivery != null : "the head was sent";
    delivery.begin(subscription, bufferBytes);
  }

  /** The client takes more: asks for as much as was passed on. */
  void grant() {
    assert delivery != null : "the head was sent";
    delivery.grant(subscription);
  }

  /** Gives up its place at the fetch. */
  void cancel() {
    InFlight.Subscription left = subscription;
    subscription = null;
    if (left != null) {
      left.cancel();
    }
  }

  /** Chooses the pool of this response, whose head the request holds. */
  void choose(BandwidthRules bandwidth) {
    limit = bandwidth.ofServer(request);
    chosen = true;
  }

  @Override
  public boolean hasChosen() {
    return chosen;
  }

  @Override
  public @Nullable Allowance limit() {
    return limit;
  }

  @Override
  public EventExecutor loop() {
    return request.stream().loop();
  }

  @Override
  public void head(InFlight.Arrived arrived) {
    if (owner.reads(this)) {
      owner.arrived(this, arrived);
    }
  }

  @Override
  public void content(ByteBuf content) {
    if (!owner.reads(this) || !owner.isStreaming()) {
      content.release();
      return;
    }
    assert delivery != null : "the head was sent";
    switch (delivery.pass(content)) {
      case TOO_LARGE -> owner.outgrown();
      case COMPLETE -> owner.rangeDelivered();
      case GOES_ON -> {} // until it has caught up
    }
  }

  /** {@inheritDoc} The pieces that came together leave in one write. */
  @Override
  public void caughtUp() {
    if (owner.reads(this) && owner.isStreaming()) {
      request.stream().flush();
      grant();
    }
  }

  @Override
  public void end(@Nullable Fields trailers) {
    if (owner.reads(this) && owner.isStreaming()) {
      subscription = null;
      owner.delivered(trailers);
    }
  }

  @Override
  public void broken(Throwable failure) {
    if (owner.reads(this)) {
      subscription = null;
      owner.broken(failure);
    }
  }

  @Override
  public void failed(Object why) {
    if (owner.reads(this)) {
      subscription = null;
      owner.failed(why);
    }
  }
}
