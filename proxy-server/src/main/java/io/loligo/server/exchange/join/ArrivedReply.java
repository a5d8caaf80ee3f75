package io.loligo.server.exchange.join;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheStatus;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.ByteRange;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.fetch.Fetch;
import io.loligo.server.exchange.hit.HitAnswer;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.store.inflight.InFlight;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * A response that arrives from a fetch, as the client of one request gets it. The heads it makes
 * are in the loop's scratch objects, to be sent at once. Used during the call that tells of the
 * response's head; confined to the client's event loop.
 */
final class ArrivedReply {
  private final LoopServices services;
  private final Request request;
  private final MissCause cause;
  private final CacheKey key;
  private final InFlight.Arrived arrived;
  private final @Nullable Fetch own;
  private final boolean waited;

  /**
   * For {@code request}; everything borrowed.
   *
   * @param own the request's own fetch; null where it reads along with the fetch of another
   * @param waited whether it has waited for another's
   */
  ArrivedReply(
      LoopServices services,
      Request request,
      MissCause cause,
      CacheKey key,
      InFlight.Arrived arrived,
      @Nullable Fetch own,
      boolean waited) {
    this.services = services;
    this.request = request;
    this.cause = cause;
    this.key = key;
    this.arrived = arrived;
    this.own = own;
    this.waited = waited;
  }

  /** The head as it came from the origin. */
  ResponseHead head() {
    return arrived.head();
  }

  /** The facts by which it is stored; null where it is not. */
  @Nullable StoredMeta meta() {
    return arrived.meta();
  }

  /** Whether it may answer other requests. */
  boolean isShareable() {
    return arrived.shareable();
  }

  /** The facts by the rules of this request's port; null: it may not be stored. */
  @Nullable StoredMeta regarded() {
    StoredMeta meta = arrived.meta();
    return meta != null && meta.isOfOtherKind(services.caching.of(request).gateway)
        ? services.caching.regarded(meta, ByteBufUtil.getBytes(arrived.fields()), request)
        : meta;
  }

  /** Whether the {@code send_hit} lines keep it from this request. */
  boolean isHitDenied() {
    request.reply(arrived.head());
    boolean denied = services.caching.isHitDenied(request);
    request.forgetReply();
    return denied;
  }

  /** Whether the client has it already, as it is stored. */
  boolean isUnmodified() {
    StoredMeta meta = arrived.meta();
    return meta != null && Reuse.answering(request.head(), meta) == Outcome.NOT_MODIFIED;
  }

  /**
   * The facts of a whole that a range may be cut out of; null where no range is. A response that is
   * not stored is one only if it was fetched whole for the sake of a range; its validators are
   * unknown.
   */
  @Nullable StoredMeta described() {
    if (request.slice() != null && arrived.head().status() != 206) {
      return null; // the part that joins the slices sees what it is
    }
    boolean ranged = request.head().fields().has(FieldName.IF_RANGE);
    if (arrived.meta() != null || !cause.fetchesWhole() || ranged) {
      return arrived.meta();
    }
    return StoredMeta.undated(arrived.head().status(), arrived.contentLength());
  }

  /** Bytes of content for the client, of which {@code window} is a part; -1 where unknown. */
  long length(@Nullable Window window) {
    return window == null ? arrived.contentLength() : window.range().length();
  }

  /** The status for the client. */
  int status(@Nullable Window window) {
    if (window != null) {
      return 206;
    }
    StoredMeta meta = arrived.meta();
    if (meta != null && meta.part() != null) {
      throw new IllegalStateException("a part that was not asked for: " + key);
    }
    return meta != null ? meta.status() : arrived.head().status();
  }

  /** The length to announce, see {@link ContentLength}. */
  long announced(@Nullable Window window) {
    return HitAnswer.hasNoContent(status(window)) ? ContentLength.NONE : length(window);
  }

  // ---- heads

