package io.loligo.server.exchange.rules;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.caching.CacheControl;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.config.SizeLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.Incomplete;
import io.loligo.core.range.RangeOffset;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.StoredSetCookie;
import io.loligo.server.port.HttpPort;
import io.loligo.server.upstream.own.OwnObjects;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.StoredResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether and how a request uses stored responses, for clients and for {@code explain}.
 * Confined to the event loop.
 */
public final class CacheRules {
  private final ExchangeSettings settings;
  private final KeyRules keys;
  private final LazyUrl url = new LazyUrl();

  /** Creates the rules for one loop and one configuration. */
  public CacheRules(ExchangeSettings settings, KeyRules keys) {
    this.settings = settings;
    this.keys = keys;
  }

  /** The caching settings for the port of {@code request}. */
  public CacheSettings of(Request request) {
    return settings.caching(request.httpPort());
  }

  /** What {@code refresh_pattern} compares; built when it is read, valid until the next call. */
  public CharSequence url(Request request) {
    return url.of(request.target());
  }

  /** Whether {@code request} may share a fetch with others. */
  public boolean mayCollapse(Request request) {
    AclList access = settings.fetches.collapsedForwardingAccess;
    return settings.fetches.collapsedForwarding
        && (access.isEmpty() || access.evaluate(request).allowed());
  }

  /** Why {@code request} may not be sent to origins and parents; null: it may. */
  public @Nullable Refusal missRefusal(Request request) {
    AclList access = settings.access.missAccess;
    if (access.isEmpty() || request.isFromNode() || request.host().equals(OwnObjects.HOST)) {
      return null;
    }
    AclVerdict verdict = access.evaluate(request);
    return verdict.allowed() ? null : Refusal.forwardingDenied(verdict);
  }

  // ---- requests that bypass the store

  /** Whether the {@code cache} lines allow {@code request} to use the store. */
  public boolean mayCache(Request request) {
    AclList cache = settings.access.cache;
    return cache.isEmpty() || cache.evaluate(request).allowed();
  }

  /**
   * Whether the content of {@code request}, a QUERY, is part of its key (RFC 10008 section 2.7).
   */
  public boolean keysContent(Request request) {
    int max = settings.queryContentMaxBytes;
    return request.head().methodId() == Method.QUERY
        && max > 0
        && request.contentLength() <= max
        && !request.hostConflicts()
        && mayCache(request);
  }

  /**
   * The protocol of Upgrade that {@code request} may switch to; null if none. It must be allowed by
   * {@code http_upgrade_request_protocols}, whose default is {@code websocket}. A request with
   * content is not upgraded, because two parties could disagree about the end of the content. RFC
   * 9110 section 7.8 allows a server to ignore the field.
   */
  public @Nullable String upgrade(Request request) {
    RequestHead head = request.head();
    Fields fields = head.fields();
    if (!fields.has(FieldName.UPGRADE)
        || ContentLength.bytes(request.contentLength()) != 0
        || head.version() < 11
        || head.methodId() != Method.GET
        || !fields.hasToken(FieldName.CONNECTION, "upgrade")) {
      return null;
    }
    String value = fields.joined("Upgrade");
    assert value != null;
    for (String protocol : value.split(",", -1)) {
      String name = protocol.strip();
      AclList rules = settings.access.upgrades.of(name);
      if (!name.isEmpty() && rules.evaluate(request).allowed()) {
        return name;
      }
    }
    return null;
  }

  /**
   * The decision for a request that bypasses the store; null if it does not bypass it.
   *
   * @param upgrade see {@link #upgrade}
   */
  public @Nullable CacheDecision bypass(Request request, @Nullable String upgrade) {
    CacheReason reason = upgrade != null ? CacheReason.UPGRADE : bypassReason(request);
    if (reason == null) {
      return null;
    }
    Outcome outcome = wantsStored(request.head()) ? Outcome.UNSATISFIABLE : Outcome.BYPASS;
    return new CacheDecision(outcome, reason, -1, -1);
  }

  private @Nullable CacheReason bypassReason(Request request) {
    if (request.hostConflicts()) {
      return CacheReason.HOST_CONFLICT;
    }
    int method = request.head().methodId();
    boolean keyed = method == Method.QUERY && request.target().keySuffix() != null;
    if (!Method.isGetOrHead(method) && !keyed) {
      return CacheReason.METHOD;
    }
    if (ContentLength.hasContent(request.contentLength()) && !keyed) {
      return CacheReason.REQUEST_BODY;
    }
    return mayCache(request) ? null : CacheReason.CACHE_DENIED;
  }

  /**
   * Whether the request has {@code only-if-cached} and a method that a stored response can answer.
   */
  private static boolean wantsStored(RequestHead head) {
    return Method.isGetOrHead(head.methodId())
        && CacheControl.ofRequest(head.fields()).has(CacheControl.ONLY_IF_CACHED);
  }

