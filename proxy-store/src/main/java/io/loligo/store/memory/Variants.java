package io.loligo.store.memory;

import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Several stored responses under one key (RFC 9111 section 4.1), the most recent first, at most
 * {@value #MAX}. Immutable.
 */
final class Variants implements Stored {
  /** Most variants kept: the oldest makes room. */
  static final int MAX = 16;

  private final Entry[] entries;

  private Variants(Entry[] entries) {
    this.entries = entries;
  }

  /**
   * {@code old} (or null) with {@code added} as its most recent entry, without those that {@code
   * gone} accepts. It retains its entries, {@code added} too. Called while {@code old} still holds
   * its references.
   */
  static Stored with(@Nullable Stored old, Entry added, Predicate<Entry> gone) {
    Entry[] entries = new Entry[MAX + 1];
    entries[0] = added;
    int count = 1;
    for (int i = 0; old != null && i < old.size(); i++) {
      if (!gone.test(old.get(i))) {
        entries[count++] = old.get(i);
      }
    }
    if (count > MAX) {
      makeRoom(entries);
      count = MAX;
    }
    for (int i = 0; i < count; i++) {
      boolean alive = entries[i].tryRetain();
      assert alive : "a stored entry without reference";
    }
    if (count == 1) {
      return added;
    }
    for (int i = 0; i < count; i++) {
      entries[i].keepMeta(); // to select among them takes no reference
    }
    return new Variants(Arrays.copyOf(entries, count));
  }

  /**
   * Whether {@code added}, the response to {@code request}, replaces {@code stored}: it replaces a
   * response with the same selection, and, if {@code added} does not vary, the one that the request
   * selects. Other variants stay (RFC 9111 section 4.1).
   *
   * @param request null if it is unknown: it may select anything
   */
  static boolean replaces(Entry stored, StoredMeta added, @Nullable Fields request) {
    return Objects.equals(stored.meta().vary(), added.vary())
        || (added.vary() == null && (request == null || stored.select(request) != null));
  }

  /**
   * Leaves out the oldest variant that a client determines, because a client can make up any
   * number; without such a variant, the oldest of all. Never the first.
   */
  private static void makeRoom(Entry[] entries) {
    int out = MAX;
    while (out > 0 && !isSteered(entries[out])) {
      out--;
    }
    int from = out == 0 ? MAX : out;
    System.arraycopy(entries, from + 1, entries, from, MAX - from);
  }

  private static boolean isSteered(Entry entry) {
    return entry.meta().vary() != null && entry.meta().vary().isSteered();
  }

  /**
   * {@code old} without the responses whose selection {@code gone} accepts; itself if there are
   * none, null if none is left. It retains its entries.
   */
  static @Nullable Stored without(Stored old, Predicate<VarySelection> gone) {
    return withoutEntries(old, entry -> gone.test(entry.meta().vary()));
  }

  /** The same without {@code gone}. */
  static @Nullable Stored without(Stored old, Entry gone) {
    return withoutEntries(old, entry -> entry == gone);
  }

  private static @Nullable Stored withoutEntries(Stored old, Predicate<Entry> gone) {
    Entry[] entries = new Entry[old.size()];
    int count = 0;
    for (int i = 0; i < old.size(); i++) {
      if (!gone.test(old.get(i))) {
        entries[count++] = old.get(i);
      }
    }
    if (count == old.size() || count == 0) {
      return count == 0 ? null : old;
    }
    for (int i = 0; i < count; i++) {
      boolean alive = entries[i].tryRetain();
      assert alive : "a stored entry without reference";
    }
    return count == 1 ? entries[0] : new Variants(Arrays.copyOf(entries, count));
  }

  @Override
  public @Nullable Entry select(Fields request) {
    Entry found = null;
    for (Entry entry : entries) {
      if ((found == null || VarySelection.prefers(entry.meta(), found.meta()))
          && entry.select(request) != null) {
        found = entry;
      }
    }
    return found;
  }

  @Override
  public long high() {
    return entries[0].high();
  }

  @Override
  public long low() {
    return entries[0].low();
  }

  @Override
  public int size() {
    return entries.length;
  }

  @Override
  public Entry get(int number) {
    return entries[number];
  }
}
