package io.loligo.server.exchange;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
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
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.store.memory.Entry;

/**
 * Answers from a stored response: whole, 304, or the ranges asked for. Confined to its event loop.
 * A small whole answer is one call to the stream and allocates nothing here.
 */
final class HitAnswer {
  /**
   * What a 304 repeats of the stored fields (RFC 9110 section 15.4.5), and what guides caches that
   * it updates.
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

  private final ExchangeLoop loop;

  HitAnswer(ExchangeLoop loop) {
    this.loop = loop;
  }

  /**
   * Answers, or refuses to by the rules for answers, which hold whatever an answer is from. Takes
   * {@code entry}.
   *
   * @param view the request as rules see it, borrowed
   * @return who goes on sending, or null where the answer is complete
   */
  ClientEvents answer(
      ClientStream stream,
      RequestHead head,
      RequestView view,
      Entry entry,
      CacheDecision decision) {
    return answer(stream, head, view, entry, decision, null);
  }

  /** The same; {@code asked} where the next hop was asked before, else null. */
  ClientEvents answer(
      ClientStream stream,
      RequestHead head,
      RequestView view,
      Entry entry,
      CacheDecision decision,
      Answered asked) {
    ExchangeRecord record = stream.record();
    record.decision = decision;
    if (isDenied(stream, view, entry) || isTooLarge(stream, head, view, entry, decision)) {
      entry.release();
      stream.flush();
      return null;
    }
    if (record.tag == LogTag.NONE_NONE) {
      classify(record, head, decision, readsDisk(head, entry));
    }
    String contentType = entry.contentType();
    record.contentType = contentType.isEmpty() ? null : contentType;
    entry.hit();
    HitStream rest = null;
    try {
      rest = send(stream, head, entry, decision, asked);
    } finally {
      if (rest == null) {
        entry.release();
      }
    }
    stream.flush();
    return rest == null || rest.done() ? null : rest;
  }

  /** http_reply_access; what cannot be decided is denied. */
  private boolean isDenied(ClientStream stream, RequestView view, Entry entry) {
    AclList rules = loop.settings().access.httpReplyAccess;
    if (rules.isEmpty()) {
      return false;
    }
    view.reply(entry);
    AclVerdict verdict = rules.evaluate(view);
    view.forgetReply();
    if (verdict.allowed()) {
      return false;
    }
    ExchangeRecord record = stream.record();
    record.tag = LogTag.TCP_DENIED_REPLY;
    record.hitClass = HitClass.OWN_ANSWER;
    record.errorDetail = verdict.rule() + " (" + verdict.source() + ")";
    String text = "Access denied by the proxy's rules.";
    ErrorPage.send(stream, loop, 403, "ERR_ACCESS_DENIED", text, null);
    return true;
  }

  /** reply_body_max_size, of what would be sent; what was stored before a reload may exceed it. */
  private boolean isTooLarge(
      ClientStream stream,
      RequestHead head,
      RequestView view,
      Entry entry,
      CacheDecision decision) {
    if (loop.settings().access.replyBodyMax.isForAll(-1)
        || (view.slice() != null && entry.meta().status() == 200)) { // the whole is judged
      return false;
    }
    view.reply(entry);
    long limit = limitExceeded(head, view, entry.meta(), decision);
    view.forgetReply();
    if (limit < 0) {
      return false;
    }
    stream.record().hitClass = HitClass.OWN_ANSWER;
    String text = "The answer is larger than " + limit + " bytes.";
    ErrorPage.send(stream, loop, 403, "ERR_TOO_BIG", text, null);
    return true;
  }

  /**
   * The limit that what would be sent of {@code stored} exceeds; -1: none.
   *
   * @param view of the request and what is stored
   */
  long limitExceeded(
      RequestHead head, RequestView view, StoredMeta stored, CacheDecision decision) {
    if (decision.outcome() == Outcome.NOT_MODIFIED || head.methodId() == Method.HEAD) {
      return -1;
    }
    long limit = loop.settings().access.replyBodyMax.of(view);
    RangeSelection ranges = ranges(head, stored);
    long length = ranges == null ? stored.contentLength() : ranges.octets();
    return limit >= 0 && length > limit ? limit : -1;
  }

  private HitStream send(
      ClientStream stream, RequestHead head, Entry entry, CacheDecision decision, Answered asked) {
    FieldLines lines = loop.lines();
    if (decision.outcome() == Outcome.NOT_MODIFIED) {
      addRepeated(StoredFields.index(ReplyFields.stored(entry)), lines);
      addOwn(lines, entry, decision, stream.record().fromDisk, asked);
      stream.head(loop.head(304, lines).content(ContentLength.NONE, true));
      return null;
    }
    boolean disk = stream.record().fromDisk || readsDisk(head, entry);
    addOwn(lines, entry, decision, disk, asked);
    RangeSelection ranges = ranges(head, entry.meta());
    if (ranges != null) {
      boolean known = head.fields().has(FieldName.IF_RANGE);
      return RangeAnswer.send(loop, stream, entry, known, lines, ranges);
    }
    return sendWhole(stream, head, entry, lines);
  }

