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
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a response is stored, which of its fields are left out, and which metadata is
 * stored with it. Confined to the event loop.
 */
public final class StoringRules {
  /** The request that the response answers. */
  public interface Asked {
    /** The request, a snapshot. */
    Request request();

    /** Whether a response to this request may be stored at all. */
    boolean mayStore();

    /**
     * When the request was sent, in milliseconds since the epoch. The age of the response counts
     * from here (RFC 9111 section 4.2.3).
     */
    long requestMillis();

    /**
     * Whether the response can answer other requests with the same key: true for GET and QUERY,
     * false for HEAD and POST.
     */
    default boolean asksForItself() {
      return request().head().methodId() == Method.GET
          || request().head().methodId() == Method.QUERY;
    }
  }

  private final ExchangeSettings settings;
  private final CacheRules caching;
  private final LoopClock clock;

  /** Creates the rules of one loop. */
  public StoringRules(ExchangeSettings settings, CacheRules caching, LoopClock clock) {
    this.settings = settings;
    this.caching = caching;
    this.clock = clock;
  }

  /**
   * The caching settings for a response with this status.
   *
   * @param status 0: no response yet
   */
  public CacheSettings caching(Asked asked, int status) {
    CacheSettings ofPort = caching.of(asked.request());
    return asked.request().slice() == null
        ? ofPort
        : ofPort.ofSlice(/* ofAnySize= */ status == 206 || status == 304);
  }

  /**
   * Whether {@code reply}, borrowed, may be stored. Null if the request forbids storing any
   * response.
   *
   * @param contentLength bytes of the content; -1: unknown
   * @param nowMillis milliseconds since the epoch
   */
  public @Nullable Storability of(
      Asked asked, ResponseHead reply, long contentLength, long nowMillis) {
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
                caching.url(asked.request()),
                asked.requestMillis(),
                nowMillis,
                contentLength,
                settings)
            : of(asked, reply, contentLength, nowMillis, settings),
        reply);
  }

  /**
   * Whether the combination of a stored part and the response that continues it may be stored.
   *
   * @param merged the fields of both
   * @param contentLength bytes of the combined content
   * @param reply the response that continues the part
   */
  public Storability ofContinued(
      Asked asked, ResponseHead merged, long contentLength, long nowMillis, ResponseHead reply) {
    CacheSettings settings = caching(asked, reply.status());
    return unlessBypassed(asked, of(asked, merged, contentLength, nowMillis, settings), merged);
  }

  /**
   * Whether a stored variant that a 304 names may be stored for this request's selecting fields
   * too.
   *
   * @param merged the fields of the variant after the update
   * @param notModified the 304
   */
  public Storability ofNamed(
      Asked asked,
      ResponseHead merged,
      long contentLength,
      long nowMillis,
      ResponseHead notModified) {
    CacheSettings settings = caching(asked, notModified.status());
    return of(asked, merged, contentLength, nowMillis, settings);
  }

  private Storability of(
      Asked asked,
      ResponseHead response,
      long contentLength,
      long nowMillis,
      CacheSettings settings) {
    return Storability.of(
        asked.request().head(),
        response,
        caching.url(asked.request()),
        asked.requestMillis(),
        nowMillis,
        contentLength,
        settings);
  }

  /**
   * Whether {@code reply} may update a stored response.
   *
   * @param merged the fields of the stored response after the update
   */
  public boolean mayFreshen(Asked asked, ResponseHead reply, ResponseHead merged) {
    return Storability.mayFreshen(
        asked.request().head(),
        merged,
        caching.url(asked.request()),
        caching(asked, reply.status()));
  }

  /**
   * The metadata of {@code old}, borrowed, after {@code reply} has updated it.
   *
   * @param merged the fields of the stored response after the update
   */
  public StoredMeta freshened(Asked asked, Entry old, ResponseHead reply, ResponseHead merged) {
    long now = clock.millis();
    CacheSettings settings = caching(asked, reply.status());
    StoredMeta meta =
        Storability.freshened(
            old.meta(),
            asked.request().head().fields(),
            merged,
            caching.url(asked.request()),
            asked.requestMillis(),
            now,
            settings);
    return meta(meta, merged, old.meta().has(StoredMeta.UNFRAMED), 0);
  }

  /**
   * The names of the fields of {@code reply} that are not stored when it updates a stored response.
   * A Set-Cookie that is already stored stays, whatever this port does with Set-Cookie: it arrived
   * through another port. None stays if the origin gives no explicit lifetime to either kind of
   * port.
   *
   * @param merged the fields of the stored response after the update
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

  /**
   * The names of the fields of {@code reply} that are not stored.
   *
   * @param named the names that the response itself withholds; they are part of the result
   */
  public List<String> withheld(Asked asked, ResponseHead reply, List<String> named) {
    return reply.fields().has(FieldName.SET_COOKIE) && setCookie(asked) != StoredSetCookie.REPLAY
        ? withCookie(named)
        : named;
  }

  /** {@code named} and {@code set-cookie}. */
  private static List<String> withCookie(List<String> named) {
    return Stream.concat(named.stream(), Stream.of("set-cookie")).toList();
  }

  /**
   * {@code meta} with the flags that describe {@code reply}.
   *
   * @param unframed whether only the end of the connection ended the content
   * @param more flags that it gets too
   */
  public static StoredMeta meta(StoredMeta meta, ResponseHead reply, boolean unframed, int more) {
    int flags =
        more
            | (reply.fields().hasAny(ReplyFields.EXTENDED_LISTS) ? StoredMeta.EXTENDS_LISTS : 0)
            | (reply.fields().hasAny(HiddenFields.FIELDS) ? StoredMeta.HIDES_FIELDS : 0)
            | (reply.fields().has(FieldName.SET_COOKIE) ? StoredMeta.SETS_COOKIE : 0)
            | (hasIdleContentRange(reply) ? StoredMeta.HAS_CONTENT_RANGE : 0)
            | (unframed ? StoredMeta.UNFRAMED : 0)
            | (reply.version() < 11 ? StoredMeta.FROM_HTTP_1_0 : 0);
    return flags == 0 ? meta : meta.withFlag(flags);
  }

  /**
   * Whether {@code reply} has a Content-Range without meaning. The proxy stores and sends it
   * unchanged (RFC 9111 section 3.1).
   */
  private static boolean hasIdleContentRange(ResponseHead reply) {
    return reply.status() != 206 && reply.fields().has(FieldName.CONTENT_RANGE);
  }

  private Storability unlessBypassed(Asked asked, Storability storability, ResponseHead reply) {
    if (!storability.storable() || !reply.fields().has(FieldName.SET_COOKIE)) {
      return storability;
    }
    StoredMeta meta = storability.meta();
    assert meta != null : "storable";
    boolean explicit = meta.has(StoredMeta.EXPLICIT);
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
