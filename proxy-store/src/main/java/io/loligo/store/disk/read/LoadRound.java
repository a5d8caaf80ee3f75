package io.loligo.store.disk.read;

import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.memory.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries loaded for requests that waited together, retained while this lives. Confined to a disk
 * thread.
 */
public final class LoadRound implements AutoCloseable {
  /**
   * A loaded entry.
   *
   * @param whole whether memory wanted it then: its content was assembled if possible
   */
  record Held(IndexedResponse stored, Entry entry, boolean inRecord, boolean whole) {}

  /** A first block that was read; null if it is of another key. */
  private record Judged(long version, @Nullable StoredMeta meta) {}

  private final List<Held> held = new ArrayList<>(1);
  private final List<Judged> judged = new ArrayList<>(0);

  /** The last load of {@code stored}, in its present version; or null. */
  @Nullable Held find(IndexedResponse stored) {
    for (int i = held.size() - 1; i >= 0; i--) {
      if (held.get(i).stored.version() == stored.version()) {
        return held.get(i);
      }
    }
    return null;
  }

  /** The first block of {@code stored} has {@code meta}; null: it is of another key. */
  void judge(IndexedResponse stored, @Nullable StoredMeta meta) {
    judged.add(new Judged(stored.version(), meta));
  }

  /** Whether it is known that {@code request}, null for any, does not select {@code stored}. */
  boolean excludes(IndexedResponse stored, @Nullable Fields request) {
    for (Judged one : judged) {
      if (one.version == stored.version()) {
        return one.meta == null
            || (request != null && one.meta.vary() != null && !one.meta.vary().matches(request));
      }
    }
    return false;
  }

  /** Retains {@code entry}, borrowed. */
  void keep(IndexedResponse stored, Entry entry, boolean inRecord, boolean whole) {
    boolean alive = entry.tryRetain();
    assert alive : "borrowed without reference";
    held.add(new Held(stored, entry, inRecord, whole));
  }

  @Override
  public void close() {
    for (Held one : held) {
      one.entry.release();
    }
    held.clear();
  }
}
