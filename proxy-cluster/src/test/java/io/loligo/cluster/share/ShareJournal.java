package io.loligo.cluster.share;

import io.loligo.cluster.purges.PurgeJournal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** The journal of a node over all its runs. Its disk takes each line at once. */
final class ShareJournal implements PurgeJournal {
  private final List<Line> lines = new ArrayList<>();
  private LongConsumer synced = position -> {};

  @Override
  public Kept read() {
    return new Kept(List.copyOf(lines), false);
  }

  @Override
  public void listen(LongConsumer listener) {
    synced = listener;
  }

  @Override
  public long append(Line line) {
    lines.add(line);
    synced.accept(lines.size());
    return lines.size();
  }

  @Override
  public void expire(long count) {
    // a world is too short
  }

  @Override
  public void close() {
    // is used by the next run
  }
}