  /** What part of {@code stored} is asked for; null: the whole. */
  static RangeSelection ranges(RequestHead head, StoredMeta stored) {
    Fields fields = head.fields();
    if (!fields.has(FieldName.RANGE) || head.methodId() != Method.GET) {
      return null;
    }
    RangeSelection selected = RangeSelection.of(fields, stored, stored.contentLength());
    return selected.outcome() == RangeSelection.Outcome.WHOLE ? null : selected;
  }

  /** Status of an answer from {@code stored}. */
  static int status(RequestHead head, StoredMeta stored, CacheDecision decision) {
    if (decision.outcome() == Outcome.NOT_MODIFIED) {
      return 304;
    }
    RangeSelection ranges = ranges(head, stored);
    if (ranges == null) {
      return stored.status();
    }
    return ranges.outcome() == RangeSelection.Outcome.UNSATISFIABLE ? 416 : 206;
  }

  /** The whole content, or for HEAD none of it; null where the answer is complete. */
  private HitStream sendWhole(
      ClientStream stream, RequestHead head, Entry entry, FieldLines lines) {
    if (entry.meta().part() != null) {
      throw new IllegalStateException("incomplete, and asked for the whole: " + entry.key());
    }
    boolean isHead = head.methodId() == Method.HEAD;
    int status = entry.meta().status();
    long announced = hasNoContent(status) ? ContentLength.NONE : entry.contentLength();
    int start = entry.hiddenLength();
    boolean cookies = loop.replaysSetCookie(stream, entry);
    if (ReplyFields.isRearranged(entry.meta(), cookies)) {
      ReplyFields.putFirst(StoredFields.index(ReplyFields.visible(entry)), cookies, lines);
      start = entry.fieldsLength() - 2;
    }
    int end = isHead ? entry.fieldsLength() : entry.firstBlockLength();
    int inBlock = end - entry.fieldsLength();
    boolean last = isHead || inBlock == entry.contentLength();
    stream.head(
        loop.head(status, lines)
            .block(entry.firstBlock(), start, end - start)
            .content(announced, last));
    if (last) {
      return null;
    }
    HitStream rest = new HitStream(loop, stream, entry);
    rest.add(null, inBlock, entry.contentLength());
    rest.writable();
    return rest;
  }

  static boolean hasNoContent(int status) {
    return status == 204 || status == 304;
  }

  /** Whether content that the answer may need is not in memory. */
  private static boolean readsDisk(RequestHead head, Entry entry) {
    long length = entry.contentLength();
    return head.methodId() != Method.HEAD && length > 0 && !entry.isResident(length - 1);
  }

  private void addOwn(
      FieldLines lines, Entry entry, CacheDecision decision, boolean disk, Answered asked) {
    ExchangeSettings settings = loop.settings();
    int version = entry.meta().has(StoredMeta.FROM_HTTP_1_0) ? 10 : 11;
    lines.append("Age: ").append(Math.max(0, decision.ageSeconds())).endLine();
    settings.addVia(lines, version);
    String key = settings.shownKey(entry.key());
    if (asked == null) {
      CacheStatus.appendHit(lines, settings.cacheName(), decision, disk, key);
    } else {
      lines.append(asked.lines().bytes(), 0, asked.lines().length());
      CacheStatus.appendStandIn(
          lines, settings.cacheName(), asked.why(), asked.status(), decision, key);
    }
  }

  /**
   * Adds what a 304 has of {@code stored}, borrowed, to {@code lines}: Last-Modified where no tag
   * says what is current.
   */
  static void addRepeated(Fields stored, FieldLines lines) {
    FieldSet repeated = stored.has(FieldName.ETAG) ? IN_304 : IN_304_WITHOUT_TAG;
    for (int i = 0; i < stored.count(); i++) {
      if (repeated.has(stored.id(i))) {
        lines.add(stored, i);
      }
    }
  }

  /** Notes tag and class of an answer from the store in {@code record}. */
  static void classify(
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

  /** The same for a 304. */
  static void classifyNotModified(ExchangeRecord record, RequestHead head) {
    boolean tagged = head.fields().has(FieldName.IF_NONE_MATCH);
    record.tag = tagged ? LogTag.TCP_INM_HIT : LogTag.TCP_IMS_HIT;
    record.hitClass = HitClass.NOT_MODIFIED_HIT;
  }
}
