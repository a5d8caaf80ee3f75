package io.loligo.server.traffic;

import java.util.List;

/**
 * A copy of the tables of one event loop. Immutable by agreement: nobody changes the arrays.
 *
 * @param sinceMillis begin, milliseconds since the epoch
 * @param generations the newer one first
 */
record LoopCopy(long sinceMillis, List<Generation> generations) {
  /** Copies of {@link TrafficSums}. */
  static final class Generation {
    final Table origins;
    final Table clients;
    final Table users;
    final List<SlowRequest> slowest;
    final long[] misses;
    final long[] missBytes;
    final long[] clientTls;
    final long[] serverTls;

    Generation(TrafficSums from) {
      origins = Table.of(from.origins);
      clients = Table.of(from.clients);
      users = Table.of(from.users);
      slowest = from.slowest.all();
      misses = from.misses.clone();
      missBytes = from.missBytes.clone();
      clientTls = from.clientTls.clone();
      serverTls = from.serverTls.clone();
    }
  }

  /** Copies of {@link HeavyKeys}. */
  static final class Table {
    final List<HeavyKeys.Row> rows;
    final long[] others;

    private Table(List<HeavyKeys.Row> rows, long[] others) {
      this.rows = rows;
      this.others = others;
    }

    static Table of(HeavyKeys keys) {
      return new Table(keys.rows(), keys.others());
    }
  }

  /** On the loop. */
  static LoopCopy of(Generations<TrafficSums> sums) {
    return new LoopCopy(sums.sinceMillis(), sums.both().stream().map(Generation::new).toList());
  }
}
