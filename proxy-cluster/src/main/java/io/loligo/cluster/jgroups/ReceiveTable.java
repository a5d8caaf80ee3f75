package io.loligo.cluster.jgroups;

import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jgroups.Message;
import org.jgroups.util.Table;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one member by their numbers, as far as they wait: for those before them, or to be
 * known to all. Thread-safe, guarded by the lock of the table.
 */
final class ReceiveTable extends Table<Message> {
  private static final double GROWTH = 1.2;

  private final EngineBounds bounds;

  /** Bytes that wait; not less. Written under the lock. */
  private volatile long bytes;

  /** Whether messages were taken since the last count. */
  private boolean taken;

  /** Whether the message that is added is one of this node, which is never dropped. */
  private boolean own;

  /**
   * An empty one.
   *
   * @param before the number before that of the first message
   */
  ReceiveTable(int rows, int messagesOfRow, long before, EngineBounds bounds) {
    super(rows, messagesOfRow, before, GROWTH);
    this.bounds = bounds;
  }

  long bytes() {
    return bytes;
  }

  /** As the engine adds messages that this node sends. */
  @Override
  public boolean add(long number, Message message, Predicate<Message> delivered) {
    lock.lock();
    try {
      own = true;
      return super.add(number, message, delivered);
    } finally {
      own = false;
      lock.unlock();
    }
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // written under the lock
  protected boolean _add(
      long number, Message message, boolean resizes, @Nullable Predicate<Message> delivered) {
    long length = EngineBounds.bytes(message);
    if (!own && !admits(number, length, message)) {
      return false;
    }
    boolean added = super._add(number, message, true, delivered);
    if (added) {
      bytes += length;
    }
    return added;
  }

  private boolean admits(long number, long length, Message message) {
    long ahead = number - hd;
    if (ahead <= 0) {
      return true; // is known, and not added
    }
    if (ahead > EngineBounds.MAX_AHEAD) {
      bounds.dropped(message.getSrc());
      return false;
    }
    if (bounds.fits(bytes + length)) {
      return true;
    }
    if (taken) {
      count();
    }
    boolean isNext = ahead == 1 && low == hd; // it sets free those that wait for it
    if (isNext || bounds.fits(bytes + length)) {
      return true;
    }
    bounds.dropped(bytes + length > EngineBounds.MAX_BYTES ? message.getSrc() : null);
    return false;
  }

  /** The engine makes room for the greatest number of several before it adds them. */
  @Override
  protected void resize(long number) {
    if (number - hd <= EngineBounds.MAX_AHEAD) {
      super.resize(number);
    }
  }

  @Override
  public <R> R removeMany(
      boolean nullify,
      int max,
      Predicate<Message> filter,
      Supplier<R> made,
      BiConsumer<R, Message> accumulator) {
    lock.lock();
    try {
      R removed = super.removeMany(nullify, max, filter, made, accumulator);
      taken = true;
      if (low == hr) {
        count();
      }
      return removed;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void purge(long number, boolean force) {
    lock.lock();
    try {
      super.purge(number, force);
      count();
    } finally {
      lock.unlock();
    }
  }

  private void count() {
    long[] sum = {0};
    forEach(
        low + 1,
        hr,
        (number, message, row, column) -> {
          sum[0] += message == null ? 0 : EngineBounds.bytes(message);
          return true;
        });
    bytes = sum[0];
    taken = false;
  }
}
