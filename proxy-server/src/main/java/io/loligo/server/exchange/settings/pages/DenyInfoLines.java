package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.exchange.settings.fields.FieldValue;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code deny_info} lines; the first line of an ACL holds. Confined to one thread. */
final class DenyInfoLines implements LineReader<Map<String, DenyPage>> {
  private static final Pattern TARGET = Pattern.compile("(?:([0-9]{3}):)?(.+)");
  private static final String EXPECTED = "TCP_RESET, [3xx:]URL or [4xx|5xx:]ERR_PAGE, then ACLs";

  private final Report report;
  private final Map<String, DenyPage> pages = new HashMap<>();

  DenyInfoLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    Matcher target = TARGET.matcher(values.isEmpty() ? "" : values.get(0));
    if (values.size() < 2 || !target.matches()) {
      report.error(line, String.join(" ", values), EXPECTED, "");
      return;
    }
    int status = target.group(1) == null ? 0 : Integer.parseInt(target.group(1));
    String text = target.group(2);
    DenyPage page = page(status, text);
    if (page == null || !FieldValue.isValid(text)) {
      report.error(line, values.get(0), EXPECTED, "");
      return;
    }
    if (page.kind() == DenyPage.Kind.REDIRECT) {
      warnOfCodes(line, text);
    }
    values
        .subList(1, values.size())
        .forEach(acl -> pages.putIfAbsent(acl.toLowerCase(Locale.ROOT), page));
  }

  private static @org.jspecify.annotations.Nullable DenyPage page(int status, String text) {
    int family = status / 100;
    if (text.equals("TCP_RESET")) {
      return status == 0 ? new DenyPage(DenyPage.Kind.RESET, 0, text) : null;
    }
    if (text.contains("://")) {
      return status == 0 || family == 3 ? new DenyPage(DenyPage.Kind.REDIRECT, status, text) : null;
    }
    boolean fits = status == 0 || family == 2 || family == 4 || family == 5;
    return fits && !text.contains("/") && !text.contains(":")
        ? new DenyPage(DenyPage.Kind.PAGE, status, text)
        : null;
  }

  private void warnOfCodes(Line line, String url) {
    for (int at = url.indexOf('%'); at >= 0; at = url.indexOf('%', at + 2)) {
      char code = at + 1 < url.length() ? url.charAt(at + 1) : ' ';
      if (ErrorPages.CODES.indexOf(code) < 0) {
        report.warning(line, url, "codes of deny_info", "%" + code + " is sent as it is");
        return;
      }
    }
  }

  @Override
  public Map<String, DenyPage> value() {
    return Map.copyOf(pages);
  }
}
