package io.loligo.bench;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Runs benchmarks in threads like those of event loops: Netty reuses more objects in them than in
 * others. JMH creates it by name.
 */
public final class LoopThreads extends ThreadPoolExecutor {
  /**
   * Creates the threads.
   *
   * @param threads how many, above 0
   * @param name the first part of their names
   */
  public LoopThreads(int threads, String name) {
    super(
        threads,
        threads,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        new DefaultThreadFactory(name, /* daemon= */ true));
  }
}
