package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.report.LogReport;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code loligo report} reads the lines that the proxy writes. */
class LogsForReportTest {
  /** One exchange of each result code, with all stages. */
  private static List<ExchangeRecord> records() {
    List<ExchangeRecord> records = new ArrayList<>();
    for (LogTag tag : LogTag.values()) {
      ExchangeRecord record =
          SampleRecord.of("GET http://192.0.2.7:8080/a?q=1 HTTP/1.1", "User-Agent: x \"y\" {\\");
      record.tag = tag;
      record.collapsed = tag == LogTag.TCP_MISS;
      record.aborted = tag == LogTag.TCP_HIT;
      for (Stage stage : Stage.values()) {
        record.stage(stage, 5_000_000L + stage.ordinal());
      }
      records.add(record);
    }
    return records;
  }

  private static LogReport read(LogFormat format) throws Exception {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    for (ExchangeRecord record : records()) {
      log.write(format.bytes(record));
      log.write('\n');
    }
    return LogReport.read(
        List.of("-"),
        new ByteArrayInputStream(log.toByteArray()),
        records().get(0).endMillis,
        ZoneOffset.UTC,
        null);
  }

  private static String page(LogReport report) throws IOException {
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    report.write(page);
    return page.toString(UTF_8);
  }

  @Test
  void everyLineOfJsonIsReadWithItsStages() throws Exception {
    for (boolean heads : new boolean[] {false, true}) {
      LogReport report = read(LogFormat.json(heads));
      assertThat(report.examples()).isEmpty();
      assertThat(report.accesses()).isEqualTo(LogTag.values().length);
      assertThat(page(report)).doesNotContain("lacks the field stages");
    }
  }

  @Test
  void everyLineOfSquidsFormatIsRead() throws Exception {
    for (Map.Entry<String, String> format : LogFormat.builtIn().entrySet()) {
      if (format.getKey().equals("squid") || format.getKey().equals("loligo_stages")) {
        LogReport report = read(LogFormat.compile(format.getValue()));
        assertThat(report.examples()).isEmpty();
        assertThat(report.accesses()).isEqualTo(LogTag.values().length);
        assertThat(page(report).contains("lacks the field stages"))
            .isEqualTo(format.getKey().equals("squid"));
      }
    }
  }
}
