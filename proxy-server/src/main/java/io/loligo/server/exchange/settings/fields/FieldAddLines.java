package io.loligo.server.exchange.settings.fields;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import io.loligo.core.config.Rules;
import io.loligo.core.config.Words;
import io.loligo.core.message.Ascii;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.accesslog.LogFormatException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code NAME VALUE ACL...} lines about fields. Confined to one thread. */
final class FieldAddLines implements LineReader<List<AddedField>> {
  private static final String FORM = "NAME VALUE [[!]ACL...]";

  private final Report report;
  private final Rules rules;
  private final RuleScope scope;
  private final List<Read> read = new ArrayList<>();

  private record Read(
      Line line, String name, String value, @Nullable LogFormat format, List<String> terms) {}

  FieldAddLines(Reading reading, RuleScope scope) {
    report = reading.report();
    rules = reading.rules();
    this.scope = scope;
  }

  @Override
  public void read(Line line) {
    String name = line.values().isEmpty() ? "" : line.values().get(0);
    String rest = line.textBehind(2);
    if (name.isEmpty() || !Ascii.isToken(name) || rest.isEmpty()) {
      report.error(line, name, FORM, "");
      return;
    }
    if (FieldRules.isWrittenByProxy(name)) {
      report.error(line, name, "a field that is passed on", "the proxy writes the field itself");
      return;
    }
    char quote = rest.charAt(0);
    boolean quoted = quote == '"' || quote == '\'';
    int end = quoted ? Words.closing(rest, 0) : Words.end(rest);
    if (end < 0) {
      report.error(line, rest, FORM, "a quote is missing at the end of the value");
      return;
    }
    String value = quoted ? Words.unquote(rest.substring(1, end)) : rest.substring(0, end);
    LogFormat format = quoted ? format(line, value) : null;
    if (quoted && format == null) {
      return;
    }
    if (!FieldValue.isValid(value)) {
      report.error(line, name, "a value without control characters", "");
      return;
    }
    List<String> terms = Words.terms(rest.substring(quoted ? end + 1 : end));
    if (rules.check(scope, line, terms)) {
      read.add(new Read(line, name, value, format, terms));
    }
  }

  private @Nullable LogFormat format(Line line, String value) {
    try {
      return LogFormat.compile(value);
    } catch (LogFormatException e) {
      report.error(line, e.code(), "a code of logformat", "write %% for a percent sign");
      return null;
    }
  }

  @Override
  public List<AddedField> value() {
    List<AddedField> fields = new ArrayList<>();
    for (Read one : read) {
      AclList access = rules.compileTerms(one.line, one.terms);
      byte[] text = FieldValue.bytes(one.format == null ? one.value : "-");
      fields.add(new AddedField(one.name, text, one.format, access));
    }
    return List.copyOf(fields);
  }
}
