package io.loligo.server.report;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.TreeMap;

/** Random accesses in the order of their ends, and their lines in each format. */
final class GeneratedLog {
  static final long START_MILLIS = Instant.parse("2026-11-20T08:00:00Z").toEpochMilli();

  private static final List<String> TAGS =
      List.of(
          "TCP_MISS",
          "TCP_MISS",
          "TCP_HIT",
          "TCP_MEM_HIT",
          "TCP_MEM_HIT",
          "TCP_IMS_HIT",
          "TCP_REFRESH_UNMODIFIED",
          "TCP_REFRESH_MODIFIED",
          "TCP_NEGATIVE_HIT",
          "TCP_CF_MISS",
          "TCP_MISS_ABORTED",
          "TCP_TUNNEL",
          "TCP_DENIED",
          "NONE_NONE");

  /** One access. */
  record Line(
      long endMillis,
      long millis,
      String tag,
      int status,
      long bytes,
      String method,
      String url,
      Map<LoggedStage, Long> stages) {
    boolean other() {
      return tag.equals("TCP_TUNNEL") || tag.equals("TCP_DENIED") || tag.equals("NONE_NONE");
    }

    boolean hit() {
      return tag.contains("HIT") || tag.equals("TCP_REFRESH_UNMODIFIED");
    }

    long micros(LoggedStage stage) {
      return stages.getOrDefault(stage, -1L);
    }

    String squid() {
      return String.format(
          "%d.%03d %6d 192.0.2.%d %s/%03d %d %s %s - HIER_NONE/- text/html",
          endMillis / 1000, endMillis % 1000, millis, bytes % 200, tag, status, bytes, method, url);
    }

    String staged() {
      StringJoiner words = new StringJoiner(",");
      stages.forEach((stage, micros) -> words.add(stage.text() + ":" + micros));
      return squid() + " " + (stages.isEmpty() ? "-" : words);
    }

    String json() {
      StringJoiner members = new StringJoiner(",");
      stages.forEach((stage, micros) -> members.add("\"" + stage.text() + "\":" + micros));
      return "{\"time\":\""
          + Instant.ofEpochMilli(endMillis).toString().replaceFirst("(:\\d\\d)Z", "$1.000Z")
          + "\",\"micros\":"
          + millis * 1000
          + ",\"client\":\"192.0.2.1\",\"method\":\""
          + method
          + "\",\"url\":\""
          + url
          + "\",\"userAgent\":\"a \\\"b\\\\\\\" {\",\"status\":"
          + status
          + ",\"bytesOut\":"
          + bytes
          + ",\"result\":\""
          + tag
          + "\",\"fromDisk\":false,\"notes\":{\"a\":\"b,\\\"}\"},\"stages\":{"
          + members
          + "},\"icap\":[{\"service\":\"x\"},[]],\"cut\":false}";
    }
  }

  private GeneratedLog() {}

  /** {@code count} accesses that end within {@code spanMillis}. */
  static List<Line> of(long seed, int count, long spanMillis, boolean staged) {
    Random random = new Random(seed);
    List<Line> lines = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lines.add(line(random, START_MILLIS + random.nextInt((int) spanMillis), staged));
    }
    lines.sort(Comparator.comparingLong(Line::endMillis));
    return lines;
  }

  private static Line line(Random random, long end, boolean staged) {
    String tag = TAGS.get(random.nextInt(TAGS.size()));
    int status = tag.equals("TCP_NEGATIVE_HIT") ? 404 : random.nextInt(4) == 0 ? 304 : 200;
    long bytes = (long) Math.exp(random.nextDouble() * 12);
    long millis = (long) Math.exp(random.nextDouble() * 7) - 1;
    String method = tag.equals("TCP_TUNNEL") ? "CONNECT" : random.nextInt(9) == 0 ? "POST" : "GET";
    String url = "http://origin.test/" + random.nextInt(60) + "/a-path-of-some-length";
    Map<LoggedStage, Long> stages = new TreeMap<>();
    if (staged) {
      long part = millis * 1000 / 8;
      stages.put(LoggedStage.CLIENT_CONNECT, 50L + random.nextInt(400));
      stages.put(LoggedStage.ACL, part / 10);
      stages.put(LoggedStage.PROXY_REPLY, part);
      if (tag.contains("MISS") || tag.contains("REFRESH")) {
        stages.put(LoggedStage.DNS, part);
        stages.put(LoggedStage.PROXY_CONNECT, part);
        stages.put(LoggedStage.SERVER_FIRST_BYTE, part);
        stages.put(LoggedStage.SERVER_LAST_BYTE, 2 * part);
      }
      if (tag.equals("TCP_HIT")) {
        stages.put(LoggedStage.DISK_QUEUE, part / 2);
        stages.put(LoggedStage.DISK_FIRST_READ, part);
        if (bytes > 5000) {
          stages.put(LoggedStage.DISK_REST, 2 * part);
        }
      }
      if (tag.equals("TCP_MISS")) {
        stages.put(LoggedStage.DISK_WRITE_QUEUE, part / 4);
        stages.put(LoggedStage.DISK_WRITE, part / 2);
      }
    }
    return new Line(end, millis, tag, status, bytes, method, url, stages);
  }
}
