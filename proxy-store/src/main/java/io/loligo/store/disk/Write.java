package io.loligo.store.disk;

import io.loligo.core.caching.StoredForm;
import io.loligo.store.memory.Entry;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A response that is to be written, and then what became of it. Holds a reference to the entry
 * until {@link #tellAndRelease}. Confined to the disk thread that could {@link #take} it.
 */
final class Write {
  private final Entry entry;
  private final long id;
  private final boolean fresh;
  private final boolean late;
  private final BooleanSupplier cancelled;
  private final DiskDirectory.Written then;
  private final AtomicBoolean taken = new AtomicBoolean();
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
  Write(
      Entry entry,
      long id,
      boolean fresh,
      boolean late,
      BooleanSupplier cancelled,
      DiskDirectory.Written then) {
    this.entry = entry;
    this.id = id;
    this.fresh = fresh;
    this.late = late;
    this.cancelled = cancelled;
    this.then = then;
  }

  /** Whether nobody did before: who does that writes it. Any thread. */
  boolean take() {
    return !taken.getAndSet(true);
  }

  Entry entry() {
    return entry;
  }

  long id() {
    return id;
  }

  boolean fresh() {
    return fresh;
  }

  boolean late() {
    return late;
  }

  BooleanSupplier cancelled() {
    return cancelled;
  }

  /** Octets of memory that it holds and that are to be written. */
  long bytes() {
    return entry.fieldsLength() + (fresh ? 0 : entry.contentLength());
  }

  /** Octets of disk that it takes as one block, at most; 0: its content is there already. */
  long blockBytes() {
    return fresh
        ? 0
        : FirstBlock.FIXED_BYTES
            + entry.key().length()
            + StoredForm.metaBytes(entry.meta())
            + entry.fieldsLength()
            + entry.contentLength()
            + Block.ALIGNMENT;
  }

  void ended(Writer.Outcome how) {
    outcome = how;
  }

  void failed(Throwable why) {
    failure = why;
  }

  /** Null where it failed. */
  Writer.Outcome outcome() {
    return outcome;
  }

  /** Why it was not done, or null. */
  Throwable failure() {
    return failure;
  }

  /** Tells who waits how it ended, and lets go of the response. */
  void tellAndRelease(DiskDirectory.Ended how) {
    try {
      then.ended(how);
    } finally {
      entry.release();
    }
  }
}