  /**
   * The head, with content to follow.
   *
   * @param window the range that the client gets; null: the whole
   * @param last whether no content follows
   */
  OutgoingHead head(@Nullable Window window, boolean last) {
    FieldLines lines = services.scratch.lines();
    addOwn(lines);
    if (window != null) {
      window.range().addContentRange(lines, window.completeLength());
    }
    RequestHead head = request.head();
    ByteBuf fields = arrived.fields();
    int from = fields.readerIndex();
    if (arrived.meta() != null && arrived.meta().has(StoredMeta.HIDES_FIELDS)) {
      from += HiddenFields.length(fields.slice());
    }
    boolean cookies = own != null || replaysSetCookie();
    boolean known = window != null && head.fields().has(FieldName.IF_RANGE);
    int emptyLine = fields.writerIndex() - 2;
    if (known || (!cookies && holdsCookies())) {
      ByteBuf visible = fields.slice(from, fields.writerIndex() - from);
      ReplyFields.putFirst(StoredFields.index(visible), cookies, known, lines);
      from = emptyLine;
    } else if (extendsLists()) {
      lines.prepend(fields, from, emptyLine - from);
      from = emptyLine;
    }
    return services
        .scratch
        .head(status(window), lines)
        .block(fields, from, fields.writerIndex() - from)
        .content(announced(window), last);
  }

  /** A 304: the client has the response already. */
  OutgoingHead notModified() {
    FieldLines lines = services.scratch.lines();
    HitAnswer.addRepeated(StoredFields.index(arrived.fields()), lines);
    addOwn(lines);
    return services.scratch.head(304, lines).content(ContentLength.NONE, true);
  }

  /** A 416: the range that was asked for is not in the whole, of {@code completeLength} bytes. */
  OutgoingHead unsatisfiable(long completeLength) {
    FieldLines lines = services.scratch.lines();
    addOwn(lines);
    services.clock.addDate(lines, services.clock.millis());
    ByteRange.addUnsatisfied(lines, completeLength);
    return services.scratch.head(416, lines).content(0, true);
  }

  /** Whether its lines hold lists that ours extend. */
  private boolean extendsLists() {
    return arrived.meta() == null
        ? arrived.head().fields().hasAny(ReplyFields.EXTENDED_LISTS)
        : arrived.meta().has(StoredMeta.EXTENDS_LISTS);
  }

  private boolean replaysSetCookie() {
    return holdsCookies()
        && arrived.meta() != null
        && services.caching.replaysSetCookie(request.httpPort(), arrived.meta(), arrived.fields());
  }

  private boolean holdsCookies() {
    return arrived.meta() == null
        ? arrived.head().fields().has(FieldName.SET_COOKIE)
        : arrived.meta().has(StoredMeta.SETS_COOKIE);
  }

  private void addOwn(FieldLines lines) {
    ExchangeSettings settings = services.settings;
    Fields reply = arrived.head().fields();
    if (own == null && arrived.meta() != null) {
      long age = arrived.meta().ageSeconds(services.clock.millis());
      lines.append("Age: ").append(Math.max(0, age)).endLine();
    } else if (reply.has(FieldName.AGE)) {
      lines.add(reply, reply.first(FieldName.AGE));
    }
    if (own != null) {
      ReplyFields.addWithheld(arrived.head(), own.withheldFields(), lines);
      if (arrived.head().status() == 407 && own.passesLogin()) {
        ReplyFields.addChallenge(arrived.head(), lines);
      }
    }
    if (request.isFromNode()) {
      boolean stored = arrived.meta() != null && arrived.meta().has(StoredMeta.HIDES_FIELDS);
      ReplyFields.addForNode(stored ? StoredFields.index(arrived.fields()) : reply, lines);
    }
    settings.addVia(lines, arrived.head().version());
    StoredMeta meta = arrived.meta();
    CacheStatus.appendForward(
        lines,
        settings.cacheName(),
        cause.decision(),
        arrived.head().status(),
        meta == null || meta.has(StoredMeta.PASSING) ? null : regarded(),
        waited,
        own == null,
        services.clock.millis(),
        settings.shownKey(key));
  }
}
