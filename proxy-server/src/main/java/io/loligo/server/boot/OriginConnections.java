package io.loligo.server.boot;

import io.loligo.server.jmx.OriginConnectionsMXBean;
import io.loligo.server.jmx.OriginPool;
import io.loligo.server.upstream.pool.EndpointNumbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The connections to origins and parents of all loops, by endpoint. Thread-safe: any thread but
 * event loops, which it asks.
 */
final class OriginConnections implements OriginConnectionsMXBean {
  /** Most rows; the others are one row. */
  static final int MAX_ROWS = 1_000;

  static final String OTHERS = "others";
  private static final long ASK_SECONDS = 5;

  private final List<Loop> loops;

  OriginConnections(List<Loop> loops) {
    this.loops = loops;
  }

  @Override
  public Map<String, OriginPool> getPools() {
    List<CompletableFuture<List<EndpointNumbers>>> asked = new ArrayList<>();
    for (Loop loop : loops) {
      asked.add(CompletableFuture.supplyAsync(loop::connections, loop.eventLoop()));
    }
    List<EndpointNumbers> all = new ArrayList<>();
    try {
      for (CompletableFuture<List<EndpointNumbers>> one : asked) {
        all.addAll(one.get(ASK_SECONDS, TimeUnit.SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("too busy; try again", e);
    }
    return pools(all);
  }

  /** The endpoints with the most connections and waiting requests. */
  static Map<String, OriginPool> pools(List<EndpointNumbers> all) {
    Map<String, EndpointNumbers> merged = new HashMap<>();
    all.forEach(one -> merged.merge(one.endpoint(), one, EndpointNumbers::and));
    List<EndpointNumbers> sorted = new ArrayList<>(merged.values());
    sorted.sort(
        Comparator.comparingInt((EndpointNumbers one) -> one.open() + one.waiting()).reversed());
    Map<String, OriginPool> pools = new TreeMap<>();
    EndpointNumbers others = new EndpointNumbers(OTHERS, "", 0, 0, 0);
    for (int i = 0; i < sorted.size(); i++) {
      EndpointNumbers one = sorted.get(i);
      if (i < MAX_ROWS) {
        pools.put(one.endpoint(), pool(one));
      } else {
        others = others.and(one);
      }
    }
    if (sorted.size() > MAX_ROWS) {
      pools.put(OTHERS, pool(others));
    }
    return pools;
  }

  private static OriginPool pool(EndpointNumbers one) {
    return new OriginPool(one.host(), one.open(), one.idle(), one.waiting());
  }
}
