package io.loligo.server.exchange.settings.pages;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The built-in pages in all languages. They are made once for each process, when the first
 * configuration is read. Immutable.
 */
public final class BuiltInPages {
  /** The languages; the first one is that of clients without another. */
  static final List<String> LANGUAGES = List.of("en", "de", "es", "fr");

  private static final BuiltInPages ALL = new BuiltInPages();

  private final Map<String, PageLanguage> languages = new LinkedHashMap<>();
  private final String css = resource("page.css");

  private BuiltInPages() {
    String page = resource("page.html");
    for (String tag : LANGUAGES) {
      languages.put(tag, new PageLanguage(tag, texts(tag), page));
    }
  }

  /** The pages. */
  static BuiltInPages all() {
    return ALL;
  }

  /** The content of the style element of each page. */
  String css() {
    return css;
  }

  /** Whether there are pages in this language, or in one of which it is a form. */
  static boolean has(String tag) {
    return LANGUAGES.contains(tag.split("-", 2)[0]);
  }

  /**
   * The pages for a client.
   *
   * @param accepted the value of Accept-Language; null: none
   * @param usual the language for clients whose languages are not there; empty: English
   */
  PageLanguage language(@Nullable String accepted, String usual) {
    for (String tag : PageLanguages.accepted(accepted)) {
      PageLanguage language = languages.get(tag);
      if (language != null) {
        return language;
      }
    }
    PageLanguage language = languages.get(usual.split("-", 2)[0]);
    return language != null ? language : languages.values().iterator().next();
  }

  static Properties texts(String tag) {
    Properties texts = new Properties();
    try {
      texts.load(new StringReader(resource(tag + ".properties")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return texts;
  }

  private static String resource(String name) {
    try (InputStream in = BuiltInPages.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
