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
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.StoredSetCookie;
import io.loligo.server.port.HttpPort;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/**
 * Decides whether and how a request uses stored responses: for clients, and for operators who ask
 * what a request would get. Confined to the event loop.
 */
public final class CacheRules {
  private final ExchangeSettings settings;
  private final KeyRules keys;
  private final LazyUrl url = new LazyUrl();

  public CacheRules(ExchangeSettings settings, KeyRules keys) {
    this.settings = settings;
    this.keys = keys;
  }

  /** The settings for responses to the port of {@code request}. */
  public CacheSettings of(Request request) {
    return settings.caching(request.httpPort());
  }

  // ---- requests that bypass the store

  /** What the {@code cache} lines say. */
  public boolean mayCache(Request request) {
    AclList cache = settings.access.cache;
    return cache.isEmpty() || cache.evaluate(request).allowed();
  }

  /** Whether the content of {@code request}, a QUERY, is part of its key. */
  public boolean keysContent(Request request) {
    int max = settings.queryContentMaxBytes;
    return request.head().methodId() == Method.QUERY
        && max > 0
        && request.contentLength() <= max
        && mayCache(request);
  }

  /**
   * Value of Upgrade where the request asks to leave HTTP/1.1 for a protocol it may have ({@code
   * http_upgrade_request_protocols}; without rules {@code websocket}), else null. A request with
   * content is not upgraded: two parties could disagree about the end of the content (RFC 9110
   * section 7.8 allows to ignore the field).
   */
  public String upgrade(Request request) {
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
   * The decision about a request that bypasses the store; null where it does not.
   *
   * @param upgrade see {@link #upgrade}
   */
  public CacheDecision bypass(Request request, String upgrade) {
    CacheReason reason = upgrade != null ? CacheReason.UPGRADE : bypassReason(request);
    if (reason == null) {
      return null;
    }
    Outcome outcome = wantsStored(request.head()) ? Outcome.UNSATISFIABLE : Outcome.BYPASS;
    return new CacheDecision(outcome, reason, -1, -1);
  }

  private CacheReason bypassReason(Request request) {
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

  /** Whether a request that a stored response might answer wants no other. */
  private static boolean wantsStored(RequestHead head) {
    return Method.isGetOrHead(head.methodId())
        && CacheControl.ofRequest(head.fields()).has(CacheControl.ONLY_IF_CACHED);
  }

  // ---- stored responses

  /** The facts of {@code entry}, borrowed, as {@link #regarded(StoredMeta, byte[], Request)}. */
  public StoredMeta regarded(Entry entry, Request request) {
    StoredMeta meta = entry.meta();
    return meta.isOfOtherKind(of(request).gateway())
        ? regarded(meta, ReplyFields.stored(entry), request)
        : meta;
  }

  /**
   * The facts of a stored response for the port of {@code request}; null where that port may not
   * use it, as if it were not stored (RFC 9213).
   *
   * @param lines its field lines and the empty line
   */
  public StoredMeta regarded(StoredMeta meta, byte[] lines, Request request) {
    return Storability.regarded(
        meta, StoredFields.index(lines), request.target().url(), of(request));
  }

  /** Whether the {@code send_hit} lines keep {@code stored}, borrowed, from the request. */
  public boolean isHitDenied(Request request, Entry stored) {
    AclList rules = settings.access.sendHit;
    if (rules.isEmpty()) {
      return false;
    }
    request.reply(stored);
    boolean denied = !rules.evaluate(request).allowed();
    request.forgetReply();
    return denied;
  }

  /** The same of a response whose head {@code request} has already. */
  public boolean isHitDenied(Request request) {
    AclList rules = settings.access.sendHit;
    return !rules.isEmpty() && !rules.evaluate(request).allowed();
  }

  /** Whether the {@code store_miss} lines let {@code reply} be stored. */
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
   * Why {@code http_reply_access} keeps the response that {@code request} has from the client; null
   * where it does not. A rule that cannot be decided denies.
   */
  public Refusal responseRefusal(Request request) {
    AclList rules = settings.access.httpReplyAccess;
    if (rules.isEmpty()) {
      return null;
    }
    AclVerdict verdict = rules.evaluate(request);
    return verdict.allowed() ? null : Refusal.responseDenied(verdict);
  }

  /** Whether the response to {@code request} may be shared, if it is as {@code entry} was. */
  public boolean isShared(Request request, Entry entry) {
    Fields stored = StoredFields.index(ReplyFields.stored(entry));
    return Storability.isShared(request.head(), stored, of(request));
  }

  // ---- the decision

  /**
   * The decision about a request whose key is sealed.
   *
   * @param found the stored response that was selected, or null
   * @param denied whether {@code send_hit} keeps it from the request
   * @param others whether other variants are stored; asked where {@code found} is null
   * @param load how a look on disk ended, or null
   */
  public CacheDecision decision(
      Request request,
      StoredMeta found,
      boolean denied,
      boolean others,
      long nowMillis,
      LoadOutcome load) {
    RequestHead head = request.head();
    if (denied) {
      Outcome outcome = wantsStored(head) ? Outcome.UNSATISFIABLE : Outcome.FETCH;
      return new CacheDecision(outcome, CacheReason.HIT_DENIED, -1, -1);
    }
    CacheDecision decision =
        Reuse.decide(nowMillis, head, false, found, others, url.of(request.target()), of(request));
    if (found == null) {
      return load == null ? decision : afterLoad(decision, load);
    }
    return unlessSteered(Incomplete.weigh(decision, head, found), head, found);
  }

  /** The decision by {@code found}, of which the head is loaded and perhaps not the content. */
  public CacheDecision decisionByHead(Request request, StoredMeta found, long nowMillis) {
    return Reuse.decide(
        nowMillis, request.head(), false, found, false, url.of(request.target()), of(request));
  }

  /** The response to a request that is steered otherwise says nothing of {@code found}. */
  private static CacheDecision unlessSteered(
      CacheDecision decision, RequestHead head, StoredMeta found) {
    return decision.outcome() == Outcome.VALIDATE
            && !VarySelection.isSteeredLike(found.vary(), head.fields())
        ? new CacheDecision(
            Outcome.FETCH, decision.reason(), decision.ageSeconds(), decision.lifetimeSeconds())
        : decision;
  }

  /** Where the disk gave no answer, the URL or the variant may be stored all the same. */
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
   * Whether the whole is fetched for the range that the request asks for (range_offset_limit): only
   * where it is worth storing.
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
   * Size of the slices that a request is answered in, in bytes; 0: it is not sliced.
   *
   * @param found the facts of the stored whole, or null
   * @param decision the decision without slices
   */
  public long sliceBytes(Request request, StoredMeta found, CacheDecision decision) {
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

  /** Whether a client of {@code port} gets the Set-Cookie of {@code entry}, if it has one. */
  public boolean replaysSetCookie(HttpPort port, Entry entry) {
    StoredMeta meta = entry.meta();
    return meta.has(StoredMeta.SETS_COOKIE)
        && replaysSetCookie(port, meta)
        && (!isOfOtherKind(port, meta)
            || isExplicit(port, StoredFields.index(ReplyFields.stored(entry))));
  }

  /** The same of a response that is arriving, with {@code fields} that are stored. */
  public boolean replaysSetCookie(HttpPort port, StoredMeta meta, ByteBuf fields) {
    return replaysSetCookie(port, meta)
        && (!isOfOtherKind(port, meta)
            || isExplicit(port, StoredFields.index(ByteBufUtil.getBytes(fields))));
  }

  /**
   * A cookie is replayed only where the origin gives the response a lifetime: a heuristic lifetime
   * is a guess, and a guess must not give a client the cookie of another.
   */
  private boolean replaysSetCookie(HttpPort port, StoredMeta meta) {
    return settings.setCookie(port.mode()) == StoredSetCookie.REPLAY
        && (meta.has(StoredMeta.EXPLICIT) || isOfOtherKind(port, meta));
  }

  private boolean isOfOtherKind(HttpPort port, StoredMeta meta) {
    return meta.isOfOtherKind(settings.caching(port).gateway());
  }

  private boolean isExplicit(HttpPort port, Fields stored) {
    return Storability.hasExplicitLifetime(stored, settings.caching(port).gateway());
  }
}
