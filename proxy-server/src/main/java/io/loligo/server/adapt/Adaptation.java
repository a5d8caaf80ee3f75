package io.loligo.server.adapt;

import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One message on its way through one of several services. Confined to the event loop.
 *
 * <pre>
 * phase      the original's content goes to      left by
 * CHOOSING   nowhere, it is not read             a connection: SENDING; none: UNCHANGED, OVER
 * SENDING    the service                         the head of its response
 * UNCHANGED  the taker, what was read first      the end
 * ADAPTED    the service, if it reads on         the end of the service's content; the rest is that
 *                                                of the original: UNCHANGED
 * OVER
 * </pre>
 *
 * <p>At most {@value IcapSettings#KEPT_BYTES} bytes of the original are kept, and only while the
 * message may have to be sent again or to continue unchanged. Otherwise content is passed on piece
 * by piece: the original is read when the connection takes more, and the service's content when the
 * taker asks for it. So a slow taker slows the service down, and a slow service the original.
 */
public final class Adaptation implements Original {
  private enum Phase {
    CHOOSING,
    SENDING,
    UNCHANGED,
    ADAPTED,
    OVER
  }

  private final Adaptations loop;
  private final EventLoop eventLoop;
  private final ByteBufAllocator allocator;
  private final List<IcapService> services;
  private final IcapMessage message;
  private final Original original;
  private final Adapted taker;

  private Phase phase = Phase.CHOOSING;
  private int next;
  private int retries;
  private @Nullable ServiceState state;
  private @Nullable ServiceExchange exchange;
  private Runnable stopDialling = () -> {};
  private final ServiceExchange.Owner progress = new Progress();

  /** Whether all of the original so far is kept: it was not too long, and not given away. */
  private boolean keepsAll = true;

  /** What is kept, owned; null: nothing. */
  private @Nullable ByteBuf kept;

  /** Bytes of it that are entered as bytes in transit. */
  private int charged;

  /** Whether content that has to be kept was not. */
  private boolean starved;

  /** Bytes of the original that are announced to the taker; -1: no number of them. */
  private long announced = -1;

  private boolean originalEnded;
  private @Nullable Fields trailers;
  private boolean reading;

  /** Whether more was asked for before a read was over. */
  private boolean wantsMore;

  /**
   * An adaptation by the first of {@code services} that works.
   *
   * @param original is read on, and passes its content to this object
   * @param taker takes the adapted message
   */
  public Adaptation(
      Adaptations loop,
      EventLoop eventLoop,
      ByteBufAllocator allocator,
      List<IcapService> services,
      IcapMessage message,
      Original original,
      Adapted taker) {
    this.loop = loop;
    this.eventLoop = eventLoop;
    this.allocator = allocator;
    this.services = services;
    this.message = message;
    this.original = original;
    this.taker = taker;
    originalEnded = !message.hasContent();
  }

  /** Begins. Returns itself. */
  public Adaptation start() {
    eventLoop.execute(() -> choose(""));
    return this;
  }

  // ---- the choice of a service

  private void choose(String why) {
    if (phase != Phase.CHOOSING) {
      return;
    }
    if (next >= services.size()) {
      surrender(why);
      return;
    }
    ServiceState chosen = loop.state(services.get(next++));
    state = chosen;
    chosen.whenKnown(() -> known(chosen));
  }

  private ServiceState state() {
    assert state != null : "no service was chosen";
    return state;
  }

  /** No service is left. */
  private void surrender(String why) {
    if (keepsAll && state().service().bypass()) {
      state().counts().increment(ServiceCount.BYPASSES);
      unchanged();
    } else {
      fail(why);
    }
  }

  private void starve() {
    boolean unread = !originalEnded;
    over();
    if (unread) {
      original.cancel();
    }
    taker.starved("loligo_transit_memory has no room for a message to a service");
  }

  private void fail(String why) {
    boolean unread = !originalEnded;
    over();
    if (unread) {
      original.cancel();
    }
    taker.failed(why);
  }

  private void known(ServiceState chosen) {
    if (phase != Phase.CHOOSING || state != chosen) {
      return;
    }
    IcapOptions options = chosen.options();
    if (options == null) {
      choose("icap_service " + chosen.service().name() + " is down");
    } else if (options.transfer(message.path()) == IcapOptions.Transfer.IGNORE) {
      unchanged();
    } else {
      ServiceExchange begun =
          new ServiceExchange(
              chosen, Offer.of(loop.settings().icap(), options, message), message, progress, taker);
      exchange = begun;
      stopDialling = chosen.connect(begun, /* force= */ false);
    }
  }

  // ---- the original's content

  /** Content of the original. Takes {@code content}. */
  public void content(ByteBuf content) {
    if (phase == Phase.OVER || !content.isReadable()) {
      content.release();
    } else if (phase == Phase.UNCHANGED && !keepsAll) {
      pass(content);
    } else {
      boolean sends = exchange != null && exchange.isConnected();
      try {
        // the read that ends a preview or was under way at its end is kept, whatever its size
        boolean streams = exchange != null && sends && exchange.isBehindPreview();
        keep(content, streams ? IcapSettings.KEPT_BYTES : Integer.MAX_VALUE);
      } catch (OutOfMemoryError e) {
        content.release();
        throw e;
      }
      if (starved) {
        content.release();
        starve();
        return;
      }
      if (exchange != null && sends) {
        exchange.original(content);
      } else {
        content.release();
      }
    }
  }

  private void keep(ByteBuf content, int most) {
    ByteBuf held = kept;
    int before = held == null ? 0 : held.readableBytes();
    if (!keepsAll) {
      return;
    }
    if (content.readableBytes() > most - before) {
      forget();
      return;
    }
    int needed = before + content.readableBytes();
    int capacity = held == null ? 0 : held.capacity();
    if (needed > capacity) {
      capacity = allocator.calculateNewCapacity(needed, Integer.MAX_VALUE);
      if (!loop.network().transit().tryReserve(capacity - charged)) {
        cannotKeep();
        return;
      }
      charged = capacity;
    }
    if (held == null) {
      held = allocator.directBuffer(capacity);
      held.touch("Adaptation: content that may be sent again");
      kept = held;
    } else {
      held.capacity(capacity);
    }
    held.writeBytes(content, content.readerIndex(), content.readableBytes());
  }

  /** There is no memory for more of the original. */
  private void cannotKeep() {
    boolean needed = exchange == null || exchange.needsKept();
    forget();
    starved = needed;
  }

  private void uncharge() {
    loop.network().transit().release(charged);
    charged = 0;
  }

  private void forget() {
    keepsAll = false;
    if (kept != null) {
      kept.release();
      kept = null;
      uncharge();
    }
  }

  /** One read of the original is over. */
  public void readComplete() {
    reading = false;
    if (phase == Phase.UNCHANGED && !keepsAll) {
      taker.readComplete();
      if (wantsMore) {
        readOriginal();
      }
    } else if (exchange != null) {
      exchange.sendOn();
    }
  }

  /** The original is complete; {@code ofOriginal} borrowed, may be null. */
  public void end(@Nullable Fields ofOriginal) {
    originalEnded = true;
    reading = false;
    if (phase == Phase.UNCHANGED && !keepsAll) {
      passEnd(ofOriginal);
    } else {
      trailers = ofOriginal == null ? null : ofOriginal.snapshot();
      if (exchange != null) {
        exchange.sendOn();
      }
    }
  }

  private void readOriginal() {
    wantsMore = reading;
    if (!reading && !originalEnded) {
      reading = true;
      original.read();
    }
  }

  // ---- the adapted content

  @Override
  public void read() {
    if (phase == Phase.UNCHANGED) {
      if (keepsAll || originalEnded) {
        eventLoop.execute(this::giveKept);
      } else {
        readOriginal();
      }
    } else if (phase == Phase.ADAPTED && exchange != null) {
      exchange.read();
    }
  }

  /** Passes on what was read before the message turned out to stay unchanged. */
  private void giveKept() {
    if (phase != Phase.UNCHANGED) {
      return;
    }
    ByteBuf held = kept;
    kept = null;
    keepsAll = false;
    uncharge();
    if (held != null) {
      pass(held);
      if (phase == Phase.UNCHANGED) {
        taker.readComplete();
      }
    } else if (originalEnded) {
      passEnd(trailers);
    } else {
      readOriginal();
    }
  }

  /** Passes on {@code content} of the original, taken. */
  private void pass(ByteBuf content) {
    if (announced >= 0 && content.readableBytes() > announced) {
      content.release();
      fail("icap_service " + state().service().name() + ": more content than announced");
      return;
    }
    announced = announced < 0 ? -1 : announced - content.readableBytes();
    taker.content(content);
  }

  /** Passes on the end of the original. */
  private void passEnd(@Nullable Fields ofOriginal) {
    if (announced > 0) {
      fail("icap_service " + state().service().name() + ": less content than announced");
    } else {
      over();
      taker.end(ofOriginal);
    }
  }

  /** The message is not needed any more. */
  @Override
  public void cancel() {
    boolean live = phase != Phase.OVER;
    over();
    if (live && !originalEnded) {
      original.cancel();
    }
  }

  private void over() {
    phase = Phase.OVER;
    stopDialling.run();
    ServiceExchange current = exchange;
    exchange = null;
    if (current != null) {
      current.abandon();
    }
    forget();
  }

  private void unchanged() {
    phase = Phase.UNCHANGED;
    wantsMore = false;
    exchange = null;
    taker.unchanged();
    if (phase == Phase.UNCHANGED && !message.hasContent()) {
      over();
      taker.end(null);
    }
  }

  // ---- the exchange with a service

  /** Told the progress of {@link #exchange}. */
  private final class Progress implements ServiceExchange.Owner {
    @Override
    public void connected() {
      stopDialling = () -> {};
      phase = Phase.SENDING;
    }

    @Override
    public @Nullable ByteBuf kept() {
      return kept;
    }

    @Override
    public boolean keepsAll() {
      return keepsAll;
    }

    @Override
    public boolean originalEnded() {
      return originalEnded;
    }

    @Override
    public void readOriginal() {
      Adaptation.this.readOriginal();
    }

    @Override
    public void unchanged() {
      Adaptation.this.unchanged();
    }

    @Override
    public void adapted(boolean partial) {
      phase = Phase.ADAPTED;
      if (!partial) {
        forget();
      }
    }

    @Override
    public void original(int from, long length) {
      phase = Phase.UNCHANGED;
      exchange = null;
      wantsMore = false;
      announced = length;
      ByteBuf held = kept;
      if (held != null && !held.skipBytes(from).isReadable()) {
        held.release();
        kept = null;
        uncharge();
      }
      eventLoop.execute(Adaptation.this::giveKept);
    }

    @Override
    public void end() {
      boolean unread = !originalEnded;
      over();
      if (unread) {
        original.cancel();
      }
    }

    @Override
    public void again(ServiceExchange fresh) {
      exchange = fresh;
      phase = Phase.CHOOSING;
      stopDialling = state().connectAnew(fresh);
    }

    @Override
    public void overloaded(String why) {
      exchange = null;
      phase = Phase.CHOOSING;
      IcapService service = state().service();
      IcapService.Overload reaction = service.onOverload();
      boolean waited = reaction == IcapService.Overload.WAIT && service.bypass();
      if (reaction == IcapService.Overload.BYPASS || waited) {
        state().counts().increment(ServiceCount.BYPASSES);
        Adaptation.this.unchanged();
      } else {
        fail(why);
      }
    }

    @Override
    public void broken(String why) {
      boolean begun = phase == Phase.ADAPTED;
      exchange = null;
      if (begun || !keepsAll) {
        fail(why);
        return;
      }
      phase = Phase.CHOOSING;
      if (next >= services.size() && retries < message.retries()) {
        retries++;
        next--;
      }
      choose(why);
    }
  }
}
