package io.loligo.store.memory;

import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import java.util.Arrays;
import java.util.Objects;

/**
 * Several stored responses under one key (RFC 9111 section 4.1), the most recent first, at most
 * {@value #MAX}. Immutable.
 */
final class Variants implements Stored {
  /** More than these are not kept: the oldest makes room. */
  static final int MAX = 16;

  private final Entry[] entries;

  private Variants(Entry[] entries) {
    this.entries = entries;
  }

  /**
   * {@code old} (or null) with {@code added} as its most recent entry, without the one it replaces:
   * the one of equal selection, or all where {@code added} does not vary. What it holds is retained
   * for it, {@code added} too. Called while {@code old} still holds its references.
   */
  static Stored with(Stored old, Entry added) {
    return with(old, added, null);
  }

  /** The same, {@code replaced} left out whatever it selects. */
  static Stored with(Stored old, Entry added, Entry replaced) {
    Entry[] entries = new Entry[MAX];
    entries[0] = added;
    int count = 1;
    if (old != null && added.meta().vary() != null) {
      for (int i = 0; i < old.size() && count < MAX; i++) {
        Entry entry = old.get(i);
        if (entry != replaced && !Objects.equals(entry.meta().vary(), added.meta().vary())) {
          entries[count++] = entry;
        }
      }
    }
    for (int i = 0; i < count; i++) {
      boolean alive = entries[i].tryRetain();
      assert alive : "a stored entry without reference";
    }
    return count == 1 ? added : new Variants(Arrays.copyOf(entries, count));
  }

  /**
   * {@code old} without what has the selection {@code vary}; itself where nothing has, null where
   * nothing is left. What it holds is retained for it.
   */
  static Stored without(Stored old, VarySelection vary) {
    Entry[] entries = new Entry[old.size()];
    int count = 0;
    for (int i = 0; i < old.size(); i++) {
      if (!vary.equals(old.get(i).meta().vary())) {
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
  public Entry select(Fields request) {
    for (Entry entry : entries) {
      if (entry.select(request) != null) {
        return entry;
      }
    }
    return null;
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
