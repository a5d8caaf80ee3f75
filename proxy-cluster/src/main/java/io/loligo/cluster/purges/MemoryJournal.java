package io.loligo.cluster.purges;

import java.util.function.LongConsumer;

/** Keeps nothing: the journal of a node without a disk, whose store is empty after a restart. */
final class MemoryJournal implements PurgeJournal {
  private LongConsumer synced = position -> {};
  private long position;

  @Override
  public Kept read() {
    return Kept.NOTHING;
  }

  @Override
  public void listen(LongConsumer listener) {
    synced = listener;
  }

  @Override
  public long append(Line line) {
    position++;
    synced.accept(position);
    return position;
  }

  @Override
  public void expire(long count) {
    // has none
  }

  @Override
  public void close() {
    // has nothing open
  }
}
