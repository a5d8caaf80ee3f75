package io.loligo.server.report;

/**
 * Reads the lines of a log: Squid's native format, the same with stages at its end, or {@code
 * loligo_json}; each line may have another format. Confined to one thread.
 */
final class LineParser {
  /** Times before 1990 are those of machines whose clock is not set. */
  static final long EARLIEST_MICROS = 631_152_000_000_000L;

  private static final long DAY_MICROS = 86_400_000_000L;

  /** Longer durations are cut: a year. */
  static final long LONGEST_MICROS = 366 * DAY_MICROS;

  private final NativeLine natives;
  private final JsonLine json;
  private final long latestMicros;

  /**
   * A parser.
   *
   * @param results takes the result codes
   * @param nowMicros lines of more than a day after it are unreadable
   */
  LineParser(ResultCodes results, long nowMicros) {
    natives = new NativeLine(results);
    json = new JsonLine(results);
    latestMicros = nowMicros + DAY_MICROS;
  }

  /** Fills {@code into} from a line without its end; false: the line is unreadable. */
  boolean parse(byte[] bytes, int from, int to, LoggedAccess into) {
    into.clear();
    boolean read =
        (from < to && bytes[from] == '{')
            ? json.parse(bytes, from, to, into)
            : natives.parse(bytes, from, to, into);
    if (!read || into.endMicros < EARLIEST_MICROS || into.endMicros > latestMicros) {
      return false;
    }
    into.micros = Math.min(Math.max(into.micros, 0), LONGEST_MICROS);
    into.bytes = Math.max(into.bytes, 0);
    place(into);
    return true;
  }

  /** Says from where a hit came, if the stages tell it. */
  private static void place(LoggedAccess access) {
    if (access.kind == AccessKind.OTHER_HIT && access.staged) {
      access.kind =
          access.stage(LoggedStage.DISK_FIRST_READ) >= 0
              ? AccessKind.DISK_HIT
              : AccessKind.MEMORY_HIT;
    }
  }
}
