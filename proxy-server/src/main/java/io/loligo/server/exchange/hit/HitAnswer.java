package io.loligo.server.exchange.hit;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CacheStatus;
import io.loligo.core.caching.Preconditions;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.range.RangeSelection;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.NodeRequests;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.AccessSettings;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Answers from a stored response: with the whole, a 304, or the requested ranges. Confined to its
 * event loop. A small whole response is one call to the stream and allocates nothing here.
 */
public final class HitAnswer {
  /**
   * The stored fields that a 304 repeats: those of RFC 9110 section 15.4.5, and those that guide
   * the caches that it updates.
   */
  private static final FieldSet IN_304 =
      FieldSet.of(
          FieldName.CACHE_CONTROL,
          FieldName.CDN_CACHE_CONTROL,
          FieldName.CONTENT_LOCATION,
          FieldName.DATE,
          FieldName.ETAG,
          FieldName.EXPIRES,
          FieldName.VARY,
          FieldName.VIA,
          FieldName.CACHE_STATUS);

  private static final FieldSet IN_304_WITHOUT_TAG = IN_304.and(FieldName.LAST_MODIFIED);

  private final LoopServices services;

  /** Creates the answers of the loop that {@code services} belong to. */
  public HitAnswer(LoopServices services) {
    this.services = services;
  }

  /**
   * Answers from {@code entry}, which it takes. The rules for responses apply wherever a response
   * comes from; if they deny this one, the client gets an error page.
   *
   * @param request borrowed
   * @return the part that sends the rest, or null if the response is complete
   */
  public @Nullable ClientEvents answer(Request request, Entry entry, CacheDecision decision) {
    return answer(request, entry, decision, null);
  }

  /**
   * As {@link #answer(Request, Entry, CacheDecision)}.
   *
   * @param asked the outcome of a request to the next hop; null if there was none
   */
  public @Nullable ClientEvents answer(
      Request request, Entry entry, CacheDecision decision, @Nullable Answered asked) {
    ClientStream stream = request.stream();
    RequestHead head = request.head();
    ExchangeRecord record = stream.record();
    record.decision = decision;
    if (hasRules()) {
      request.reply(entry);
      Refusal refusal = refusal(request, entry.meta(), decision);
      request.forgetReply();
      if (refusal != null) {
        ErrorPage.refuse(stream, services, ContentLength.NONE, refusal);
        entry.release();
        return null;
      }
    }
    if (record.tag == LogTag.NONE_NONE) {
      classify(record, head, decision, readsDisk(head, entry));
    }
    String contentType = entry.contentType();
    record.contentType = contentType.isEmpty() ? null : contentType;
    entry.hit();
    NodeRequests nodes = services.nodes;
    if (nodes != null && entry.meta().has(StoredMeta.COPY)) {
      nodes.owners().copyServed();
    }
    HitStream rest = null;
    try {
      rest = send(request, entry, decision, asked);
    } finally {
      if (rest == null) {
        entry.release();
      }
    }
    stream.flush();
    return rest == null || rest.done() ? null : rest;
  }

  private boolean hasRules() {
    AccessSettings access = services.settings.access;
    return !access.httpReplyAccess.isEmpty() || !access.replyBodyMax.isForAll(-1);
  }

  /**
   * Why the client must not get {@code stored}, which {@code request} holds as its response; null
   * if it may. A response that was stored before a reload may exceed the current limit.
   */
  public @Nullable Refusal refusal(Request request, StoredMeta stored, CacheDecision decision) {
    Refusal denied = services.caching.responseRefusal(request);
    boolean unlimited = services.settings.access.replyBodyMax.isForAll(-1);
    boolean wholeIsJudged = request.slice() != null && stored.status() == 200;
    if (denied != null || unlimited || wholeIsJudged) {
      return denied;
    }
    long limit = limitExceeded(request, stored, decision);
    return limit < 0 ? null : Refusal.ofResponseSize(limit);
  }