  // ---- stored responses

  /**
   * The metadata of {@code stored}, borrowed; see {@link #regarded(StoredMeta, byte[], Request)}. A
   * copy is for clients of this node alone, and for the kind of port that stored it.
   */
  public @Nullable StoredMeta regarded(StoredResponse stored, Request request) {
    StoredMeta meta = stored.meta();
    if (meta.has(StoredMeta.COPY)
        && (request.isFromNode() || meta.isOfOtherKind(of(request).gateway))) {
      return null;
    }
    return meta.isOfOtherKind(of(request).gateway)
        ? regarded(meta, stored.storedLines(), request)
        : meta;
  }

  /**
   * The metadata of a stored response as the port of {@code request} sees it. Null if that port may
   * not use the response; the request is then a miss (RFC 9213).
   *
   * @param lines the stored field lines and the empty line, borrowed
   */
  public @Nullable StoredMeta regarded(StoredMeta meta, byte[] lines, Request request) {
    return Storability.regarded(meta, StoredFields.index(lines), url(request), of(request));
  }

  /** Whether the {@code send_hit} lines deny {@code stored}, borrowed, to {@code request}. */
  public boolean isHitDenied(Request request, StoredResponse stored) {
    AclList rules = settings.access.sendHit;
    if (rules.isEmpty() || request.isFromNode()) {
      return false;
    }
    request.reply(stored);
    boolean denied = !rules.evaluate(request).allowed();
    request.forgetReply();
    return denied;
  }

  /**
   * Whether the {@code send_hit} lines deny the response that {@code request} already holds; see
   * {@link Request#reply(Fields, int)}.
   */
  public boolean isHitDenied(Request request) {
    AclList rules = settings.access.sendHit;
    return !rules.isEmpty() && !request.isFromNode() && !rules.evaluate(request).allowed();
  }

  /**
   * The {@code reply_body_max_size} for {@code request}, in bytes; -1: no limit. The node that its
   * client asked applies it.
   */
  public long replyBodyMax(Request request) {
    return request.isFromNode() ? -1 : settings.access.replyBodyMax.of(request);
  }

  /** Whether the {@code store_miss} lines allow {@code reply}, borrowed, to be stored. */
  public boolean mayStoreMiss(Request request, ResponseHead reply) {
    AclList rules = settings.access.storeMiss;
    if (rules.isEmpty()) {
      return true;
    }
    request.reply(reply);
    boolean allowed = rules.evaluate(request).allowed();
    request.forgetReply();
    return allowed;
  }

  /**
   * Why {@code http_reply_access} denies the response that {@code request} holds; null if it allows
   * the response. A rule that cannot be decided denies.
   */
  public @Nullable Refusal responseRefusal(Request request) {
    AclList rules = settings.access.httpReplyAccess;
    if (rules.isEmpty() || request.isFromNode()) {
      return null;
    }
    AclVerdict verdict = rules.evaluate(request);
    return verdict.allowed() ? null : Refusal.responseDenied(verdict);
  }

  /**
   * Whether the response to {@code request} may be shared between clients, assuming that it has the
   * same fields as {@code entry}, borrowed.
   */
  public boolean isShared(Request request, Entry entry) {
    Fields stored = StoredFields.index(entry.storedLines());
    return Storability.isShared(request.head(), stored, of(request));
  }

  // ---- the decision

  /**
   * The decision for a request whose key is sealed.
   *
   * @param found the metadata of the selected stored response, or null
   * @param denied whether {@code send_hit} denies it to the request
   * @param others whether other variants are stored; read only if {@code found} is null
   * @param nowMillis milliseconds since the epoch
   * @param load the outcome of the disk lookup; null if there was none
   */
  public CacheDecision decision(
      Request request,
      @Nullable StoredMeta found,
      boolean denied,
      boolean others,
      long nowMillis,
      @Nullable LoadOutcome load) {
    RequestHead head = request.head();
    if (denied) {
      Outcome outcome = wantsStored(head) ? Outcome.UNSATISFIABLE : Outcome.FETCH;
      return new CacheDecision(outcome, CacheReason.HIT_DENIED, -1, -1);
    }
    CacheDecision decision =
        Reuse.decide(nowMillis, head, false, found, others, url(request), of(request));
    if (found == null) {
      return load == null ? decision : afterLoad(decision, load);
    }
    return unlessSteered(Incomplete.weigh(decision, head, found), head, found);
  }

  /**
   * The decision for {@code found}, whose head is loaded and whose content may not be.
   *
   * @param nowMillis milliseconds since the epoch
   */
  public CacheDecision decisionByHead(Request request, StoredMeta found, long nowMillis) {
    return Reuse.decide(nowMillis, request.head(), false, found, false, url(request), of(request));
  }

