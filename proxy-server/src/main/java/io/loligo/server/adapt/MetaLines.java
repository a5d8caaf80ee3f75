package io.loligo.server.adapt;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Words;
import io.loligo.core.message.Ascii;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.accesslog.LogFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code adaptation_meta} lines. Confined to one thread. */
final class MetaLines implements LineReader<List<AdaptationSettings.Meta>> {
  static final String FORM = "NAME VALUE [!]ACL...";

  /** Fields of the protocol (RFC 3507 section 4.3). */
  private static final Set<String> OF_PROTOCOL =
      Set.of(
          "allow",
          "date",
          "encapsulated",
          "istag",
          "max-connections",
          "methods",
          "opt-body-type",
          "options-ttl",
          "preview",
          "service",
          "service-id",
          "transfer-complete",
          "transfer-ignore",
          "transfer-preview");

  private final Reading reading;
  private final List<AdaptationSettings.Meta> fields = new ArrayList<>();

  MetaLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    String name = line.values().isEmpty() ? "" : line.values().get(0);
    String rest = line.textBehind(2);
    if (rest.isEmpty()) {
      wrong(line, "", FORM, "");
    } else if (!Ascii.isToken(name)) {
      wrong(line, name, "the name of a field", "write it without a colon");
    } else if (OF_PROTOCOL.contains(name.toLowerCase(Locale.ROOT))) {
      wrong(line, name, "a name of your own", "the protocol has this field");
    } else {
      read(line, name, rest);
    }
  }

  private void read(Line line, String name, String rest) {
    boolean quoted = rest.charAt(0) == '"';
    int end = quoted ? Words.closing(rest, 0) : Words.end(rest);
    if (end < 0) {
      wrong(line, rest, FORM, "a quote is missing at the end of the value");
      return;
    }
    String value = quoted ? Words.unquote(rest.substring(1, end)) : rest.substring(0, end);
    List<String> terms = Words.terms(rest.substring(quoted ? end + 1 : end));
    if (terms.isEmpty()) {
      wrong(line, "", FORM, "");
    } else if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      wrong(line, value, "visible ASCII", "");
    } else {
      add(line, name, value, quoted && value.indexOf('%') >= 0, terms);
    }
  }

  private void add(Line line, String name, String value, boolean codes, List<String> terms) {
    LogFormat format = codes ? format(line, value) : null;
    if ((!codes || format != null) && reading.rules().check(RuleScope.RESPONSE, line, terms)) {
      fields.add(
          new AdaptationSettings.Meta(
              name, value, format, reading.rules().compileTerms(line, terms)));
    }
  }

  private @Nullable LogFormat format(Line line, String value) {
    try {
      return LogFormat.compile(value);
    } catch (LogFormatException e) {
      wrong(line, e.code(), "a code of logformat", "write %% for a percent sign");
      return null;
    }
  }

  private void wrong(Line line, String value, String expected, String remedy) {
    reading.report().error(line, value, expected, remedy);
  }

  @Override
  public List<AdaptationSettings.Meta> value() {
    return List.copyOf(fields);
  }
}
