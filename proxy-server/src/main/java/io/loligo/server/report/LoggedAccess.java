package io.loligo.server.report;

import java.util.Arrays;

/** One line of a log. Mutable, filled again and again; confined to the thread that holds it. */
final class LoggedAccess {
  /** The end, in microseconds since 1970. */
  long endMicros;

  /** The response time in microseconds, at least 0. */
  long micros;

  /** The number of the result code in {@link ResultCodes}. */
  int result;

  AccessKind kind = AccessKind.OTHER;

  /** The status that the client got; 0: none. */
  int status;

  /** Bytes to the client, at least 0. */
  long bytes;

  /** A hash of the URL. */
  long file;

  /** Whether the method is GET. */
  boolean get;

  /** Whether the line says which stages occurred. */
  boolean staged;

  private final long[] stages = new long[LoggedStage.COUNT];

  void clear() {
    endMicros = 0;
    micros = 0;
    result = 0;
    kind = AccessKind.OTHER;
    status = 0;
    bytes = 0;
    file = 0;
    get = false;
    unstage();
  }

  /** Forgets all stages. */
  void unstage() {
    staged = false;
    Arrays.fill(stages, -1);
  }

  /** The duration of a stage in microseconds; -1: it did not occur, or the line has no stages. */
  long stage(LoggedStage stage) {
    return stages[stage.ordinal()];
  }

  void stage(int ordinal, long durationMicros) {
    stages[ordinal] = durationMicros;
  }

  /** The sum of those of {@code some} that occurred; -1: none. */
  long sum(LoggedStage... some) {
    long sum = -1;
    for (LoggedStage stage : some) {
      long one = stage(stage);
      sum = one < 0 ? sum : Math.max(0, sum) + one;
    }
    return sum;
  }
}
