package io.loligo.server.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The report as one HTML page without any other file and without a script. Used once. */
final class ReportPage {
  /** Graphs of one part of the page. */
  private record Part(String title, int first, int last) {}

  private static final List<Part> PARTS =
      List.of(
          new Part("Traffic", 1, 8),
          new Part("Parts of the response time", 9, 10),
          new Part("Disk and memory", 11, 20),
          new Part("Servers", 21, 26),
          new Part("Clients", 27, 31));

  private final ReadLogs read;
  private final ReportNumbers numbers;
  private final List<Experiment> experiments;
  private final List<String> notes;
  private final StringBuilder html = new StringBuilder(1 << 20);

  /**
   * Not written yet.
   *
   * @param notes about the numbers of the proxy itself, a paragraph each
   */
  ReportPage(
      ReadLogs read, ReportNumbers numbers, List<Experiment> experiments, List<String> notes) {
    this.read = read;
    this.numbers = numbers;
    this.experiments = experiments;
    this.notes = notes;
  }

  String html() {
    add("<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>");
    add("<meta name='viewport' content='width=device-width, initial-scale=1'>");
    add(
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src"
            + " 'unsafe-inline'\">");
    add("<title>Loligo: report of access logs</title>\n<style>\n" + style() + "</style>\n</head>");
    add("<body>\n<header>\n<h1>Report of access logs</h1>");
    head();
    add("</header>\n<main>");
    contents();
    for (Part part : PARTS) {
      add("<section aria-label='" + part.title() + "'>\n<h2>" + part.title() + "</h2>");
      add("<div class='grid-of-graphs'>");
      experiments.subList(part.first() - 1, part.last()).forEach(this::figure);
      add("</div>\n</section>");
    }
    add("</main>\n<footer>");
    foot();
    add("</footer>\n</body>\n</html>");
    return html.toString();
  }

  private void add(String text) {
    html.append(text).append('\n');
  }

  private static String style() {
    try (InputStream in = ReportPage.class.getResourceAsStream("report.css")) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks report.css");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // ---- the head of the page

  private void head() {
    Aggregates counted = numbers.counted();
    add(
        "<p>From "
            + numbers.moment(counted.firstMicros())
            + " to "
            + numbers.moment(counted.lastMicros())
            + " ("
            + Html.text(numbers.zone().getId())
            + "). The "
            + numbers.peakName()
            + " with the most requests began at "
            + numbers.moment(numbers.peakStartMicros())
            + ". A point of a graph over time stands for "
            + unit()
            + ".</p>");
    notes.forEach(note -> add("<p>" + Html.text(note) + "</p>"));
    add("<div class='sums'>");
    sums();
    results();
    add("</div>");
    problems();
  }

  private String unit() {
    long minutes = numbers.unitMicros() / TimeGroups.MINUTE_MICROS;
    if (minutes == 1) {
      return "one minute";
    }
    return minutes < 60
        ? minutes + " minutes"
        : minutes == 60 ? "one hour" : minutes / 60 + " hours";
  }

  private void sums() {
    TimeGroup whole = numbers.whole();
    TimeGroup peak = numbers.peak();
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("number", "whole log", numbers.peakName()));
    rows.add(row("requests", whole.accesses(), peak.accesses()));
    rows.add(row("hits", whole.get(Amount.HITS), peak.get(Amount.HITS)));
    rows.add(row("misses", whole.get(Amount.MISSES), peak.get(Amount.MISSES)));
    rows.add(
        List.of(
            "hit ratio",
            NumberText.percent(whole.get(Amount.HITS), whole.accesses()),
            NumberText.percent(peak.get(Amount.HITS), peak.accesses())));
    rows.add(
        List.of(
            "bytes to clients",
            NumberText.bytes(whole.get(Amount.HIT_BYTES) + whole.get(Amount.MISS_BYTES)),
            NumberText.bytes(peak.get(Amount.HIT_BYTES) + peak.get(Amount.MISS_BYTES))));
    rows.add(
        List.of(
            "median response time",
            NumberText.millis(whole.get(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS).median()),
            NumberText.millis(peak.get(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS).median())));
    table("Requests", rows);
  }

  private static List<String> row(String name, long whole, long peak) {
    return List.of(name, NumberText.of(whole), NumberText.of(peak));
  }

