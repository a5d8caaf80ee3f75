package io.loligo.server.exchange.settings.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.FetchFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class BuiltInPagesTest {
  /** Names that no page has: nothing is sent, or plain text in a tunnel. */
  private static final Set<String> WITHOUT_PAGE =
      Set.of(
          "ERR_CLIENT_GONE",
          "ERR_LIFETIME_EXP",
          "ERR_PROTOCOL_UNKNOWN",
          "ERR_SHUTTING_DOWN",
          "ERR_UNSUP_HTTPVERSION",
          "ERR_URN_RESOLVE");

  static final List<String> LANGUAGES = BuiltInPages.LANGUAGES;

  /** Words that are the same in another language. */
  private static final Set<String> SAME =
      Set.of("label.proxy", "label.contact", "origin", "responsible", "next", "label.time");

  private static Set<String> codes(String text) {
    return Pattern.compile("%.")
        .matcher(text)
        .results()
        .map(found -> found.group())
        .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @FieldSource("LANGUAGES")
  void everyTextIsInEveryLanguageWithTheSameFacts(String tag) {
    Properties english = BuiltInPages.texts("en");
    Properties texts = BuiltInPages.texts(tag);
    assertThat(texts.stringPropertyNames())
        .containsExactlyInAnyOrderElementsOf(english.stringPropertyNames());
    for (String key : english.stringPropertyNames()) {
      String text = texts.getProperty(key);
      String source = english.getProperty(key);
      assertThat(codes(text)).as(tag + ' ' + key).isEqualTo(codes(source)).isSubsetOf("%H", "%h");
      assertThat(text.split("\\|", -1)).as(tag + ' ' + key).hasSameSizeAs(source.split("\\|", -1));
      assertThat(text).as(tag + ' ' + key).isNotBlank().doesNotContain("<", "{");
      if (!tag.equals("en") && !SAME.contains(key)) {
        assertThat(text).as(tag + ' ' + key).isNotEqualTo(source);
      }
      if (key.endsWith(".title")) {
        assertThat(codes(text)).as("the title has no facts").isEmpty();
      }
    }
  }

  @ParameterizedTest
  @FieldSource("LANGUAGES")
  void everyTextBelongsToAFailureOrToThePage(String tag) {
    Set<String> failures =
        Arrays.stream(Failing.values()).map(Failing::key).collect(Collectors.toSet());
    for (String key : BuiltInPages.texts(tag).stringPropertyNames()) {
      String first = key.replaceFirst("\\..*", "");
      assertThat(
              failures.contains(first) || key.matches("you|proxy|origin|[a-z]+|(who|label)[.].*"))
          .as(key)
          .isTrue();
    }
  }

  @ParameterizedTest
  @FieldSource("LANGUAGES")
  void everyPageIsComplete(String tag) {
    PageLanguage language = BuiltInPages.all().language(tag, "");
    assertThat(language.tag()).isEqualTo(tag);
    for (Failing failing : Failing.values()) {
      BuiltInPage page = language.page(failing);
      String html =
          page.html().pieces().stream()
              .map(piece -> new String(piece, UTF_8))
              .reduce("", String::concat);
      assertThat(html)
          .contains("<html lang=\"" + tag + "\">", HtmlText.escaped(page.title()), "class=\"bad\"")
          .doesNotContain("%", "{", "null", "http:", "https:", "<script", "style=");
      assertThat(page.html().codes()).as(failing.name()).contains("y", "l", "k", "v");
      assertThat(page.steps()).isNotEmpty();
    }
  }

  @Test
  void everyErrorThatTheCodeNamesHasAPage() throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher matcher = Pattern.compile("\"(ERR_[A-Z_]+)\"").matcher("");
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        matcher.reset(Files.readString(file));
        while (matcher.find()) {
          named.add(matcher.group(1));
        }
      }
    }
    Set<String> paged = new HashSet<>(WITHOUT_PAGE);
    Arrays.stream(Failing.values()).forEach(one -> paged.add(one.errorCode()));
    assertThat(named).hasSizeGreaterThan(30);
    assertThat(paged).containsAll(named);
  }

  @Test
  void everyFailureOfAFetchHasItsOwnPage() {
    for (FetchFailure.Kind kind : FetchFailure.Kind.values()) {
      assertThat(Failing.of(kind.errorCode(), kind.status()).errorCode())
          .isEqualTo(kind.errorCode());
    }
    assertThat(Failing.of("ERR_TOO_BIG", 431)).isEqualTo(Failing.HEAD_TOO_LARGE_FOR_ORIGIN);
    assertThat(Failing.of("ERR_TOO_BIG", 504)).isEqualTo(Failing.RESPONSE_HEAD_TOO_LARGE);
    assertThat(Failing.of("ERR_TOO_BIG", 413)).isEqualTo(Failing.REQUEST_CONTENT_TOO_LARGE);
    assertThat(Failing.of("ERR_TOO_BIG", 403)).isEqualTo(Failing.RESPONSE_TOO_LARGE);
    assertThat(Failing.of("ERR_MINE", 404)).isEqualTo(Failing.ACCESS_DENIED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "de | | de",
        "de-CH, fr;q=0.9 | | de",
        "it, fr;q=0.5, es;q=0.6 | | es",
        "it | | en",
        " | | en",
        " | fr | fr",
        "it | de-at | de",
        "it | it | en",
        "en-GB, de;q=0.9 | de | en",
        "de;q=0, * | | en",
      })
  void theLanguageIsThatOfTheClientThenTheUsualOne(String accepted, String usual, String tag) {
    assertThat(BuiltInPages.all().language(accepted, usual == null ? "" : usual).tag())
        .isEqualTo(tag);
  }
}
