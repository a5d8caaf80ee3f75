package io.loligo.store.disk.write;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.medium.DiskWatch;
import io.loligo.store.memory.Entry;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A response to be written, and then the outcome. Holds a reference to the entry until {@link
 * #tellAndRelease}. Confined to one thread at a time.
 */
public final class Write {
  /** The outcome of a write. */
  public enum Ended {
    WRITTEN,
    /** The stored response, if there is one, is older. */
    NOT_WRITTEN,
    /** It was cancelled; the canceller takes care of the stored response. */
    CANCELLED
  }

  /** Told the outcome of a write. */
  public interface Listener {
    void ended(Ended how);
  }

  private final Entry entry;
  private final long id;
  private final boolean fresh;
  private final boolean late;
  private final BooleanSupplier cancelled;
  private final Listener then;
  private final long sinceNanos;
  private @Nullable Lane lane;
  private Writer.@Nullable Outcome outcome;
  private @Nullable Throwable failure;
  private long blocks;
  private long blockNanos;

  /**
   * Takes {@code entry}.
   *
   * @param id number of the object
   * @param fresh whether only its head is new: the content is not in memory but on disk already
   * @param late whether it may be older than a stored response, which then stays
   * @param then told of the end
   * @param sinceNanos the clock of its medium now
   */
  public Write(
      Entry entry,
      long id,
      boolean fresh,
      boolean late,
      BooleanSupplier cancelled,
      Listener then,
      long sinceNanos) {
    this.entry = entry;
    this.id = id;
    this.fresh = fresh;
    this.late = late;
    this.cancelled = cancelled;
    this.then = then;
    this.sinceNanos = sinceNanos;
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

  /** Bytes of memory that it holds and that will be written. */
  public long bytes() {
    return entry.fieldsLength() + (fresh ? 0 : entry.storedLength());
  }

  /** Whether it has more content than one block holds. */
  boolean isLarge() {
    return entry.storedLength() > Block.MAX_BYTES;
  }

  /** The lane that the admission gave it, or null: not asked yet, or refused. */
  @Nullable Lane lane() {
    return lane;
  }

  void lane(@Nullable Lane placed) {
    lane = placed;
  }

  public void ended(Writer.Outcome how) {
    outcome = how;
  }

  public void failed(Throwable why) {
    failure = why;
  }

  /** A block was written alone. */
  void wrote(long nanos) {
    blocks++;
    blockNanos += nanos;
  }

  /** Tells {@code watch} of the response, which is stored. */
  public void show(DiskWatch watch, long nowNanos) {
    watch.stored(bytes(), nowNanos - sinceNanos, blocks, blockNanos);
  }

  /** Null if it failed. */
  public Writer.@Nullable Outcome outcome() {
    return outcome;
  }

  /** Why it was not done, or null. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /** Tells the listener the outcome, and releases the response. */
  public void tellAndRelease(Ended how) {
    try {
      then.ended(how);
    } finally {
      entry.release();
    }
  }
}
