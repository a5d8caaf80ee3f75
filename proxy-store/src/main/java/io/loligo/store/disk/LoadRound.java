package io.loligo.store.disk;

import io.loligo.store.memory.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What was loaded for requests that waited together. It is retained, and all that was looked at is
 * pinned, so that a place names the same object as long as this lives. Confined to a disk thread.
 */
final class LoadRound implements AutoCloseable {
  /**
   * An entry that was loaded.
   *
   * @param whole whether memory wanted it then: its content was put together if it could be
   */
  record Held(Stored stored, Entry entry, boolean inRecord, boolean whole) {}

  private final Catalogue catalogue;
  private final List<Held> held = new ArrayList<>(1);
  private final List<Stored> pinned = new ArrayList<>(1);

  LoadRound(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  /**
   * All variants under {@code high}, see {@link Catalogue#pinAll}, pinned as long as this lives.
   */
  List<Stored> pinAll(long high) {
    List<Stored> variants = catalogue.pinAll(high);
    pinned.addAll(variants);
    return variants;
  }

  /** What was loaded of {@code stored} where it stands now, last, or null. */
  Held find(Stored stored) {
    for (int i = held.size() - 1; i >= 0; i--) {
      Stored one = held.get(i).stored;
      if (one.place() == stored.place()
          && one.high() == stored.high()
          && one.low() == stored.low()) {
        return held.get(i);
      }
    }
    return null;
  }

  /** Retains {@code entry}, borrowed; {@code stored} is pinned here. */
  void keep(Stored stored, Entry entry, boolean inRecord, boolean whole) {
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
    catalogue.unpinAll(pinned);
    pinned.clear();
  }
}