  /**
   * Changes a validation to a fetch if {@code head} has other overriding fields than the request
   * that stored {@code found}. Its response then does not apply to {@code found}.
   */
  private static CacheDecision unlessSteered(
      CacheDecision decision, RequestHead head, StoredMeta found) {
    return decision.outcome() == Outcome.VALIDATE
            && !VarySelection.isSteeredLike(found.vary(), head.fields())
        ? new CacheDecision(
            Outcome.FETCH, decision.reason(), decision.ageSeconds(), decision.lifetimeSeconds())
        : decision;
  }

  /**
   * Adds the reason {@link CacheReason#DISK_UNREADABLE} after a failed or late disk lookup, because
   * the disk may still hold the URL or the variant.
   */
  private static CacheDecision afterLoad(CacheDecision decision, LoadOutcome load) {
    if (load != LoadOutcome.DAMAGED && load != LoadOutcome.BUSY) {
      return decision;
    }
    CacheReason unknown = CacheReason.DISK_UNREADABLE;
    return decision.miss() == null
        ? new CacheDecision(decision.outcome(), unknown, -1, -1)
        : new CacheDecision(decision.outcome(), decision.reason(), -1, -1, unknown);
  }

  /**
   * Whether the whole response is fetched for a request for a range ({@code range_offset_limit}).
   * True only if the response is worth storing.
   */
  public boolean fetchesWhole(Request request, CacheDecision decision) {
    SizeLimits limits = settings.fetches.rangeOffsetLimit;
    if (limits.isForAll(0)
        || request.slice() != null
        || decision.outcome() != Outcome.FETCH
        || request.head().methodId() != Method.GET) {
      return false;
    }
    long limit = limits.of(request);
    return switch (decision.reason()) {
      case URI_MISS,
          VARY_MISS,
          DISK_UNREADABLE,
          INCOMPLETE,
          STALE,
          MUST_VALIDATE,
          REQUEST_NO_CACHE,
          REQUEST_MAX_AGE,
          REQUEST_MIN_FRESH ->
          limit != 0 && RangeOffset.isWithin(request.head().fields(), limit);
      default -> false;
    };
  }

  /**
   * The size of the slices in which a request is answered, in bytes; 0 if it is not sliced.
   *
   * @param found the metadata of the stored whole response, or null
   * @param decision the decision without slices
   */
  public long sliceBytes(Request request, @Nullable StoredMeta found, CacheDecision decision) {
    SizeLimits sizes = settings.fetches.sliceSize;
    RequestHead head = request.head();
    if (sizes == null
        || request.target().keySuffix() != null
        || request.isUnsliced()
        || !Method.isGetOrHead(head.methodId())
        || (decision.outcome() != Outcome.FETCH && decision.outcome() != Outcome.UNSATISFIABLE)
        || decision.reason() == CacheReason.REQUEST_NO_STORE
        || decision.reason() == CacheReason.HIT_DENIED
        || (found != null && found.part() == null && found.status() == 200)
        || (head.methodId() == Method.GET && Slice.offset(head.fields()) == Slice.SEVERAL)
        || keys.isUnsliced(request.target())) {
      return 0;
    }
    return Math.max(0, sizes.of(request));
  }

  // ---- Set-Cookie of stored responses

  /**
   * Whether a client of {@code port} gets the Set-Cookie of {@code entry}, borrowed. False if the
   * entry has none.
   */
  public boolean replaysSetCookie(HttpPort port, Entry entry) {
    StoredMeta meta = entry.meta();
    return meta.has(StoredMeta.SETS_COOKIE)
        && replaysSetCookie(port, meta)
        && (!isOfOtherKind(port, meta)
            || isExplicit(port, StoredFields.index(entry.storedLines())));
  }

  /**
   * Whether a client of {@code port} gets the Set-Cookie of a response that is still arriving.
   *
   * @param fields the field lines that are stored, borrowed
   */
  public boolean replaysSetCookie(HttpPort port, StoredMeta meta, ByteBuf fields) {
    return replaysSetCookie(port, meta)
        && (!isOfOtherKind(port, meta)
            || isExplicit(port, StoredFields.index(ByteBufUtil.getBytes(fields))));
  }

  /**
   * Whether a Set-Cookie may be replayed. The origin must give the response an explicit freshness
   * lifetime: a heuristic lifetime is a guess, and a guess must not give one client the cookie of
   * another.
   */
  private boolean replaysSetCookie(HttpPort port, StoredMeta meta) {
    return settings.setCookie(port.mode()) == StoredSetCookie.REPLAY
        && (meta.has(StoredMeta.EXPLICIT) || isOfOtherKind(port, meta));
  }

  private boolean isOfOtherKind(HttpPort port, StoredMeta meta) {
    return meta.isOfOtherKind(settings.caching(port).gateway);
  }

  private boolean isExplicit(HttpPort port, Fields stored) {
    return Storability.hasExplicitLifetime(stored, settings.caching(port).gateway);
  }
}
