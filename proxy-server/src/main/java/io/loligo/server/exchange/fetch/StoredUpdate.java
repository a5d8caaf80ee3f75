package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.Freshening;
import io.loligo.core.caching.Storability;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.Validation;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.client.ReplyFields;
import io.loligo.server.exchange.rules.StoringRules;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Applies one response of the origin to stored responses: it freshens them, marks them as stale, or
 * leaves them unchanged. Confined to the fetch's event loop.
 */
final class StoredUpdate {
  private final LoopServices services;
  private final ByteBufAllocator allocator;
  private final CacheKey key;
  private final StoringRules rules;
  private final StoringRules.Asked asked;
  private final RequestHead head;
  private final ResponseHead reply;
  private final boolean forOthers;

  /**
   * Applies {@code reply}, borrowed, the response to {@code asked}.
   *
   * @param forOthers false: it freshens nothing that other requests use
   */
  StoredUpdate(
      LoopServices services,
      ByteBufAllocator allocator,
      CacheKey key,
      StoringRules.Asked asked,
      ResponseHead reply,
      boolean forOthers) {
    this.services = services;
    this.allocator = allocator;
    this.key = key;
    this.rules = services.storing;
    this.asked = asked;
    this.head = asked.request().head();
    this.reply = reply;
    this.forOthers = forOthers;
  }

  /** The fields of {@code old}, borrowed, updated with those of {@code reply}. */
  static ResponseHead merged(Entry old, ResponseHead reply) {
    return Freshening.merge(old.meta().status(), old.storedLines(), reply);
  }

  /**
   * A 304 confirms {@code old}, borrowed, which was validated. Returns owned: the response for the
   * client.
   */
  Entry validated(Entry old, ResponseHead merged) {
    if (!mayFreshen(merged)) {
      return forThisClient(old, merged);
    }
    Entry fresh = freshen(old, merged);
    freshenOthers(fresh);
    return fresh;
  }

  /**
   * A 304 names {@code old}, borrowed, one of the offered variants. Returns owned: the response for
   * the client.
   *
   * @param mayStore whether no invalidation of the key has happened since the fetch began
   */
  Entry selected(Entry old, ResponseHead merged, BooleanSupplier mayStore) {
    return mayFreshen(merged)
        ? selectedToo(freshen(old, merged), old, merged, mayStore)
        : forThisClient(old, merged);
  }

  private boolean mayFreshen(ResponseHead merged) {
    return forOthers && rules.mayFreshen(asked, reply, merged);
  }

  /**
   * Freshens the other stored responses that this request selects besides {@code fresh}, borrowed,
   * and that have the strong entity tag of {@code reply} (RFC 9111 section 4.3.4). Variants that
   * this request does not select stay unchanged, because the fields of the 304 may apply to this
   * selection only. A response without Vary among variants also stays unchanged: writing it again
   * would replace all variants on disk.
   */
  private void freshenOthers(Entry fresh) {
    if (!reply.fields().has(FieldName.ETAG) || fresh.meta().vary() == null) {
      return;
    }
    for (Entry other : services.store.variants(key)) {
      if (other != fresh && isConfirmedToo(other.meta())) {
        ResponseHead merged = merged(other, reply);
        if (mayFreshen(merged)) {
          freshen(other, merged).release();
        }
      }
      other.release();
    }
  }

  private boolean isConfirmedToo(StoredMeta stored) {
    return stored.vary() != null
        && stored.isSelectedBy(head.fields())
        && VarySelection.isSteeredLike(stored.vary(), head.fields())
        && Validation.alsoConfirms(stored, reply);
  }

  /**
   * {@code old}, borrowed, with the fields {@code merged} (RFC 9111 section 3.2). Returns owned.
   */
  private Entry freshen(Entry old, ResponseHead merged) {
    Entry fresh =
        services.store.freshen(
            key,
            old,
            rules.freshened(asked, old, reply, merged),
            freshFields(merged, services.clock.millis()));
    if (VarySelection.isUnmatchable(merged.fields())
        || (head.methodId() != Method.QUERY
            && !services.keys.fits(asked.request().target(), merged.fields()))) {
      services.store.remove(key);
    }
    return fresh;
  }

