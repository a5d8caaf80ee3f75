package io.loligo.server.exchange.settings.fields;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.message.Ascii;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads {@code NAME VALUE} lines about fields; the last line of a name holds. One thread. */
final class FieldReplaceLines implements LineReader<Map<String, byte[]>> {
  private final Report report;
  private final Map<String, byte[]> values = new HashMap<>();

  FieldReplaceLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    String name = line.values().isEmpty() ? "" : line.values().get(0);
    if (name.isEmpty() || !Ascii.isToken(name)) {
      report.error(line, name, "NAME VALUE", "");
      return;
    }
    if (FieldRules.isWrittenByProxy(name)) {
      report.error(
          line,
          name,
          "a field that is passed on",
          name.equalsIgnoreCase("Host")
              ? "forceddomain= of cache_peer sets the Host of requests"
              : "the proxy writes the field itself");
      return;
    }
    String text = line.quoted() ? String.join(" ", tail(line)) : line.textBehind(2);
    if (text.isEmpty()) {
      report.error(line, "", "a value", "to remove the field, deny it without a replacement");
    } else if (FieldValue.isValid(text)) {
      values.put(name.toLowerCase(Locale.ROOT), FieldValue.bytes(text));
    } else {
      report.error(line, name, "a value without control characters", "");
    }
  }

  private static List<String> tail(Line line) {
    return line.values().subList(1, line.values().size());
  }

  @Override
  public Map<String, byte[]> value() {
    return Map.copyOf(values);
  }
}