  /**
   * The {@code reply_body_max_size}, in bytes, that the response from {@code stored} exceeds; -1 if
   * none.
   */
  private long limitExceeded(Request request, StoredMeta stored, CacheDecision decision) {
    RequestHead head = request.head();
    if (decision.outcome() == Outcome.NOT_MODIFIED || head.methodId() == Method.HEAD) {
      return -1;
    }
    long limit = services.caching.replyBodyMax(request);
    RangeSelection ranges = ranges(head, stored);
    long length = ranges == null ? stored.contentLength() : ranges.bytes();
    return limit >= 0 && length > limit ? limit : -1;
  }

  private @Nullable HitStream send(
      Request request, Entry entry, CacheDecision decision, @Nullable Answered asked) {
    ClientStream stream = request.stream();
    RequestHead head = request.head();
    FieldLines lines = services.scratch.lines();
    if (request.isFromNode() && entry.meta().has(StoredMeta.HIDES_FIELDS)) {
      ReplyFields.addForNode(StoredFields.index(entry.storedLines()), lines);
    }
    if (decision.outcome() == Outcome.NOT_MODIFIED) {
      addRepeated(StoredFields.index(entry.storedLines()), lines);
      addOwn(lines, entry, decision, stream.record().fromDisk, asked);
      stream.head(services.scratch.head(304, lines).content(ContentLength.NONE, true));
      return null;
    }
    boolean disk = stream.record().fromDisk || readsDisk(head, entry);
    addOwn(lines, entry, decision, disk, asked);
    RangeSelection ranges = ranges(head, entry.meta());
    if (ranges != null) {
      boolean known = head.fields().has(FieldName.IF_RANGE);
      return RangeAnswer.send(services, request, entry, known, lines, ranges);
    }
    return sendWhole(request, entry, lines);
  }

  /**
   * The ranges of {@code stored} that the client requested; null if it gets the whole (RFC 9110
   * section 14.2).
   */
  public static @Nullable RangeSelection ranges(RequestHead head, StoredMeta stored) {
    Fields fields = head.fields();
    if (!fields.has(FieldName.RANGE) || head.methodId() != Method.GET) {
      return null;
    }
    RangeSelection selected = RangeSelection.of(fields, stored, stored.contentLength());
    return selected.outcome() == RangeSelection.Outcome.WHOLE ? null : selected;
  }

  /** The status of a response from {@code stored}: its own, 206, 304 or 416. */
  public static int status(RequestHead head, StoredMeta stored, CacheDecision decision) {
    if (decision.outcome() == Outcome.NOT_MODIFIED) {
      return 304;
    }
    RangeSelection ranges = ranges(head, stored);
    if (ranges == null) {
      return stored.status();
    }
    return ranges.outcome() == RangeSelection.Outcome.UNSATISFIABLE ? 416 : 206;
  }

  /**
   * Sends the head and the whole content; for HEAD, the head only. Null if the response is
   * complete.
   */
  private @Nullable HitStream sendWhole(Request request, Entry entry, FieldLines lines) {
    if (entry.meta().part() != null) {
      throw new IllegalStateException("incomplete, and asked for the whole: " + entry.key());
    }
    ClientStream stream = request.stream();
    boolean isHead = request.head().methodId() == Method.HEAD;
    int status = entry.meta().status();
    long announced = hasNoContent(status) ? ContentLength.NONE : entry.contentLength();
    int start = entry.hiddenLength();
    boolean cookies = services.caching.replaysSetCookie(request.httpPort(), entry);
    ByteBuf block = entry.firstBlock();
    if (ReplyFields.isRearranged(entry.meta(), cookies)) {
      int emptyLine = entry.fieldsLength() - 2;
      if (cookies || !entry.meta().has(StoredMeta.SETS_COOKIE)) {
        lines.prepend(block, entry.firstIndex(block) + start, emptyLine - start);
      } else {
        ReplyFields.putFirst(StoredFields.index(entry.visibleLines()), cookies, lines);
      }
      start = emptyLine;
    }
    int end = isHead ? entry.fieldsLength() : entry.firstBlockLength();
    int inBlock = end - entry.fieldsLength();
    boolean last = isHead || inBlock == entry.contentLength();
    boolean takesMore = stream.writable();
    stream.head(
        services
            .scratch
            .head(status, lines)
            .block(block, entry.firstIndex(block) + start, end - start)
            .content(announced, last));
    if (last) {
      return null;
    }
    HitStream rest = new HitStream(services, stream, entry);
    rest.add(null, inBlock, entry.contentLength());
    if (takesMore) {
      rest.followHead();
    }
    rest.writable();
    return rest;
  }

