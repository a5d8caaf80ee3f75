package io.loligo.server.admin;

import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** The page at the admin port's root: the state of the proxy at a glance. Thread-safe. */
final class IndexPage {
  private static final String STYLE =
      "body{font:15px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;"
          + "color:#222;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}"
          + "table{border-collapse:collapse;width:100%}td,th{padding:.25rem .5rem;"
          + "border-bottom:1px solid #ddd;text-align:left}td:last-child,th:last-child"
          + "{text-align:right;font-variant-numeric:tabular-nums}"
          + "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}"
          + "td,th{border-color:#444}a{color:#8bf}}";

  private final ProxyMetrics metrics;
  private final Operations operations;
  private final Supplier<List<DiskStats>> disks;
  private final String version;

  IndexPage(
      ProxyMetrics metrics,
      Operations operations,
      Supplier<List<DiskStats>> disks,
      String version) {
    this.metrics = metrics;
    this.operations = operations;
    this.disks = disks;
    this.version = version;
  }

  String html() {
    StringBuilder page = new StringBuilder(4096);
    page.append("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">")
        .append("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">")
        .append("<title>Loligo</title><style>")
        .append(STYLE)
        .append("</style></head><body><h1>Loligo ")
        .append(escaped(version))
        .append("</h1><p>")
        .append(
            operations.ready() ? "Ready." : "Not ready: " + escaped(operations.notReadyReason()))
        .append("</p><p><a href=\"/metrics\">Metrics</a> &middot; ")
        .append("<a href=\"/config\">Configuration</a> &middot; ")
        .append("<a href=\"/disk\">Disk</a> &middot; ")
        .append("<a href=\"/misses\">Misses by origin</a> &middot; ")
        .append("<a href=\"/bans\">Bans</a> &middot; ")
        .append("<a href=\"/health/ready\">Readiness</a></p>");
    traffic(page);
    connections(page);
    memory(page);
    disks.get().forEach(disk -> disk(page, disk));
    return page.append("</body></html>\n").toString();
  }

  private void traffic(StringBuilder page) {
    long exchanges = metrics.exchanges();
    long sent = metrics.value(Counter.CLIENT_BYTES_OUT);
    page.append("<h2>Traffic</h2><table>");
    row(page, "Up for", uptime());
    row(page, "Exchanges", grouped(exchanges));
    row(page, "Hit ratio", ratio(metrics.value(Counter.HITS), exchanges));
    row(page, "Byte hit ratio", ratio(metrics.value(Counter.HIT_BYTES_OUT), sent));
    row(page, "Sent to clients, bytes", grouped(sent));
    row(page, "Received from origins, bytes", grouped(metrics.value(Counter.SERVER_BYTES_IN)));
    page.append("</table>");
  }

  private void connections(StringBuilder page) {
    page.append("<h2>Connections</h2><table>");
    for (ConnectionGauge gauge : ConnectionGauge.values()) {
      row(page, gauge.text().replace(".", ""), grouped(metrics.value(gauge)));
    }
    List<String> reasons = CounterFamily.SHED.labelValues();
    for (int i = 0; i < reasons.size(); i++) {
      String name = "Turned away: " + reasons.get(i).replace('_', ' ');
      row(page, name, grouped(metrics.value(CounterFamily.SHED, i)));
    }
    page.append("</table>");
  }

  private void memory(StringBuilder page) {
    page.append("<h2>Memory</h2><table><tr><th>Owner</th><th>Bytes used / limit</th></tr>");
    for (MemoryOwners.Owner owner : metrics.ledger().owners()) {
      long limit = owner.limitBytes().getAsLong();
      row(
          page,
          owner.text(),
          grouped(owner.usedBytes().getAsLong()) + (limit < 0 ? "" : " / " + grouped(limit)));
    }
    page.append("</table>");
  }

  private static void disk(StringBuilder page, DiskStats disk) {
    page.append("<h2>").append(escaped(disk.path())).append("</h2><table>");
    String reason = disk.reason().isEmpty() ? "" : ": " + disk.reason();
    row(page, "State", disk.state().name().toLowerCase(Locale.ROOT).replace('_', '-') + reason);
    for (DiskNumber number : DiskNumber.values()) {
      String unit = number.unit() == null ? "" : ", " + number.unit();
      row(page, number.text().replaceAll("[.;].*", "") + unit, grouped(number.of(disk)));
    }
    row(page, "Hits with a single read", ratio(disk.singleReadHits(), disk.hits()));
    page.append("</table>");
  }

  private static void row(StringBuilder page, String name, String value) {
    page.append("<tr><td>")
        .append(escaped(name))
        .append("</td><td>")
        .append(escaped(value))
        .append("</td></tr>");
  }

  private static String uptime() {
    long seconds = ManagementFactory.getRuntimeMXBean().getUptime() / 1000;
    return String.format(
        Locale.ROOT,
        "%d d %02d:%02d:%02d",
        seconds / 86_400,
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60);
  }

  private static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String ratio(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
