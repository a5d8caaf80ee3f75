package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The stages of an exchange in logs: times in microseconds. Stateless. */
final class StageText {
  private static final Stage[] STAGES = Stage.values();

  private StageText() {}

  /** All names, joined by commas. */
  static String names() {
    return Arrays.stream(STAGES).map(Stage::text).collect(Collectors.joining(", "));
  }

  /** The stage of this name; null: there is none. */
  static @Nullable Stage named(String name) {
    for (Stage stage : STAGES) {
      if (stage.text().equals(name)) {
        return stage;
      }
    }
    return null;
  }

  /** Writes the microseconds of {@code stage}; nothing if it did not occur. */
  static void write(ExchangeRecord record, Stage stage, LogLine line) {
    long micros = record.stageMicros(stage);
    if (micros >= 0) {
      line.appendNumber(micros);
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
        line.append(stage.text());
        line.append(':');
        write(record, stage, line);
        follows = true;
      }
    }
  }
}
