package io.loligo.server.exchange.rules;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.range.PartStorability;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.exchange.settings.StoredSetCookie;
import io.loligo.server.time.LoopClock;
import io.loligo.store.memory.Entry;
import java.util.List;
import java.util.stream.Stream;

/**
 * Decides whether the answer to a request is stored, which fields are left out, and which facts are
 * noted with it. Confined to the event loop.
 */
public final class StoringRules {
  /** The request that was answered. */
  public interface Asked {
    Request request();

    /** Whether any answer to it is stored. */
    boolean mayStore();

    /** The moment it was sent: the answer's age counts from here. */
    long requestMillis();

    /** Whether the answer is one to others with the same key, too: not that of HEAD or POST. */
    default boolean asksForItself() {
      return request().head().methodId() == Method.GET
          || request().head().methodId() == Method.QUERY;
    }
  }

  private final ExchangeSettings settings;
  private final CacheRules caching;
  private final LoopClock clock;

  public StoringRules(ExchangeSettings settings, CacheRules caching, LoopClock clock) {
    this.settings = settings;
    this.caching = caching;
    this.clock = clock;
  }

  /** Settings for an answer of this status, 0: before there is one. */
  public CacheSettings caching(Asked asked, int status) {
    CacheSettings ofPort = caching.of(asked.request());
    boolean ofSlice = asked.request().slice() != null && (status == 206 || status == 304);
    return ofSlice ? ofPort.ofAnySize() : ofPort;
  }

  /** Whether {@code reply} is stored; null where nothing is. */
  public Storability of(Asked asked, ResponseHead reply, long contentLength, long nowMillis) {
    int method = asked.request().head().methodId();
    if (!asked.mayStore()
        || (method != Method.GET && method != Method.POST && method != Method.QUERY)) {
      return null;
    }
    CacheSettings settings = caching(asked, reply.status());
    return unlessBypassed(
        asked,
        reply.status() == 206
            ? PartStorability.of(
                asked.request().head(),
                reply,
                asked.request().target().url(),
                asked.requestMillis(),
                nowMillis,
                contentLength,
                settings)
            : of(asked, reply, contentLength, nowMillis, settings),
        reply);
  }

  /** Whether {@code merged} is stored, of a part and the answer that continues it. */
  public Storability ofContinued(
      Asked asked, ResponseHead merged, long contentLength, long nowMillis, ResponseHead reply) {
    CacheSettings settings = caching(asked, reply.status());
    return unlessBypassed(asked, of(asked, merged, contentLength, nowMillis, settings), merged);
  }

  /** Whether {@code merged} may be stored for this request, too, a variant that a 304 names. */
  public Storability ofNamed(
      Asked asked,
      ResponseHead merged,
      long contentLength,
      long nowMillis,
      ResponseHead notModified) {
    CacheSettings settings = caching(asked, notModified.status());
    return of(asked, merged, contentLength, nowMillis, settings);
  }

  private static Storability of(
      Asked asked,
      ResponseHead response,
      long contentLength,
      long nowMillis,
      CacheSettings settings) {
    return Storability.of(
        asked.request().head(),
        response,
        asked.request().target().url(),
        asked.requestMillis(),
        nowMillis,
        contentLength,
        settings);
  }

  /** Whether {@code reply} may update a stored response to {@code merged}. */
  public boolean mayFreshen(Asked asked, ResponseHead reply, ResponseHead merged) {
    return Storability.mayFreshen(
        asked.request().head(),
        merged,
        asked.request().target().url(),
        caching(asked, reply.status()));
  }

  /** The facts of {@code old}, borrowed, once {@code reply} has updated it to {@code merged}. */
  public StoredMeta freshened(Asked asked, Entry old, ResponseHead reply, ResponseHead merged) {
    long now = clock.millis();
    CacheSettings settings = caching(asked, reply.status());
    StoredMeta meta =
        Storability.freshened(
            old.meta(),
            asked.request().head().fields(),
            merged,
            asked.request().target().url(),
            asked.requestMillis(),
            now,
            settings);
    return meta(meta, merged, old.meta().has(StoredMeta.UNFRAMED));
  }

  /**
   * The fields of {@code reply}, which updates a stored response to {@code merged}, that are not
   * stored. A Set-Cookie that is stored already stays, whatever this port makes of one: it came by
   * another. None stays where the origin gives no lifetime to a port of either kind.
   */
  public List<String> withheld(Asked asked, ResponseHead reply, ResponseHead merged) {
    List<String> named = Storability.withheldFields(merged, caching(asked, reply.status()));
    Fields fields = merged.fields();
    boolean assumed =
        fields.has(FieldName.SET_COOKIE)
            && !Storability.hasExplicitLifetime(fields, /* gateway= */ true)
            && !Storability.hasExplicitLifetime(fields, /* gateway= */ false);
    return assumed ? withCookie(named) : withheld(asked, reply, named);
  }

  /** The fields of {@code reply} that are not stored, those {@code named} among them. */
  public List<String> withheld(Asked asked, ResponseHead reply, List<String> named) {
    return reply.fields().has(FieldName.SET_COOKIE) && setCookie(asked) != StoredSetCookie.REPLAY
        ? withCookie(named)
        : named;
  }

  private static List<String> withCookie(List<String> named) {
    return Stream.concat(named.stream(), Stream.of("set-cookie")).toList();
  }

  /** {@code meta} with the facts of {@code reply}. */
  public static StoredMeta meta(StoredMeta meta, ResponseHead reply, boolean unframed) {
    int flags =
        (reply.fields().hasAny(ReplyFields.EXTENDED_LISTS) ? StoredMeta.EXTENDS_LISTS : 0)
            | (reply.fields().hasAny(HiddenFields.FIELDS) ? StoredMeta.HIDES_FIELDS : 0)
            | (reply.fields().has(FieldName.SET_COOKIE) ? StoredMeta.SETS_COOKIE : 0)
            | (hasIdleContentRange(reply) ? StoredMeta.HAS_CONTENT_RANGE : 0)
            | (unframed ? StoredMeta.UNFRAMED : 0)
            | (reply.version() < 11 ? StoredMeta.FROM_HTTP_1_0 : 0);
    return flags == 0 ? meta : meta.withFlag(flags);
  }

  /** One that means nothing: it is kept and sent as it came (RFC 9111 section 3.1). */
  private static boolean hasIdleContentRange(ResponseHead reply) {
    return reply.status() != 206 && reply.fields().has(FieldName.CONTENT_RANGE);
  }

  private Storability unlessBypassed(Asked asked, Storability storability, ResponseHead reply) {
    if (!storability.storable() || !reply.fields().has(FieldName.SET_COOKIE)) {
      return storability;
    }
    boolean explicit = storability.meta().has(StoredMeta.EXPLICIT);
    return switch (setCookie(asked)) {
      case BYPASS -> bypassed("Set-Cookie, by loligo_stored_set_cookie");
      case REPLAY -> explicit ? storability : bypassed("Set-Cookie, and no lifetime is given");
      case STRIP, AUTO -> storability;
    };
  }

  private static Storability bypassed(String reason) {
    return new Storability(false, reason, null, false, List.of());
  }

  private StoredSetCookie setCookie(Asked asked) {
    return settings.setCookie(asked.request().httpPort().mode());
  }
}
