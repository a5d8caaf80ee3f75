package io.loligo.server.adapt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.IcapTransaction.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * One request to a service, and its response (RFC 3507 sections 4.5 to 4.9). Confined to the event
 * loop.
 *
 * <p>The {@link Owner} has the original content and decides how to go on after a failure. After
 * {@link Owner#unchanged}, {@link Owner#original}, {@link Owner#end}, {@link Owner#again}, {@link
 * Owner#overloaded}, {@link Owner#broken} and {@link #abandon}, neither the owner nor the taker is
 * called.
 */
final class ServiceExchange implements ServiceState.Dialled, IcapConnection.Listener {
  /** The message that is adapted. */
  interface Owner {
    /** The message is being sent. */
    void connected();

    /** The first bytes of the original, borrowed; null: none. */
    @Nullable ByteBuf kept();

    /** Whether {@link #kept} is all that was read of the original. */
    boolean keepsAll();

    /** Whether the original is complete. */
    boolean originalEnded();

    /** Requests one more read of the original, which comes by {@link #original}. */
    void readOriginal();

    /** The service leaves the message as it is. */
    void unchanged();

    /**
     * The service's message begins: the original will not be sent again.
     *
     * @param partial whether its content may end with that of the original
     */
    void adapted(boolean partial);

    /**
     * The content of the original from byte {@code from} on follows what the service has sent. The
     * taker waits for it.
     *
     * @param length its announced length; -1: unknown
     */
    void original(int from, long length);

    /** The service's message is complete. */
    void end();

    /** The connection was stale: {@code fresh} takes the place of this exchange. */
    void again(ServiceExchange fresh);

    /** The service has its most connections. */
    void overloaded(String why);

    /** The service failed. */
    void broken(String why);
  }

  private static final byte[] NO_BYTES = {};

  private final ServiceState service;
  private final IcapMessage message;
  private final Owner owner;
  private final Adapted taker;

  private final Offer offer;

  /** Bytes of the preview; -1: none. */
  private final int preview;

  private final long startedNanos;
  private long connectedNanos = -1;
  private long answeredNanos = -1;
  private byte[] sentHead = NO_BYTES;
  private @Nullable IcapReply answer;
  private long contentBytes;
  private boolean told;
  private @Nullable IcapConnection connection;

  /** Whether the owner waits for this exchange. */
  private boolean live = true;

  private int previewed;
  private boolean previewOver;
  private boolean continued;
  private boolean sentAll;
  private long remaining = ContentLength.UNKNOWN;

  /**
   * Of {@code message} with {@code service}. Begins when it is connected.
   *
   * @param offer made to the service
   * @param taker takes the service's message
   */
  ServiceExchange(
      ServiceState service, Offer offer, IcapMessage message, Owner owner, Adapted taker) {
    this.service = service;
    this.offer = offer;
    preview = offer.preview();
    this.message = message;
    this.owner = owner;
    this.taker = taker;
    startedNanos = service.clock().nanos();
  }

  // ---- sending

  @Override
  public void connected(IcapConnection found, boolean reused) {
    if (!live) {
      found.close();
      return;
    }
    connection = found;
    owner.connected();
    service.counts().increment(ServiceCount.MESSAGES);
    byte[] head = message.composed(service.service(), preview, offer.allow(), service.persistent());
    sentHead = head;
    connectedNanos = service.clock().nanos();
    found.start(
        Unpooled.wrappedBuffer(head),
        message.hasContent(),
        message.isResponse() ? IcapReader.Expected.RESPONSE : IcapReader.Expected.REQUEST,
        message.kept(),
        this);
    if (live && message.hasContent()) {
      ByteBuf kept = owner.kept();
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
      return;
    }
    if (now > 0) {
      connection().chunk(content.readRetainedSlice(now));
    }
    content.release(); // the owner keeps what is behind the preview
  }

  /** Sends what may be sent, and asks for more. */
  void sendOn() {
    if (connection == null || sentAll) {
      return;
    }
    boolean inPreview = preview >= 0 && !continued;
    if (inPreview && (previewOver || previewed == preview || owner.originalEnded())) {
      endPreview();
    } else if (owner.originalEnded()) {
      sentAll = true;
      connection().endChunks(/* preview= */ false);
    } else if (connection().writable()) {
      connection().awaitsOriginal(true);
      owner.readOriginal();
    }
  }

  private int keptBytes() {
    ByteBuf kept = owner.kept();
    return kept == null ? 0 : kept.readableBytes();
  }

  /** Whether a failure to keep the original breaks what the service was offered. */
  boolean needsKept() {
    return connection == null || !isBehindPreview() || offer.unchanged();
  }

  private void endPreview() {
    if (previewOver) {
      return;
    }
    previewOver = true;
    if (owner.originalEnded() && keptBytes() == previewed) {
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
    live = false;
    tell(Outcome.ICAP_ERR_GONE);
    if (connection != null) {
      connection.abandon();
      connection = null;
    }
  }

  // ---- receiving

  @Override
  public void reply(IcapReply reply) {
    answer = reply;
    if (reply.status() >= 200) {
      answeredNanos = service.clock().nanos();
    }
    switch (reply.status()) {
      case 100 -> goOn();
      case 204 -> keepsMessage(reply);
      case 200, 201 -> adapted(reply);
      case IcapReply.PARTIAL -> adaptedPartly(reply);
      default -> broken("status " + reply.status());
    }
  }

  private void goOn() {
    if (preview < 0 || continued || sentAll || !previewOver) {
      broken("100 that does not follow a preview");
      return;
    }
    continued = true;
    ByteBuf kept = owner.kept();
    int rest = keptBytes() - previewed;
    if (kept != null && rest > 0) {
      connection().chunk(kept.copy(kept.readerIndex() + previewed, rest));
    }
    sendOn();
  }

  private void keepsMessage(IcapReply reply) {
    boolean inPreview = preview >= 0 && !continued;
    if (reply.hasContent() || !owner.keepsAll() || !(inPreview || offer.unchanged())) {
      broken("204 that was not allowed");
      return;
    }
    note(ServiceCount.UNCHANGED);
    if (inPreview) {
      service.counts().increment(ServiceCount.UNCHANGED_IN_PREVIEW);
    }
    tell(Outcome.ICAP_ECHO);
    leave();
    taker.answered(service.service(), reply.fields());
    owner.unchanged();
  }

  /** The service needs no more of the original. The connection lives on if it may. */
  private void leave() {
    live = false;
    if (previewOver && !continued) {
      sentAll = true;
      connection().endRequest();
    } else if (!sentAll && message.hasContent()) {
      abandon();
    }
  }

  /** Tells about this exchange, which is over or will be with no more content. Once. */
  private void tell(Outcome outcome) {
    if (told) {
      return;
    }
    told = true;
    long now = service.clock().nanos();
    IcapReply reply = answer;
    ResponseHead inside = reply == null ? null : reply.response();
    taker.transacted(
        new IcapTransaction(
            service.service().name(),
            service.service().host(),
            service.service().uri(),
            service.service().method(),
            outcome,
            reply == null ? 0 : reply.status(),
            connection == null ? 0 : connection.sentBytes(),
            connection == null ? 0 : connection.receivedBytes(),
            insideBytes(reply),
            sentHead,
            reply == null ? null : reply.fields(),
            inside,
            answeredNanos < 0 ? -1 : answeredNanos - startedNanos,
            connectedNanos < 0 ? -1 : now - connectedNanos,
            now - startedNanos));
  }

  private long insideBytes(@Nullable IcapReply reply) {
    ResponseHead response = reply == null ? null : reply.response();
    if (response != null) {
      return response.end() + contentBytes;
    }
    byte[] request = reply == null ? null : reply.requestHead();
    return request == null ? -1 : request.length - message.kept().length + contentBytes;
  }

  private void note(ServiceCount kind) {
    service.counts().increment(kind);
    service.counts().add(ServiceCount.ANSWER_NANOS, service.clock().nanos() - startedNanos);
  }

  private void adaptedPartly(IcapReply reply) {
    boolean inPreview = previewOver && !continued;
    if (!offer.partial() || !owner.keepsAll() || !(inPreview || offer.unchanged())) {
      broken("206 that was not allowed");
    } else {
      adapted(reply);
    }
  }

  private void adapted(IcapReply reply) {
    ResponseHead response = reply.response();
    RequestHead request = reply.request();
    if (response == null && request == null) {
      broken("no message inside");
      return;
    }
    note(response != null && !message.isResponse() ? ServiceCount.SATISFIED : ServiceCount.ADAPTED);
    owner.adapted(reply.hasContent() && reply.status() == IcapReply.PARTIAL);
    if (!reply.hasContent()) {
      tell(changed());
    }
    if (previewOver && !continued && !sentAll) {
      sentAll = true; // the service does not want the rest
      connection().endRequest();
    }
    taker.answered(service.service(), reply.fields());
    if (response != null) {
      remaining = length(reply, response.fields());
      taker.response(response, reply.hasContent() ? remaining : 0);
    } else if (request != null) {
      remaining = length(reply, request.fields());
      taker.request(request, reply.hasContent() ? remaining : ContentLength.NONE);
    }
  }

  private Outcome changed() {
    IcapReply reply = answer;
    boolean satisfied = !message.isResponse() && reply != null && reply.response() != null;
    return satisfied ? Outcome.ICAP_SAT : Outcome.ICAP_MOD;
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
    if (!live) {
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
    contentBytes += content.readableBytes();
    taker.content(content);
  }

  @Override
  public void readComplete() {
    if (live) {
      taker.readComplete();
    }
  }

  @Override
  public @Nullable String flaw(long originalFrom) {
    if (!live) {
      return null;
    }
    if (originalFrom == OriginalBody.NONE) {
      return remaining > 0 ? "less content than announced" : null;
    }
    int most = keptBytes();
    if (!owner.keepsAll() || originalFrom > most) {
      return "use-original-body=" + originalFrom + " of " + most + " bytes";
    }
    if (changed() == Outcome.ICAP_SAT) {
      return "use-original-body in an answer to a request";
    }
    return null;
  }

  @Override
  public void end(Fields ofAdapted, long originalFrom) {
    if (!live) {
      connection = null;
      return;
    }
    live = false;
    boolean partly = originalFrom != OriginalBody.NONE;
    tell(partly ? Outcome.ICAP_PART_ECHO : changed());
    connection = null;
    if (partly) {
      owner.original((int) originalFrom, remaining);
    } else {
      owner.end();
      taker.end(ofAdapted.count() == 0 ? null : ofAdapted);
    }
  }

  // ---- failures

  @Override
  public void failed(String why, boolean staleOrOverloaded) {
    boolean wasConnected = connection != null;
    if (!live) {
      connection = null;
      return;
    }
    if (wasConnected && staleOrOverloaded && owner.keepsAll()) {
      tell(Outcome.ICAP_ERR_RACE);
      connection = null;
      again();
    } else if (!wasConnected && staleOrOverloaded) {
      overloaded(why);
    } else {
      broken(why);
    }
  }

  /** A kept connection has ended: that says nothing about the service. */
  private void again() {
    live = false;
    owner.again(new ServiceExchange(service, offer, message, owner, taker));
  }

  private void overloaded(String why) {
    live = false;
    told = true; // nothing was sent
    owner.overloaded(text(why));
  }

  private void broken(String why) {
    service.failed(why);
    tell(Outcome.ICAP_ERR_OTHER);
    abandon();
    owner.broken(text(why));
  }

  private String text(String why) {
    return "icap_service " + service.service().name() + ": " + why;
  }
}
