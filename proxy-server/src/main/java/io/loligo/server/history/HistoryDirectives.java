package io.loligo.server.history;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** The directive of the history. */
public final class HistoryDirectives {
  /** Its group. */
  public static final Feature FEATURE = new Feature("The history");

  /** The word for no history. */
  public static final String OFF = "off";

  /** {@code loligo_history}: a file or {@link #OFF}; empty: a file beside the logs. */
  public static final Setting<String> HISTORY =
      FEATURE
          .path("loligo_history", "")
          .or(reading -> "")
          .form("FILE|off")
          .restart(
              "the file and the memory of the history are opened once, with one row for"
                  + " each second since")
          .text(
              "The file that keeps the history of counters and times across restarts. The default"
                  + " is loligo.history in the folder of cache_log, or else of the first file of"
                  + " access_log; without both, a restart forgets the history. off: no history, and"
                  + " no memory for one.");

  private HistoryDirectives() {}
}
