package io.loligo.store.disk.write;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.memory.Entry;
import java.util.function.BooleanSupplier;

/**
 * A response that is to be written, and then what became of it. Holds a reference to the entry
 * until {@link #tellAndRelease}. Confined to one thread at a time.
 */
public final class Write {
  /** How a write ended. */
  public enum Ended {
    WRITTEN,
    /** What is stored, if anything is, is older. */
    NOT_WRITTEN,
    /** It is not wanted any more: who cancelled it has his own word on what is stored. */
    CANCELLED
  }

  /** Told how a write ended. */
  public interface Listener {
    void ended(Ended how);
  }

  private final Entry entry;
  private final long id;
  private final boolean fresh;
  private final boolean late;
  private final BooleanSupplier cancelled;
  private final Listener then;
  private Lane lane;
  private Writer.Outcome outcome;
  private Throwable failure;

  /**
   * Takes {@code entry}.
   *
   * @param id number of the object
   * @param fresh whether only its head is new: the content is not in memory but on disk already
   * @param late whether it came before what may be there by now, which then stays
   * @param then told when it is through
   */
  public Write(
      Entry entry, long id, boolean fresh, boolean late, BooleanSupplier cancelled, Listener then) {
    this.entry = entry;
    this.id = id;
    this.fresh = fresh;
    this.late = late;
    this.cancelled = cancelled;
    this.then = then;
  }

  public Entry entry() {
    return entry;
  }

  public long id() {
    return id;
  }

  public boolean fresh() {
    return fresh;
  }

  public boolean late() {
    return late;
  }

  BooleanSupplier cancelled() {
    return cancelled;
  }

  /** Bytes of memory that it holds and that are to be written. */
  public long bytes() {
    return entry.fieldsLength() + (fresh ? 0 : entry.storedLength());
  }

  /** Whether it has more content than one block holds. */
  boolean isLarge() {
    return entry.storedLength() > Block.MAX_BYTES;
  }

  /** Where the admission placed it, or null: it was not asked yet, or does not want it. */
  Lane lane() {
    return lane;
  }

  void lane(Lane placed) {
    lane = placed;
  }

  public void ended(Writer.Outcome how) {
    outcome = how;
  }

  public void failed(Throwable why) {
    failure = why;
  }

  /** Null where it failed. */
  public Writer.Outcome outcome() {
    return outcome;
  }

  /** Why it was not done, or null. */
  public Throwable failure() {
    return failure;
  }

  /** Tells who waits how it ended, and lets go of the response. */
  public void tellAndRelease(Ended how) {
    try {
      then.ended(how);
    } finally {
      entry.release();
    }
  }
}