  /** Whether responses with this status never have content: 204 and 304. */
  public static boolean hasNoContent(int status) {
    return status == 204 || status == 304;
  }

  /** Whether content that the response may need is not in memory. */
  private static boolean readsDisk(RequestHead head, Entry entry) {
    long length = entry.contentLength();
    return head.methodId() != Method.HEAD && length > 0 && !entry.isResident(length - 1);
  }

  private void addOwn(
      FieldLines lines,
      Entry entry,
      CacheDecision decision,
      boolean disk,
      @Nullable Answered asked) {
    ExchangeSettings settings = services.settings;
    int version = entry.meta().has(StoredMeta.FROM_HTTP_1_0) ? 10 : 11;
    lines.append("Age: ").append(Math.max(0, decision.ageSeconds())).endLine();
    settings.addVia(lines, version);
    String key = settings.showsKey() ? settings.shownKey(entry.key()) : null;
    if (asked == null) {
      CacheStatus.appendHit(lines, settings.cacheName(), decision, disk, key);
    } else {
      lines.append(asked.lines().bytes(), 0, asked.lines().length());
      CacheStatus.appendStandIn(
          lines, settings.cacheName(), asked.why(), asked.status(), decision, key);
    }
  }

  /**
   * Appends the fields of {@code stored}, borrowed, that a 304 repeats. Last-Modified is repeated
   * only if there is no entity tag (RFC 9110 section 15.4.5).
   */
  public static void addRepeated(Fields stored, FieldLines lines) {
    FieldSet repeated = stored.has(FieldName.ETAG) ? IN_304 : IN_304_WITHOUT_TAG;
    for (int i = 0; i < stored.count(); i++) {
      if (repeated.has(stored.id(i))) {
        lines.add(stored, i);
      }
    }
  }

  /**
   * Notes the tag and hit class of a response from the store in {@code record}.
   *
   * @param readsDisk whether its content is read from disk
   */
  public static void classify(
      ExchangeRecord record, RequestHead head, CacheDecision decision, boolean readsDisk) {
    Fields fields = head.fields();
    if (decision.outcome() == Outcome.NOT_MODIFIED) {
      classifyNotModified(record, head);
    } else if (decision.reason() == CacheReason.NEGATIVE) {
      record.tag = LogTag.TCP_NEGATIVE_HIT;
      record.hitClass = HitClass.NEGATIVE_HIT;
    } else {
      boolean disk = record.fromDisk || readsDisk;
      LogTag tag = disk ? LogTag.TCP_HIT : LogTag.TCP_MEM_HIT;
      HitClass hitClass = disk ? HitClass.DISK_HIT : HitClass.MEMORY_HIT;
      record.tag = decision.reason() == CacheReason.OFFLINE ? LogTag.TCP_OFFLINE_HIT : tag;
      record.hitClass = fields.hasAny(Preconditions.FIELDS) ? HitClass.IMS_HIT : hitClass;
    }
  }

  /** Notes the tag and hit class of a 304 from the store in {@code record}. */
  public static void classifyNotModified(ExchangeRecord record, RequestHead head) {
    boolean tagged = head.fields().has(FieldName.IF_NONE_MATCH);
    record.tag = tagged ? LogTag.TCP_INM_HIT : LogTag.TCP_IMS_HIT;
    record.hitClass = HitClass.NOT_MODIFIED_HIT;
  }
}
