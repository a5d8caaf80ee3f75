package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The stages of an exchange in logs: names in camel case, times in microseconds. Stateless. */
final class StageText {
  private static final long NANOS_PER_MICRO = 1000;
  private static final Stage[] STAGES = Stage.values();
  private static final String[] NAMES = inCamelCase();

  private StageText() {}

  private static String[] inCamelCase() {
    String[] names = new String[STAGES.length];
    for (int i = 0; i < STAGES.length; i++) {
      String[] words = STAGES[i].name().toLowerCase(Locale.ROOT).split("_", -1);
      StringBuilder name = new StringBuilder(words[0]);
      for (int j = 1; j < words.length; j++) {
        name.append(Character.toUpperCase(words[j].charAt(0)))
            .append(words[j], 1, words[j].length());
      }
      names[i] = name.toString();
    }
    return names;
  }

  /** The name of {@code stage}. */
  static String name(Stage stage) {
    return NAMES[stage.ordinal()];
  }

  /** All names, joined by commas. */
  static String names() {
    return String.join(", ", NAMES);
  }

  /** The stage of this name; null: there is none. */
  static @Nullable Stage named(String name) {
    for (Stage stage : STAGES) {
      if (name(stage).equals(name)) {
        return stage;
      }
    }
    return null;
  }

  /** Writes the microseconds of {@code stage}; nothing if it did not occur. */
  static void write(ExchangeRecord record, Stage stage, LogLine line) {
    long nanos = record.stage(stage);
    if (nanos >= 0) {
      line.appendNumber(nanos / NANOS_PER_MICRO);
    }
  }

  /** Writes {@code name:microseconds} for each stage that occurred, joined by commas. */
  static void all(ExchangeRecord record, LogLine line) {
    boolean follows = false;
    for (Stage stage : STAGES) {
      if (record.stage(stage) >= 0) {
        if (follows) {
          line.append(',');
        }
        line.append(name(stage));
        line.append(':');
        write(record, stage, line);
        follows = true;
      }
    }
  }
}
