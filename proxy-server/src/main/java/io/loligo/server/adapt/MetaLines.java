package io.loligo.server.adapt;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.RuleScope;
import io.loligo.core.message.Ascii;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code adaptation_meta} lines. Confined to one thread. */
final class MetaLines implements LineReader<List<AdaptationSettings.Meta>> {
  static final String FORM = "NAME VALUE [!]ACL...";

  private final Reading reading;
  private final List<AdaptationSettings.Meta> fields = new ArrayList<>();

  MetaLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    List<String> values = words(line);
    if (values.size() < 3) {
      reading.report().error(line, "", FORM, "");
      return;
    }
    String name = values.get(0);
    String value = values.get(1);
    if (!Ascii.isToken(name)) {
      reading.report().error(line, name, "the name of a field", "write it without a colon");
      return;
    }
    if (value.indexOf('%') >= 0) {
      reading.report().warning(line, value, "", "sent as it is: codes of logformat are not read");
    }
    if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
      reading.report().error(line, value, "visible ASCII", "");
      return;
    }
    List<String> terms = values.subList(2, values.size());
    if (reading.rules().check(RuleScope.RESPONSE, line, terms)) {
      fields.add(
          new AdaptationSettings.Meta(name, value, reading.rules().compileTerms(line, terms)));
    }
  }

  /** The words; one in quotes may have blanks. */
  private static List<String> words(Line line) {
    List<String> words = new ArrayList<>();
    String text = String.join(" ", line.values());
    int at = 0;
    while (at < text.length()) {
      StringBuilder word = new StringBuilder();
      boolean quoted = text.charAt(at) == '"';
      at += quoted ? 1 : 0;
      while (at < text.length() && text.charAt(at) != (quoted ? '"' : ' ')) {
        if (quoted && text.charAt(at) == '\\' && at + 1 < text.length()) {
          at++;
        }
        word.append(text.charAt(at++));
      }
      at++;
      if (quoted || word.length() > 0) {
        words.add(word.toString());
      }
    }
    return words;
  }

  @Override
  public List<AdaptationSettings.Meta> value() {
    return List.copyOf(fields);
  }
}
