package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Completion;
import io.loligo.core.range.Incomplete;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.FetchSettings;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.ClusterNode;
import io.loligo.store.inflight.InFlight;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to a fetch: whether it is stored and how, why not, and the head that readers get.
 * Confined to the event loop of the fetch.
 */
final class FetchedResponse {
  /** Largest response of another node that requests of this node share. */
  private static final long MAX_JOINED_BYTES = 1 << 20;

  /** Lifetime of a copy, unless it is fresh for less. */
  static final long COPY_SECONDS = 10;

  private final LoopServices services;
  private final StoringRules.Asked asked;
  private int status;
  private long announced = -1;
  private @Nullable StoredMeta meta;
  private boolean shareable;
  private List<String> withheld = List.of();
  private @Nullable String refusal;
  private boolean repeats;

  /** Whether it is not stored, but requests that came meanwhile get it too. */
  private boolean forJoined;

  /** The head that readers get, a snapshot. */
  private @Nullable ResponseHead head;

  /** The response to the request of {@code asked}, which has not arrived. */
  FetchedResponse(LoopServices services, StoringRules.Asked asked) {
    this.services = services;
    this.asked = asked;
  }

  /** The status of the origin's response; 0: none yet. */
  int status() {
    return status;
  }

  /** Sets {@link #status()}. */
  void status(int arrived) {
    status = arrived;
  }

  /** Whether it is stored. */
  boolean isStored() {
    return meta != null;
  }

  /**
   * Whether it is kept while it arrives, and not stored: it comes from a node of the cluster, and
   * other requests get it too.
   */
  boolean isForJoined() {
    return forJoined;
  }

  /** Whether other requests with the same key get it too. */
  boolean isShareable() {
    return shareable;
  }

  /** Bytes of the content that the head announces; -1: unknown. */
  long announced() {
    return announced;
  }

  /** The names of fields that the shared lines omit. */
  List<String> withheld() {
    return withheld;
  }

  /** Why it is not stored; null if it is stored or storing was never considered. */
  @Nullable String refusal() {
    return refusal;
  }

  /** Sets {@link #refusal()}. */
  void refusal(String why) {
    refusal = why;
  }

  /** Sets whether it repeats the response that was validated. */
  void repeats(boolean repeated) {
    repeats = repeated;
  }

  /** Writes the known facts about it into {@code record}; {@code bytes} of content arrived. */
  void account(ExchangeRecord record, long bytes) {
    record.serverContentBytesIn = status == 0 ? -1 : bytes;
    record.serverStatus = status;
    record.refusal = refusal;
    record.repeated = repeats;
  }

  /** The head of the response, a snapshot; null: it has not arrived, or was not for readers. */
  @Nullable ResponseHead head() {
    return head;
  }

  /** Sets {@link #head()}. */
  void head(ResponseHead snapshot) {
    head = snapshot;
  }

  private RequestHead requestHead() {
    return asked.request().head();
  }

  /**
   * The content length to announce, in bytes; -1: unknown. For HEAD: the length that a GET would
   * get.
   */
  long announced(ResponseHead reply, long replyLength) {
    if (requestHead().methodId() == Method.HEAD) {
      int length = reply.fields().first(FieldName.CONTENT_LENGTH);
      return length < 0 ? -1 : Math.max(-1, Decimal.of(reply.fields(), length));
    }
    return ContentLength.bytes(replyLength);
  }

  /**
   * Decides about {@code reply}, borrowed.
   *
   * @param replyLength bytes of its content, see {@link ContentLength}
   * @param peer the cache_peer that sent it; null: an origin, or a node of the cluster
   * @param use by other requests, if a node of the cluster sent or owns it; else STORED
   * @param now milliseconds since the epoch
   */
  void arrived(
      ResponseHead reply,
      long replyLength,
      @Nullable CachePeer peer,
      ClusterNode.Use use,
      long now) {
    announced = announced(reply, replyLength);
    Storability storability = services.storing.of(asked, reply, announced, now);
    refusal = refusal(storability, reply, peer, use);
    if (storability == null || !storability.storable() || refusal != null) {
      return;
    }
    StoredMeta described = meta(storability);
    if (status == 206) {
      announced = described.contentEnd() - described.contentStart();
    }
    // without a stored copy, the slower of two readers would have to be cut
    shareable =
        storability.shareable()
            && asked.asksForItself()
            && (status != 206 || asked.request().slice() != null); // the key has the slice's range
    boolean copied =
        use == ClusterNode.Use.COPIED
            && shareable
            && services.store.takesCopy(announced)
            && described.isFreshAt(described.ageSeconds(now));
    forJoined = use != ClusterNode.Use.STORED && !copied;
    boolean unframed = replyLength == ContentLength.UNDELIMITED;
    StoredMeta full =
        StoringRules.meta(described, reply, unframed, forJoined ? StoredMeta.PASSING : 0);
    meta = copied ? full.copied(now, COPY_SECONDS) : full;
    withheld = services.storing.withheld(asked, reply, storability.withheldFields());
  }

  private @Nullable String refusal(
      @Nullable Storability storability,
      ResponseHead reply,
      @Nullable CachePeer peer,
      ClusterNode.Use use) {
    if (storability == null) {
      return null;
    }
    if (!storability.storable()) {
      return storability.reason();
    }
    if (!fits(meta(storability))) {
      return "too large for memory and disk";
    }
    String rule = ruleAgainst(reply, peer, use);
    if (rule != null) {
      return rule;
    }
    boolean get = requestHead().methodId() == Method.GET;
    return get && !services.keys.fits(asked.request().target(), reply.fields())
        ? "No-Vary-Search differs from that of earlier responses"
        : null;
  }

