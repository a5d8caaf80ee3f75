package io.loligo.server.adapt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
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
 * ADAPTED    the service, if it reads on         the end of the service's content
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
  private @Nullable Exchange exchange;
  private Runnable stopDialling = () -> {};

  /** Whether all of the original so far is kept: it was not too long, and not given away. */
  private boolean keepsAll = true;

  /** What is kept, owned; null: nothing. */
  private @Nullable ByteBuf kept;

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
      state().counters().bypassed();
      unchanged();
    } else {
      fail(why);
    }
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
      exchange = new Exchange(chosen, options);
      stopDialling = chosen.connect(exchange, /* force= */ false);
    }
  }

  // ---- the original's content

  /** Content of the original. Takes {@code content}. */
  public void content(ByteBuf content) {
    if (phase == Phase.OVER || !content.isReadable()) {
      content.release();
    } else if (phase == Phase.UNCHANGED && !keepsAll) {
      taker.content(content);
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
    if (held == null) {
      held = allocator.directBuffer(content.readableBytes());
      held.touch("Adaptation: content that may be sent again");
      kept = held;
    }
    held.writeBytes(content, content.readerIndex(), content.readableBytes());
  }

  private void forget() {
    keepsAll = false;
    if (kept != null) {
      kept.release();
      kept = null;
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
      over();
      taker.end(ofOriginal);
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
    if (held != null) {
      taker.content(held);
      if (phase == Phase.UNCHANGED) {
        taker.readComplete();
      }
    } else if (originalEnded) {
      over();
      taker.end(trailers);
    } else {
      readOriginal();
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
    Exchange current = exchange;
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

  // ---- one exchange with a service

  private final class Exchange implements ServiceState.Dialled, IcapConnection.Listener {
    private final ServiceState service;

    /** Bytes of the preview; -1: none. */
    private final int preview;

    private final long startedNanos = loop.clock().nanos();
    private @Nullable IcapConnection connection;

    /** Content that the preview has not sent; null: none. */
    private @Nullable ByteBuf behind;

    private int previewed;
    private boolean previewOver;
    private boolean continued;
    private boolean sentAll;
    private long remaining = ContentLength.UNKNOWN;

    Exchange(ServiceState service, IcapOptions options) {
      this.service = service;
      this.preview = preview(options);
    }

    private int preview(IcapOptions options) {
      IcapSettings settings = loop.settings().icap();
      if (!settings.previews()
          || options.transfer(message.path()) != IcapOptions.Transfer.PREVIEW) {
        return -1;
      }
      int wanted = options.preview() >= 0 ? options.preview() : settings.previewBytes();
      if (wanted < 0) {
        return -1;
      }
      long most = Math.min(wanted, IcapSettings.KEPT_BYTES);
      long length = message.contentLength();
      return (int) (message.hasContent() ? (length < 0 ? most : Math.min(most, length)) : 0);
    }

    private boolean allows204() {
      long length = message.contentLength();
      return !message.hasContent() || (length >= 0 && length <= IcapSettings.KEPT_BYTES);
    }

    // ---- sending

    @Override
    public void connected(IcapConnection found, boolean reused) {
      if (exchange != this) {
        found.close();
        return;
      }
      stopDialling = () -> {};
      connection = found;
      phase = Phase.SENDING;
      byte[] head =
          message.composed(
              service.service(), preview, allows204(), loop.settings().icap().persistent());
      found.start(
          Unpooled.wrappedBuffer(head),
          message.hasContent(),
          message.isResponse() ? IcapReader.Expected.RESPONSE : IcapReader.Expected.REQUEST,
          message.kept(),
          this);
      if (exchange == this && message.hasContent()) {
        if (kept != null) {
          original(kept.copy());
        }
        sendOn();
      }
    }

    private IcapConnection connection() {
      assert connection != null : "not connected";
      return connection;
    }

    /** Whether content is sent as it comes. */
    boolean isBehindPreview() {
      return preview < 0 || continued;
    }

    boolean isConnected() {
      return connection != null;
    }

    /** Sends {@code content}, taken, now or behind the preview. */
    void original(ByteBuf content) {
      if (connection == null || sentAll) {
        content.release();
        return;
      }
      if (preview < 0 || continued) {
        connection().chunk(content);
        return;
      }
      int room = preview - previewed;
      int now = Math.min(room, content.readableBytes());
      previewed += now;
      if (now == content.readableBytes()) {
        connection().chunk(content);
      } else {
        if (now > 0) {
          connection().chunk(content.readRetainedSlice(now));
        }
        behind = behind == null ? content : Unpooled.wrappedBuffer(behind, content);
      }
    }

    /** Sends what may be sent, and asks for more. */
    void sendOn() {
      if (connection == null || sentAll) {
        return;
      }
      boolean inPreview = preview >= 0 && !continued;
      if (inPreview && (previewOver || previewed == preview || originalEnded)) {
        endPreview();
      } else if (originalEnded) {
        sentAll = true;
        connection().endChunks(/* preview= */ false);
      } else if (connection().writable()) {
        connection().awaitsOriginal(true);
        readOriginal();
      }
    }

    private void endPreview() {
      if (previewOver) {
        return;
      }
      previewOver = true;
      if (originalEnded && behind == null) {
        sentAll = true;
        connection().endChunks(/* preview= */ true);
      } else {
        connection().endPreview();
      }
    }

    @Override
    public void writable() {
      sendOn();
    }

    /** Ends it; the connection is closed unless the exchange is complete. */
    void abandon() {
      dropBehind();
      if (connection != null) {
        connection.abandon();
        connection = null;
      }
    }

    private void dropBehind() {
      if (behind != null) {
        behind.release();
        behind = null;
      }
    }

    // ---- receiving

    @Override
    public void reply(IcapReply reply) {
      switch (reply.status()) {
        case 100 -> goOn();
        case 204 -> keepsMessage(reply);
        case 200, 201 -> adapted(reply);
        default -> broken("status " + reply.status());
      }
    }

    private void goOn() {
      if (preview < 0 || continued || sentAll || !previewOver) {
        broken("100 that does not follow a preview");
        return;
      }
      continued = true;
      ByteBuf rest = behind;
      behind = null;
      if (rest != null) {
        connection().chunk(rest);
      }
      sendOn();
    }

    private void keepsMessage(IcapReply reply) {
      boolean inPreview = preview >= 0 && !continued;
      if (reply.hasContent() || !keepsAll || !(inPreview || allows204())) {
        broken("204 that was not allowed");
        return;
      }
      note();
      leave();
      unchanged();
    }

    /** The service needs no more of the original. The connection lives on if it may. */
    private void leave() {
      dropBehind();
      exchange = null;
      if (previewOver && !continued) {
        sentAll = true;
        connection().endRequest();
      } else if (!sentAll && message.hasContent()) {
        abandon();
      }
    }

    private void note() {
      service.counters().adapted(loop.clock().nanos() - startedNanos);
    }

    private void adapted(IcapReply reply) {
      ResponseHead response = reply.response();
      RequestHead request = reply.request();
      if (response == null && request == null) {
        broken("no message inside");
        return;
      }
      note();
      phase = Phase.ADAPTED;
      forget();
      if (previewOver && !continued && !sentAll) {
        sentAll = true; // the service does not want the rest
        connection().endRequest();
      }
      if (response != null) {
        remaining = length(reply, response.fields());
        taker.response(response, reply.hasContent() ? remaining : 0);
      } else if (request != null) {
        remaining = length(reply, request.fields());
        taker.request(request, reply.hasContent() ? remaining : ContentLength.NONE);
      }
    }

    private static long length(IcapReply reply, Fields fields) {
      int field = fields.first(FieldName.CONTENT_LENGTH);
      long announced = field < 0 || !reply.hasContent() ? -1 : Decimal.of(fields, field);
      return announced < 0 ? ContentLength.UNKNOWN : announced;
    }

    void read() {
      if (connection != null) {
        connection.read();
      }
    }

    @Override
    public void content(ByteBuf content) {
      if (exchange != this) {
        content.release();
        return;
      }
      if (remaining >= 0) {
        if (content.readableBytes() > remaining) {
          content.release();
          broken("more content than announced");
          return;
        }
        remaining -= content.readableBytes();
      }
      taker.content(content);
    }

    @Override
    public void readComplete() {
      if (exchange == this) {
        taker.readComplete();
      }
    }

    @Override
    public void end(Fields ofAdapted) {
      connection = null;
      if (exchange != this || phase != Phase.ADAPTED) {
        return;
      }
      if (remaining > 0) {
        broken("less content than announced");
        return;
      }
      boolean unread = !originalEnded;
      over();
      if (unread) {
        original.cancel();
      }
      taker.end(ofAdapted.count() == 0 ? null : ofAdapted);
    }

    // ---- failures

    @Override
    public void failed(String why, boolean staleOrOverloaded) {
      boolean wasConnected = connection != null;
      connection = null;
      if (exchange != this) {
        return;
      }
      if (wasConnected && staleOrOverloaded && keepsAll) {
        again();
      } else if (!wasConnected && staleOrOverloaded) {
        overloaded(why);
      } else {
        broken(why);
      }
    }

    /** A kept connection has ended: that says nothing about the service. */
    private void again() {
      dropBehind();
      Exchange fresh = new Exchange(service, this);
      exchange = fresh;
      phase = Phase.CHOOSING;
      stopDialling = service.connectAnew(fresh);
    }

    /** The same on another connection. */
    private Exchange(ServiceState service, Exchange before) {
      this.service = service;
      this.preview = before.preview;
    }

    private void overloaded(String why) {
      exchange = null;
      phase = Phase.CHOOSING;
      IcapService.Overload reaction = service.service().onOverload();
      boolean waited = reaction == IcapService.Overload.WAIT && service.service().bypass();
      if (reaction == IcapService.Overload.BYPASS || waited) {
        service.counters().bypassed();
        unchanged();
      } else {
        fail("icap_service " + service.service().name() + ": " + why);
      }
    }

    private void broken(String why) {
      service.failed(why);
      boolean begun = phase == Phase.ADAPTED;
      exchange = null;
      abandon();
      String text = "icap_service " + service.service().name() + ": " + why;
      if (begun || !keepsAll) {
        fail(text);
        return;
      }
      phase = Phase.CHOOSING;
      if (next >= services.size() && retries < message.retries()) {
        retries++;
        next--;
      }
      choose(text);
    }
  }
}
