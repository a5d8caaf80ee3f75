package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code error_default_language}; the last line holds. Empty: none. Confined to one thread.
 */
final class DefaultLanguageLines implements LineReader<String> {
  private final Reading reading;
  private @Nullable Line last;
  private String language = "";

  DefaultLanguageLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    String word = String.join(" ", line.values()).toLowerCase(Locale.ROOT);
    if (!PageLanguages.TAG.matcher(word).matches()) {
      reading.report().error(line, word, "a language such as de or pt-br", "");
      return;
    }
    last = line;
    language = word;
  }

  @Override
  public String value() {
    PageLanguages found = reading.shared(PageLanguages.class, PageLanguages::new);
    if (last != null && !found.has(language) && !BuiltInPages.has(language)) {
      reading
          .report()
          .warning(
              last,
              language,
              "a folder of that name in error_directory, or one of " + BuiltInPages.LANGUAGES,
              "has no effect: built-in pages are English for clients without another language");
    }
    return language;
  }
}
