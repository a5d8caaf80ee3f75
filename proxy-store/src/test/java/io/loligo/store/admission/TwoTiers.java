package io.loligo.store.admission;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.ArrayDeque;

/** Memory as the store has it, W-TinyLFU, before a {@link LogDisk}. */
final class TwoTiers {
  /** The responses that memory takes and keeps. */
  enum Rule {
    /** All that arrive, and each disk hit: the naive rule. */
    EVERYTHING("all"),
    /** All that arrives, and the second disk hit. */
    SECOND_HIT("second hit"),
    /** {@link MemoryPolicy}. */
    OURS("ours");

    private final String title;

    Rule(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  /**
   * The outcome of a trace, each a share of its requests.
   *
   * @param all answered from memory or disk
   * @param memory answered from memory
   * @param promotions copied from disk to memory
   */
  record Outcome(double all, double memory, double promotions) {}

  private record Write(int object, long since) {}

  /** Requests until an arrived response is on disk. */
  private static final int WRITING = 20;

  private final Trace trace;
  private final LogDisk disk;
  private final long memoryBytes;
  private final Cache<Integer, Integer> memory;
  private final boolean[] asked;
  private final ArrayDeque<Write> writing = new ArrayDeque<>();
  private long requests;
  private long usedBytes;
  private long memoryHits;
  private long diskHits;
  private long promotions;

  TwoTiers(Trace trace, LogDisk disk, long memoryBytes) {
    this.trace = trace;
    this.disk = disk;
    this.memoryBytes = memoryBytes;
    this.asked = new boolean[trace.bytes().length];
    this.memory =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(memoryBytes)
            .weigher((Integer object, Integer bytes) -> bytes)
            .removalListener(this::removed)
            .build();
    disk.memory(asked);
  }

  private void removed(Integer object, Integer bytes, RemovalCause cause) {
    asked[object] = false;
    usedBytes -= bytes;
  }

  Outcome run(Rule rule) {
    for (int object : trace.requests()) {
      request(object, rule);
      requests++;
      while (!writing.isEmpty() && writing.peek().since < requests - WRITING) {
        written(writing.remove().object, rule);
      }
    }
    return new Outcome(
        (double) (memoryHits + diskHits) / requests,
        (double) memoryHits / requests,
        (double) promotions / requests);
  }

  private void request(int object, Rule rule) {
    if (memory.getIfPresent(object) != null) {
      memoryHits++;
      asked[object] = true;
    } else if (disk.get(object)) {
      diskHits++;
      if (promotes(object, rule)) {
        promotions++;
        toMemory(object);
      }
    } else {
      disk.put(object);
      toMemory(object);
      writing.add(new Write(object, requests));
    }
  }

  private boolean promotes(int object, Rule rule) {
    return switch (rule) {
      case EVERYTHING -> true;
      case SECOND_HIT -> disk.hits(object) >= 2;
      case OURS ->
          MemoryPolicy.promote(
                  trace.bytes()[object], disk.hits(object), usedBytes, memoryBytes, memoryBytes)
              .inMemory();
    };
  }

  private void written(int object, Rule rule) {
    if (rule == Rule.OURS
        && disk.holds(object)
        && !MemoryPolicy.written(asked[object], usedBytes, memoryBytes).inMemory()) {
      memory.invalidate(object);
    }
  }

  private void toMemory(int object) {
    usedBytes += trace.bytes()[object];
    memory.put(object, trace.bytes()[object]);
  }
}
