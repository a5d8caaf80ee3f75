package io.loligo.server.report;

import io.loligo.server.json.JsonWriter;
import java.time.Instant;
import java.util.List;

/** The figures of a report for programs. Stateless. */
final class ReportFigures {
  private static final double[] FRACTIONS = {0.5, 0.95, 0.99};
  private static final String[] NAMES = {"p50", "p95", "p99"};

  private ReportFigures() {}

  /**
   * One object on one line; there is at least one access.
   *
   * @param notes about the numbers of the proxy itself
   */
  static String of(ReadLogs read, ReportNumbers numbers, List<String> notes) {
    Aggregates counted = numbers.counted();
    JsonWriter json = JsonWriter.compact().beginObject();
    texts(json, "logs", read.names());
    json.member("lines", read.lines()).member("unreadable", read.unreadable());
    texts(json, "problems", read.problems());
    texts(json, "notes", notes);
    json.member("accesses", counted.accesses()).member("others", counted.others());
    json.name("results").beginObject();
    ResultCodes results = read.results();
    for (int i = 0; i < results.size(); i++) {
      if (counted.count(i) > 0) {
        json.member(results.name(i), counted.count(i));
      }
    }
    json.endObject();
    json.member("from", time(counted.firstMicros())).member("to", time(counted.lastMicros()));
    sums(json, numbers.whole());
    json.name("peak").beginObject();
    json.member("from", time(numbers.peakStartMicros()));
    json.member("to", time(numbers.peakEndMicros()));
    sums(json, numbers.peak());
    json.endObject();
    groups(json, counted.groups);
    return json.endObject() + "\n";
  }

  private static void groups(JsonWriter json, TimeGroups groups) {
    json.name("overTime").beginArray();
    for (int i = 0; i < groups.count(); i++) {
      json.beginObject().member("from", time(groups.startMicros(i)));
      sums(json, groups.group(i));
      json.endObject();
    }
    json.endArray();
  }

  /** Bytes are those to clients, with heads; a quantile without any access is null. */
  private static void sums(JsonWriter json, TimeGroup group) {
    long hits = group.get(Amount.HITS);
    long hitBytes = group.get(Amount.HIT_BYTES);
    long bytes = hitBytes + group.get(Amount.MISS_BYTES);
    json.member("hits", hits).member("misses", group.get(Amount.MISSES));
    json.name("hitRatio").value(ratio(hits, group.accesses()));
    json.member("bytes", bytes).member("hitBytes", hitBytes);
    json.name("byteHitRatio").value(ratio(hitBytes, bytes));
    json.name("times").beginObject();
    times(json, "all", group.get(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS));
    times(json, "hits", group.get(Measure.RESPONSE_HIT));
    times(json, "misses", group.get(Measure.RESPONSE_MISS));
    json.endObject();
  }

  private static void times(JsonWriter json, String name, Histogram histogram) {
    json.name(name).beginObject();
    for (int i = 0; i < NAMES.length; i++) {
      json.name(NAMES[i] + "Micros").value(histogram.quantile(FRACTIONS[i]));
    }
    json.endObject();
  }

  private static double ratio(long part, long whole) {
    return whole == 0 ? 0 : (double) part / whole;
  }

  private static void texts(JsonWriter json, String name, List<String> texts) {
    json.name(name).beginArray();
    texts.forEach(json::value);
    json.endArray();
  }

  private static String time(long micros) {
    return Instant.ofEpochMilli(micros / 1000).toString();
  }
}
