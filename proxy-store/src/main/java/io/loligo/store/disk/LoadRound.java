package io.loligo.store.disk;

import io.loligo.store.memory.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What was loaded for requests that waited together. It is retained, and pinned, so that a place
 * names the same object as long as this lives. Confined to a disk thread.
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

  LoadRound(Catalogue catalogue) {
    this.catalogue = catalogue;
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

  /** Retains {@code entry}, borrowed, and pins {@code stored}, pinned. */
  void keep(Stored stored, Entry entry, boolean inRecord, boolean whole) {
    boolean alive = entry.tryRetain();
    assert alive : "borrowed without reference";
    catalogue.pinAgain(stored);
    held.add(new Held(stored, entry, inRecord, whole));
  }

  @Override
  public void close() {
    for (Held one : held) {
      one.entry.release();
      catalogue.unpin(one.stored);
    }
    held.clear();
  }
}