  /**
   * Decides about a stored part and {@code reply}, which continues it, as one response (RFC 9111
   * section 3.4). Returns false without an effect if they would not be stored.
   *
   * @param merged the fields of both
   * @param peer the cache_peer that sent {@code reply}; null: an origin
   * @param node the node of the cluster that sent it; null: none did
   * @param now milliseconds since the epoch
   */
  boolean continues(
      Completion completion,
      ResponseHead reply,
      ResponseHead merged,
      @Nullable CachePeer peer,
      @Nullable ClusterNode node,
      long now) {
    long length = completion.completeLength();
    Storability storability = services.storing.ofContinued(asked, merged, length, now, reply);
    if (!storability.storable()
        || !services.keys.fits(asked.request().target(), merged.fields())
        || node != null // its bytes are not stored
        || ruleAgainst(merged, peer, ClusterNode.Use.STORED) != null) {
      return false;
    }
    StoredMeta combined =
        StoringRules.meta(meta(storability), merged, /* unframed= */ false, /* more= */ 0)
            .withPart(completion.combined());
    if (combined.part() != null && !Incomplete.answers(requestHead(), combined)) {
      return false;
    }
    meta = combined;
    refusal = null;
    announced = completion.length();
    shareable = combined.part() == null && storability.shareable();
    withheld = services.storing.withheld(asked, merged, storability.withheldFields());
    return true;
  }

  /** The facts by which a storable response is stored. */
  private static StoredMeta meta(Storability storable) {
    StoredMeta meta = storable.meta();
    assert meta != null : "not storable";
    return meta;
  }

  /**
   * The reason against keeping {@code reply}; null if there is none. The node that owns it stores
   * it; here a small response is kept while it arrives, since a client that lags must not delay the
   * others, and perhaps copied.
   */
  private @Nullable String ruleAgainst(
      ResponseHead reply, @Nullable CachePeer peer, ClusterNode.Use use) {
    boolean small = status != 206 && announced >= 0 && announced <= MAX_JOINED_BYTES;
    if (use == ClusterNode.Use.ASKED || (use != ClusterNode.Use.STORED && !small)) {
      return "another node of the cluster stores it";
    }
    if (peer != null && peer.proxyOnly()) {
      return "proxy-only of cache_peer " + peer.name();
    }
    return services.caching.mayStoreMiss(asked.request(), reply) ? null : "store_miss deny";
  }

  private boolean fits(StoredMeta described) {
    return services.store.fits(
        described.part() == null ? described.contentLength() : described.part().length());
  }

  /**
   * Passes the head to readers and to the store. After {@link #arrived} or {@link #continues}.
   *
   * @param reply the origin's response, borrowed
   * @param fields the response whose fields are stored or forwarded: {@code reply}, or its
   *     combination with a stored response
   * @param now milliseconds since the epoch
   */
  void open(InFlight inFlight, ResponseHead reply, ResponseHead fields, long now) {
    ResponseHead snapshot = reply.snapshot();
    head = snapshot;
    Request request = asked.request();
    request.reply(snapshot);
    inFlight.head(
        snapshot,
        meta,
        shareable,
        ReplyFields.shared(
            fields,
            meta != null,
            withheld,
            services.clock,
            now,
            services.scratch.section(),
            request.allocator()),
        announced);
  }

  /**
   * Whether content of {@code bytes}, whose length was not announced, is too small to be stored.
   */
  boolean isTooSmall(long bytes) {
    return meta != null
        && announced < 0
        && bytes < services.storing.caching(asked, status).minObjectBytes;
  }

  /**
   * The key under which the response to a GET is stored; null: that of the request.
   *
   * @param keysAsOf the moment of the keys when the request was sent
   */
  @Nullable CacheKey learntKey(ResponseHead reply, long keysAsOf) {
    Request request = asked.request();
    CacheKey learnt = services.keys.learnt(request.target(), reply.fields(), keysAsOf);
    if (learnt == null && request.slice() != null && status < 400 && status != 206) {
      // not a slice: the next request finds it by its URL
      return services.keys.urlKey(request.target());
    }
    return learnt;
  }

  /**
   * Whether the rest is worth fetching when no reader is left ({@code quick_abort_min}, {@code
   * _max}, {@code _pct}).
   *
   * @param whole whether the whole is fetched, whatever range the request names
   * @param served whether the client that left had received all that it wanted
   */
  boolean goesOnAlone(InFlight inFlight, boolean whole, boolean served) {
    Request request = asked.request();
    if (!inFlight.isStored() || announced < 0 || requestHead().methodId() == Method.POST) {
      return false;
    }
    if (served && request.slice() != null && status == 206) {
      return true;
    }
    FetchSettings settings = services.settings.fetches;
    if (whole && settings.rangeOffsetLimit.of(request) < 0) {
      return true;
    }
    return settings.goesOnAlone(announced, inFlight.received());
  }

  /** The fields of {@code trailers} that readers get. */
  @Nullable Fields trailers(@Nullable Fields trailers) {
    assert head != null : "the head comes first";
    return ReplyFields.trailers(trailers, head, withheld);
  }
}
