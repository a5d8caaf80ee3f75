package io.loligo.server.adapt;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.TimeWords;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code icap_service_failure_limit}. Immutable.
 *
 * @param most failures above which a service is down; negative: no limit
 * @param memoryMillis how long a failure counts; 0: until the options are fetched again
 */
record FailureLimit(int most, long memoryMillis) {
  static final String FORM = "NUMBER [in TIME]";
  static final FailureLimit USUAL = new FailureLimit(10, 0);

  /** Reads the lines; the last one holds. Confined to one thread. */
  static final class Lines implements LineReader<FailureLimit> {
    private final Report report;
    private FailureLimit limit = USUAL;

    Lines(Reading reading) {
      report = reading.report();
    }

    @Override
    public void read(Line line) {
      List<String> values = line.values();
      if (values.isEmpty() || !values.get(0).matches("-?[0-9]{1,9}")) {
        report.error(line, values.isEmpty() ? "" : values.get(0), FORM, "");
        return;
      }
      long seconds = 0;
      if (values.size() > 1) {
        if (!values.get(1).equals("in") || values.size() < 3) {
          report.error(line, values.get(1), FORM, "");
          return;
        }
        seconds = TimeWords.seconds(line, values.subList(2, values.size()), report);
      }
      limit =
          new FailureLimit(
              Integer.parseInt(values.get(0)), TimeUnit.SECONDS.toMillis(Math.max(0, seconds)));
    }

    @Override
    public FailureLimit value() {
      return limit;
    }
  }
}
