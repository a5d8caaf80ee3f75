package io.loligo.server.exchange.fetch;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.OfferedTags;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.StoredResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stored variants whose entity tags a fetch offers to the origin: first those in memory, then those
 * only on disk. Owns a reference to each until {@link #release}. Confined to the event loop of the
 * fetch.
 */
public final class OfferedVariants {
  private final OfferedTags tags = new OfferedTags();
  private final List<Entry> entries = new ArrayList<>();

  private final boolean gateway;

  private OfferedVariants(boolean gateway) {
    this.gateway = gateway;
  }

  /**
   * Looks up the variants that may answer {@code request}. {@code then} takes them, or gets null if
   * there are none. It is called at once, or after a disk lookup. The lookup has the same time
   * limit as one for a response.
   *
   * @param request a snapshot
   * @param gateway whether the request arrived on an accelerator port
   */
  static void look(
      LoopServices services,
      Request request,
      CacheKey key,
      boolean gateway,
      Consumer<@Nullable OfferedVariants> then) {
    Fields fields = request.head().fields();
    OfferedVariants found = new OfferedVariants(gateway);
    services.store.variants(key).forEach(entry -> found.add(entry, fields));
    int room = OfferedTags.MAX_TAGS - found.tags.size();
    if (room == 0 || !services.store.mayLoad(services.keys.probe(request.target()))) {
      found.tell(then);
      return;
    }
    Look look = new Look(services, found, fields, then);
    services.timer.arm(look, services.settings.loadTimeoutMillis);
    services.store.loadVariants(
        key, meta -> isOffered(meta, gateway), room, request.loop(), look::loaded);
  }

  /** Waits for the disk or the timeout. */
  private static final class Look extends LoopTimer.Timeout {
    private final LoopServices services;
    private final OfferedVariants found;
    private final Fields request;
    private final Consumer<@Nullable OfferedVariants> then;
    private boolean told;

    Look(
        LoopServices services,
        OfferedVariants found,
        Fields request,
        Consumer<@Nullable OfferedVariants> then) {
      this.services = services;
      this.found = found;
      this.request = request;
      this.then = then;
    }

    void loaded(List<Entry> entries) {
      services.timer.forget(this);
      if (told) {
        entries.forEach(Entry::release);
      } else {
        entries.forEach(entry -> found.add(entry, request));
        tell();
      }
    }

    @Override
    protected void expired() {
      tell();
    }

    private void tell() {
      told = true;
      found.tell(then);
    }
  }

  /**
   * The number of tags that a fetch for {@code request} would offer.
   *
   * @param variants all stored variants, those in memory first
   * @param gateway as for {@link #look}
   */
  public static int foretell(List<Glimpse> variants, Fields request, boolean gateway) {
    OfferedVariants found = new OfferedVariants(gateway);
    Set<@Nullable VarySelection> inMemory = new HashSet<>();
    for (Glimpse one : variants) {
      if (!one.onDisk()) {
        inMemory.add(one.meta().vary());
        if (!one.purged()) {
          found.offer(one, request);
        }
      }
    }
    variants.stream()
        .filter(one -> one.onDisk() && isOffered(one.meta(), gateway))
        .filter(one -> !inMemory.contains(one.meta().vary()))
        .limit(OfferedTags.MAX_TAGS - found.tags.size())
        .filter(one -> !one.purged())
        .forEach(one -> found.offer(one, request));
    return found.tags.size();
  }

  /** Whether a variant on disk is worth loading for its tag. */
  private static boolean isOffered(StoredMeta variant, boolean gateway) {
    return variant.isFor(gateway) && OfferedTags.hasTag(variant);
  }

  /** Takes {@code entry}. */
  private void add(Entry entry, Fields request) {
    if (offer(entry, request)) {
      entries.add(entry);
    } else {
      entry.release();
    }
  }

  private boolean offer(StoredResponse variant, Fields request) {
    return variant.meta().isFor(gateway)
        && tags.add(variant.meta(), StoredFields.index(variant.storedLines()), request);
  }

  private void tell(Consumer<@Nullable OfferedVariants> then) {
    then.accept(entries.isEmpty() ? null : this);
  }

  /** The fields that offer the tags. */
  Conditions conditions() {
    return Conditions.offering(tags);
  }

  /** The variant that a 304 names, borrowed; null if it names none. */
  @Nullable Entry named(ResponseHead notModified) {
    int number = tags.named(notModified);
    return number < 0 ? null : entries.get(number);
  }

  /** Releases all variants. */
  void release() {
    entries.forEach(Entry::release);
    entries.clear();
  }
}