  /**
   * {@code old}, borrowed, with the fields {@code merged}, for this client only. The stored
   * response keeps its fields. If the response rather than the request forbids storing, the stored
   * response is validated before its next use. Returns owned.
   */
  private Entry forThisClient(Entry old, ResponseHead merged) {
    StoredMeta meta = rules.freshened(asked, old, reply, merged);
    if (meta.has(StoredMeta.NO_CACHE)) {
      distrust(old);
    }
    return services.store.copy(old, meta, freshFields(merged, services.clock.millis()));
  }

  /**
   * Marks the stored response {@code old}, borrowed, as stale from now on and as never to be served
   * stale.
   */
  void distrust(Entry old) {
    replace(
        old, old.meta().staleSince(services.clock.millis()).withFlag(StoredMeta.MUST_REVALIDATE));
    old.becomeStale(services.clock.millis()); // in case there was no memory for the replacement
  }

  private void replace(Entry old, StoredMeta meta) {
    ByteBuf fields = old.fields().copy();
    services.store.freshen(key, old, meta, fields).release();
  }

  /**
   * The origin now sends something else than {@code old}, borrowed, that cannot be stored. A stale
   * {@code old} is validated before its next use. It is also no longer served on errors, unless the
   * new response may be specific to this client. A fresh {@code old} stays unchanged: otherwise a
   * client with private responses could turn every hit of other clients into a validation.
   */
  void outdate(Entry old, long nowMillis) {
    int status = reply.status();
    StoredMeta meta = old.meta();
    boolean says =
        asked.asksForItself()
            && status < 500
            && status != 206
            && !Storability.dependsOnRequest(status, head)
            && !Storability.takesFieldsAway(head.fields());
    if (!says || meta.isFreshAt(meta.ageSeconds(nowMillis))) {
      return;
    }
    if (Storability.speaksForAll(status, head)) {
      if (!meta.has(StoredMeta.MUST_REVALIDATE | StoredMeta.NO_CACHE)) {
        distrust(old);
      }
    } else if (meta.staleWhileRevalidateSeconds() > 0) {
      replace(old, meta.withoutStaleWhileRevalidate());
    }
  }

  /**
   * Stores the variant {@code fresh}, taken, for this request's selecting fields too, so that the
   * next similar request is a hit. {@code old}, borrowed, is the variant before the 304. Returns
   * owned.
   */
  private Entry selectedToo(Entry fresh, Entry old, ResponseHead merged, BooleanSupplier mayStore) {
    long now = services.clock.millis();
    Storability storability = rules.ofNamed(asked, merged, old.contentLength(), now, reply);
    if (!asked.mayStore() || !storability.storable()) {
      return fresh;
    }
    boolean unframed = old.meta().has(StoredMeta.UNFRAMED);
    StoredMeta described = storability.meta();
    assert described != null : "storable";
    StoredMeta meta = StoringRules.meta(described, merged, unframed, /* more= */ 0);
    Entry added = services.store.addVariant(key, fresh, meta, freshFields(merged, now), mayStore);
    fresh.release();
    return added;
  }

  private ByteBuf freshFields(ResponseHead merged, long nowMillis) {
    List<String> names = rules.withheld(asked, reply, merged);
    return ReplyFields.shared(
        merged, true, names, services.clock, nowMillis, services.scratch.section(), allocator);
  }

  /**
   * Applies a 200 to HEAD to {@code stored}, borrowed, the response to GET: freshens it, or marks
   * it as stale if the two differ (RFC 9111 section 4.3.5).
   *
   * @param contentLength the length in bytes that a GET would get; -1: unknown
   */
  void refreshByHead(Entry stored, long contentLength) {
    ResponseHead merged = merged(stored, reply);
    if (!Validation.describes(stored.meta(), reply, contentLength)) {
      distrust(stored);
    } else if (mayFreshen(merged)) {
      freshen(stored, merged).release();
    } else if (rules.freshened(asked, stored, reply, merged).has(StoredMeta.NO_CACHE)) {
      distrust(stored);
    }
  }
}
