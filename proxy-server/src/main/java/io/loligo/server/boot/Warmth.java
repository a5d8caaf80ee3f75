package io.loligo.server.boot;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;

/**
 * Tells from the work of the JVM's compilers when the code in use is compiled. Confined to one
 * thread.
 */
final class Warmth {
  /** Looks that are compared. */
  private static final int LOOKS = 20;

  /** Compilation that is nothing of weight, as a share of one core. */
  private static final double LITTLE = 0.25;

  /** Before so many requests no method was called often. */
  private static final int LEAST_REQUESTS = 5_000;

  private final LongSupplier compiledMillis;
  private final Deque<Look> looks = new ArrayDeque<>();

  private record Look(long millis, long compiledMillis, long requests) {}

  /** {@code compiledMillis}: time that the compilers have worked, of all their threads. */
  Warmth(LongSupplier compiledMillis) {
    this.compiledMillis = compiledMillis;
  }

  /** Of this JVM. One that does not tell what its compilers do is never warm. */
  static Warmth ofThisJvm() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    return compiler == null || !compiler.isCompilationTimeMonitoringSupported()
        ? new Warmth(System::currentTimeMillis)
        : new Warmth(compiler::getTotalCompilationTime);
  }

  /** Milliseconds that the compilers have worked since the JVM started. */
  long compiledMillis() {
    return compiledMillis.getAsLong();
  }

  /**
   * Whether the last {@value #LOOKS} looks saw requests, and little compilation.
   *
   * @param millis now, of a clock that does not go back
   * @param requests so far
   */
  boolean isWarm(long millis, long requests) {
    Look now = new Look(millis, compiledMillis(), requests);
    looks.addLast(now);
    if (looks.size() <= LOOKS) {
      return false;
    }
    Look before = looks.removeFirst();
    return requests >= LEAST_REQUESTS
        && requests > before.requests
        && now.compiledMillis - before.compiledMillis < LITTLE * (millis - before.millis);
  }
}
