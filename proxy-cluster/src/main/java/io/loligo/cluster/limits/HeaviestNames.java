package io.loligo.cluster.limits;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The {@value #MOST} names with the most requests of those added. Confined to one thread. */
final class HeaviestNames implements SharedLimit.Names {
  /** In one message: 10 KB. */
  static final int MOST = 1_000;

  private final PriorityQueue<NameCount> heaviest =
      new PriorityQueue<>(Comparator.comparingInt(NameCount::count));

  /** Each name at most once. */
  @Override
  public void add(long name, int count) {
    NameCount lightest = heaviest.peek();
    if (lightest == null || heaviest.size() < MOST) {
      heaviest.add(new NameCount(name, count));
    } else if (count > lightest.count()) {
      heaviest.remove();
      heaviest.add(new NameCount(name, count));
    }
  }

  /** Them in the order of a message. */
  List<NameCount> list() {
    List<NameCount> list = new ArrayList<>(heaviest);
    list.sort(Comparator.comparingLong(NameCount::name));
    return list;
  }
}