  private void results() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("result code", "counts as", "accesses"));
    ResultCodes results = read.results();
    for (int i = 0; i < results.size(); i++) {
      long accesses = numbers.counted().count(i);
      if (accesses > 0) {
        AccessKind kind = results.kind(i);
        String name = kind.hit() ? "hit" : kind == AccessKind.MISS ? "miss" : "neither";
        rows.add(List.of(results.name(i), name, NumberText.of(accesses)));
      }
    }
    add("<details><summary>Result codes (" + (rows.size() - 1) + ")</summary>");
    table("Accesses by result code", rows);
    add("</details>");
  }

  private void problems() {
    if (numbers.counted().others() > 0) {
      add(
          "<p>"
              + NumberText.of(numbers.counted().others())
              + " accesses are neither hits nor misses, such as tunnels and denied requests. No"
              + " graph counts them.</p>");
    }
    for (String problem : read.problems()) {
      add("<p><strong>" + Html.text(problem) + ".</strong></p>");
    }
    if (numbers.counted().shortened() > 0) {
      add(
          "<p>"
              + NumberText.of(numbers.counted().shortened())
              + " requests lasted longer than the 87 minutes (disk: 35) that are kept of the log."
              + " Their beginnings are missing in the graphs of concurrent requests.</p>");
    }
    if (read.unreadable() > 0) {
      add(
          "<details open><summary>"
              + NumberText.of(read.unreadable())
              + " of "
              + NumberText.of(read.lines())
              + " lines are unreadable; the first of them</summary>\n<pre>"
              + read.examples().stream().map(Html::text).collect(Collectors.joining("\n"))
              + "</pre></details>");
    }
  }

  private void contents() {
    add("<nav aria-label='Graphs'>\n<ol>");
    for (Experiment one : experiments) {
      add(
          "<li"
              + (one.isEmpty() ? " class='none'" : "")
              + "><a href='#e"
              + one.number()
              + "'>"
              + one.number()
              + ". "
              + Html.text(one.title())
              + "</a>"
              + (one.isEmpty() ? " (not in this log)" : "")
              + "</li>");
    }
    add("</ol>\n</nav>");
  }

  // ---- graphs

  private void figure(Experiment one) {
    add("<figure id='e" + one.number() + "'>");
    add("<h3>" + one.number() + ". " + Html.text(one.title()) + "</h3>");
    if (one.isEmpty()) {
      String why =
          one.absent().isEmpty() ? String.join("; ", one.missing()) : numbers.lack(one.absent());
      add("<div class='nothing'>This log cannot give this graph: " + Html.text(why) + ".</div>");
    } else if (one.rows().isEmpty()) {
      add(new LineChart(one, numbers).svg());
      legend(one);
    } else {
      table(one.title(), one.rows());
    }
    add("<figcaption>\n<p>" + Html.text(one.meaning()) + "</p>");
    if (!one.finding().isEmpty() && !one.isEmpty()) {
      add("<p><strong>" + Html.text(one.finding()) + "</strong></p>");
    }
    if (!one.isEmpty()) {
      one.missing()
          .forEach(text -> add("<p class='missing'>Not shown: " + Html.text(text) + ".</p>"));
    }
    add("</figcaption>");
    if (!one.isEmpty() && one.rows().isEmpty()) {
      add("<details><summary>Numbers of graph " + one.number() + "</summary>");
      table(one.title() + ": " + one.vertical().label(), data(one));
      add("</details>");
    }
    add("</figure>");
  }

  private void legend(Experiment one) {
    add("<ul class='legend'>");
    for (Curve curve : one.curves()) {
      String look = curve.dashed() ? " dashed" : one.stacked() ? " block" : "";
      add(
          "<li class='c"
              + curve.color().ordinal()
              + look
              + "'><span>"
              + Html.text(curve.name())
              + "</span></li>");
    }
    if (one.horizontal().scale() == Axis.Scale.TIME) {
      add("<li class='band'><span>" + numbers.peakName() + "</span></li>");
    }
    add("</ul>");
  }

  private List<List<String>> data(Experiment one) {
    List<List<String>> rows = new ArrayList<>();
    List<String> heads = new ArrayList<>();
    heads.add(one.horizontal().label().replace(", logarithmic", ""));
    one.curves().forEach(curve -> heads.add(curve.name()));
    rows.add(heads);
    for (int i = 0; i < one.x().length; i++) {
      List<String> row = new ArrayList<>();
      row.add(
          switch (one.horizontal().scale()) {
            case TIME -> numbers.moment((long) (one.x()[i] * 1e6) - numbers.unitMicros() / 2);
            case LOG_BYTES, BYTES -> NumberText.bytes(one.x()[i]);
            default -> NumberText.of(one.x()[i]);
          });
      boolean any = false;
      for (Curve curve : one.curves()) {
        any |= !Double.isNaN(curve.y()[i]);
        row.add(NumberText.of(curve.y()[i]));
      }
      if (any) {
        rows.add(row);
      }
    }
    return rows;
  }

  private void table(String caption, List<List<String>> rows) {
    add("<div class='scroll' tabindex='0' role='region' aria-label='" + Html.text(caption) + "'>");
    html.append("<table><caption>").append(Html.text(caption)).append("</caption><thead>");
    for (int i = 0; i < rows.size(); i++) {
      html.append("<tr>");
      for (int j = 0; j < rows.get(i).size(); j++) {
        String cell = i == 0 ? "th scope='col'" : j == 0 ? "th scope='row'" : "td";
        html.append('<').append(cell).append('>').append(Html.text(rows.get(i).get(j)));
        html.append(cell.startsWith("th") ? "</th>" : "</td>");
      }
      html.append(i == 0 ? "</tr></thead>\n<tbody>" : "</tr>\n");
    }
    add("</tbody></table></div>");
  }

  private void foot() {
    add(
        "<p>The graphs are those of A. Rousskov and V. Soloviev, On Performance of Caching Proxies"
            + " (1997). Durations are medians; a number of a histogram is wrong by 1.6 % at most."
            + " Sizes are the bytes to the client, with heads. Requests are hits and misses. Hits"
            + " are answered from the cache, also after a validation.</p>");
    add("<p>Logs: " + Html.text(String.join(", ", read.names())) + ".</p>");
  }
}
