package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The view of {@code loligo top} as lines of text. Each section gets a fair part of the lines.
 * Immutable.
 *
 * @param columns of the screen; no line is longer
 * @param lines of the screen; the view has at most one less, which is left for the keys
 */
record TopView(int columns, int lines, Order order, ZoneId zone) {
  /** Numbers by which origins and clients are sorted, the highest first. */
  enum Order {
    REQUESTS("requests"),
    BYTES("bytes"),
    ERRORS("errors");

    private final String member;

    Order(String member) {
      this.member = member;
    }

    /** The member of a row of {@code /traffic}. */
    String member() {
      return member;
    }

    /** The one after it; the first follows the last. */
    Order next() {
      return values()[(ordinal() + 1) % values().length];
    }
  }

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

  /** Memory that matters most. */
  private static final List<String> OWNERS = List.of("cache", "transit");

  private static final int SECTIONS = 4;
  private static final int HEADS = 3;
  private static final double MICROS = 1e6;

  /** Columns of a row of an origin or client beside its name. */
  private static final int WIDTH_OF_NUMBERS = 42;

  private static final int SHORTEST_NAME = 8;

  /** The lines, without those of the keys. */
  List<String> lines(TopSource source) {
    Figures now = source.now();
    List<String> view = new ArrayList<>();
    head(view, source, now);
    memory(view, now);
    // the rest of the screen is shared: classes, origins, clients, slowest requests
    int room = lines - 1 - view.size() - SECTIONS - HEADS;
    int classes = Math.min(now.requestsByClass().size(), Math.max(2, room - 2 * HEADS));
    int each = Math.max(1, (room - classes) / HEADS);
    classes(view, now, classes);
    JsonValue traffic = source.traffic();
    rows(view, "origin", traffic.get("origins").values(), each);
    rows(view, "client", traffic.get("clients").values(), each);
    slowest(view, traffic.get("slowest").values(), each);
    return view.stream().limit(Math.max(1, lines - 1)).map(this::cut).toList();
  }

  private void head(List<String> view, TopSource source, Figures now) {
    JsonValue state = now.state();
    String ready =
        state.get("ready").isTrue() ? "ready" : "not ready: " + state.get("reason").text();
    view.add(
        "Loligo "
            + state.get("version").text()
            + "  "
            + TIME.format(Instant.ofEpochMilli(state.get("time").whole()).atZone(zone))
            + "  up "
            + UnitText.duration(state.get("upSeconds").whole())
            + "  "
            + ready);
    view.add(
        format(
            "requests/s %s  hits %s  hit bytes %s  sent/s %s  received/s %s",
            UnitText.digits(source.rate(Figures::requests)),
            UnitText.percent(source.ratio(Figures::hits, Figures::requests)),
            UnitText.percent(
                source.ratio(
                    f -> f.counter("client_hit_sent_bytes"), f -> f.counter("client_sent_bytes"))),
            UnitText.bytes(source.rate(f -> f.counter("client_sent_bytes"))),
            UnitText.bytes(source.rate(f -> f.counter("server_received_bytes")))));
    view.add(
        format(
            "in all     %d  hits %s  hit bytes %s  in %d, out %d, tunnels %d",
            now.requests(),
            UnitText.percent(now.hitRatio()),
            UnitText.percent(now.byteHitRatio()),
            now.gauge("client_connections"),
            now.gauge("server_connections"),
            now.gauge("tunnels")));
  }

  private void memory(List<String> view, Figures now) {
    List<String> parts = new ArrayList<>();
    for (JsonValue owner : now.state().get("memory").values()) {
      String name = owner.get("owner").text();
      if (OWNERS.contains(name)) {
        parts.add(name + " " + fill(owner.get("usedBytes"), owner.get("limitBytes")));
      }
    }
    view.add("memory     " + String.join(", ", parts));
    for (JsonValue disk : now.state().get("disks").values()) {
      view.add(
          "disk       "
              + disk.get("path").text()
              + " "
              + disk.get("state").text()
              + ", "
              + fill(disk.get("used_bytes"), disk.get("capacity_bytes"))
              + ", hits "
              + disk.get("hits").whole()
              + ", queue "
              + disk.get("queue").whole());
    }
  }

  private static String fill(JsonValue used, JsonValue limit) {
    String shown = UnitText.bytes(used.number());
    return limit.number() <= 0
        ? shown
        : shown
            + " of "
            + UnitText.bytes(limit.number())
            + " ("
            + UnitText.percent(Figures.ratio(used.number(), limit.number()))
            + ")";
  }

  private static void classes(List<String> view, Figures now, int most) {
    view.add("");
    view.add(format("%-18s %12s %10s %10s %10s", "CLASS", "REQUESTS", "P50", "P95", "P99"));
    now.requestsByClass().entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(most)
        .forEach(
            entry -> {
              JsonValue times = now.state().get("classes").get(entry.getKey());
              view.add(
                  format(
                      "%-18s %12d %10s %10s %10s",
                      entry.getKey(),
                      entry.getValue(),
                      time(times, "p50"),
                      time(times, "p95"),
                      time(times, "p99")));
            });
  }

  private static String time(JsonValue times, String name) {
    return times.get("count").whole() > 0 ? UnitText.time(times.get(name).number()) : "-";
  }

  private void rows(List<String> view, String name, List<JsonValue> rows, int most) {
    int width = Math.max(SHORTEST_NAME, columns - WIDTH_OF_NUMBERS);
    view.add(
        format(
            "%-" + width + "s %9s %8s %8s %12s",
            name.toUpperCase(Locale.ROOT),
            "REQUESTS",
            "HITS",
            "ERRORS",
            "BYTES"));
    rows.stream()
        .sorted(
            Comparator.comparingDouble((JsonValue row) -> row.get(order.member()).number())
                .reversed())
        .limit(most)
        .forEach(
            row ->
                view.add(
                    format(
                        "%-" + width + "s %9d %8d %8d %12s",
                        shortened(row.get(name).text(), width),
                        row.get("requests").whole(),
                        row.get("hits").whole(),
                        row.get("errors").whole(),
                        UnitText.bytes(row.get("bytes").number()))));
  }

  private void slowest(List<String> view, List<JsonValue> rows, int most) {
    view.add(format("%-9s %-14s %6s  %s", "SLOWEST", "CLASS", "STATUS", "REQUEST"));
    rows.stream()
        .limit(most)
        .forEach(
            row ->
                view.add(
                    format(
                        "%-9s %-14s %6d  %s %s",
                        UnitText.time(row.get("seconds").number() * MICROS),
                        row.get("class").text(),
                        row.get("status").whole(),
                        row.get("method").text(),
                        row.get("url").text())));
  }

  private static String shortened(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width - 1) + "~";
  }

  /** A URL of an attacker must not control the terminal that shows it. */
  private String cut(String line) {
    String plain = line.replaceAll("[\\p{Cntrl}\\x80-\\x9f]", "?");
    return plain.length() <= columns ? plain : plain.substring(0, columns);
  }

  private static String format(String form, Object... values) {
    return String.format(Locale.ROOT, form, values);
  }
}
