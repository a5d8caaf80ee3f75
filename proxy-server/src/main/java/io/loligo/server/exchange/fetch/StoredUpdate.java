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
 * Carries out what one answer says of stored responses: they are freshened, distrusted, or stay as
 * they are. Confined to the fetch's event loop.
 */
final class StoredUpdate {
  private final LoopServices services;
  private final ByteBufAllocator allocator;
  private final CacheKey key;
  private final StoringRules rules;
  private final StoringRules.Asked asked;
  private final RequestHead head;
  private final ResponseHead reply;

  /** For {@code reply}, borrowed, the answer to {@code asked}. */
  StoredUpdate(
      LoopServices services,
      ByteBufAllocator allocator,
      CacheKey key,
      StoringRules.Asked asked,
      ResponseHead reply) {
    this.services = services;
    this.allocator = allocator;
    this.key = key;
    this.rules = services.storing;
    this.asked = asked;
    this.head = asked.request().head();
    this.reply = reply;
  }

  /** The fields of {@code old}, borrowed, with those of {@code reply}. */
  static ResponseHead merged(Entry old, ResponseHead reply) {
    return Freshening.merge(old.meta().status(), ReplyFields.stored(old), reply);
  }

  /** A 304 confirms {@code old}, borrowed, which was validated: what the client gets. Owned. */
  Entry validated(Entry old, ResponseHead merged) {
    if (!rules.mayFreshen(asked, reply, merged)) {
      return forThisClient(old, merged);
    }
    Entry fresh = freshen(old, merged);
    freshenOthers(fresh);
    return fresh;
  }

  /**
   * A 304 names {@code old}, borrowed, one of the variants that were offered: what the client gets.
   * Owned.
   *
   * @param mayStore whether nothing has invalidated the key since the fetch began
   */
  Entry selected(Entry old, ResponseHead merged, BooleanSupplier mayStore) {
    return rules.mayFreshen(asked, reply, merged)
        ? selectedToo(freshen(old, merged), old, merged, mayStore)
        : forThisClient(old, merged);
  }

  /**
   * Of what this request could have been answered with besides {@code fresh}, borrowed, all that
   * has the strong tag of {@code reply} is current, too (RFC 9111 section 4.3.4). What others
   * select is not: the fields of the 304 may be for this client's selection only. Nor is what has
   * no Vary, where others have: written anew it would take the place of all of them on disk.
   */
  private void freshenOthers(Entry fresh) {
    if (!reply.fields().has(FieldName.ETAG) || fresh.meta().vary() == null) {
      return;
    }
    for (Entry other : services.store.variants(key)) {
      if (other != fresh && isConfirmedToo(other.meta())) {
        ResponseHead merged = merged(other, reply);
        if (rules.mayFreshen(asked, reply, merged)) {
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

  /** {@code old}, borrowed, with the fields {@code merged} (RFC 9111 section 3.2). Owned. */
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
   * The same for this client only: nothing of what came is stored, and what is stays as it was. It
   * is validated before its next use where it is the response that forbids storing. Owned.
   */
  private Entry forThisClient(Entry old, ResponseHead merged) {
    StoredMeta meta = rules.freshened(asked, old, reply, merged);
    if (meta.has(StoredMeta.NO_CACHE)) {
      distrust(old);
    }
    return services.store.copy(old, meta, freshFields(merged, services.clock.millis()));
  }

  /** What is stored as {@code old}, borrowed, is stale from now on, and never served so. */
  void distrust(Entry old) {
    replace(
        old, old.meta().staleSince(services.clock.millis()).withFlag(StoredMeta.MUST_REVALIDATE));
    old.staleSince(services.clock.millis()); // where there was no memory for the other
  }

  private void replace(Entry old, StoredMeta meta) {
    ByteBuf fields = old.firstBlock().copy(0, old.fieldsLength());
    services.store.freshen(key, old, meta, fields).release();
  }

  /**
   * The origin has something else by now than {@code old}, borrowed, that cannot be stored. Where
   * that is stale it is validated before its next use; it does not stand in for errors any more
   * either, unless the answer may be for this client alone. What is fresh stays as it is: else a
   * client whose answers are private could make every hit of others a validation.
   */
  void outdate(Entry old, long nowMillis) {
    int status = reply.status();
    StoredMeta meta = old.meta();
    boolean says =
        asked.asksForItself()
            && status < 500
            && status != 206
            && !Storability.hangsOnRequest(status, head)
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
   * The variant that {@code fresh}, taken, is, for this request's selection too: the next one like
   * it need not ask. {@code old}, borrowed, is it before the 304. Owned.
   */
  private Entry selectedToo(Entry fresh, Entry old, ResponseHead merged, BooleanSupplier mayStore) {
    long now = services.clock.millis();
    Storability storability = rules.ofNamed(asked, merged, old.contentLength(), now, reply);
    if (!asked.mayStore() || !storability.storable()) {
      return fresh;
    }
    boolean unframed = old.meta().has(StoredMeta.UNFRAMED);
    StoredMeta meta = StoringRules.meta(storability.meta(), merged, unframed);
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
   * A 200 to HEAD freshens {@code stored}, borrowed, the response to GET, or tells that it is
   * outdated (RFC 9111 section 4.3.5).
   *
   * @param contentLength that a GET would have, -1 where unknown
   */
  void refreshByHead(Entry stored, long contentLength) {
    ResponseHead merged = merged(stored, reply);
    if (!Validation.describes(stored.meta(), reply, contentLength)) {
      distrust(stored);
    } else if (rules.mayFreshen(asked, reply, merged)) {
      freshen(stored, merged).release();
    } else if (rules.freshened(asked, stored, reply, merged).has(StoredMeta.NO_CACHE)) {
      distrust(stored);
    }
  }
}
