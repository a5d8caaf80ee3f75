package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.config.TextSource;
import io.loligo.server.exchange.settings.pages.ErrorPages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Error pages in the client's language: folders of {@code error_directory}. */
class ErrorLanguageWireTest extends WireTest {
  private void write(String folder, String text) throws Exception {
    Path directory = Files.createDirectories(dir.resolve("pages").resolve(folder));
    Files.writeString(directory.resolve("ERR_ACCESS_DENIED"), text);
  }

  private void start(String... more) throws Exception {
    List<String> lines = new ArrayList<>(List.of(more));
    lines.add("http_access deny all");
    lines.add("error_directory " + dir.resolve("pages"));
    startProxy(lines.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "de | de | de",
        "DE-at, en;q=0.5 | de | de",
        "fr;q=0.1, de;q=0.9 | de | de",
        "fr, de | fr | fr",
        "xx, de;q=0.2 | de | de",
        "pt-BR | pt-br | pt-br",
        "pt | fr | fr",
        "de;q=0 | fr | fr",
        "* | fr | fr",
        "../de | fr | fr",
        " | fr | fr",
      })
  void theClientsLanguageIsChosenThenTheUsualOne(String accepted, String text, String language)
      throws Exception {
    write("de", "de");
    write("fr", "fr");
    write("pt-br", "pt-br");
    write("", "plain");
    start("error_default_language FR");
    WireMessage response = accepted == null ? get("/") : get("/", "Accept-Language: " + accepted);
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.text()).isEqualTo(text);
    assertThat(response.field("Content-Language")).isEqualTo(language);
    assertThat(response.field("Vary")).isEqualTo("Accept, Accept-Language");
  }

  @Test
  void withoutAUsualLanguageThePagesBesideTheFoldersAreSent() throws Exception {
    write("de", "de");
    write("", "plain");
    start();
    WireMessage response = get("/", "Accept-Language: fr");
    assertThat(response.text()).isEqualTo("plain");
    assertThat(response.field("Content-Language")).isNull();
    assertThat(get("/", "Accept-Language: de").text()).isEqualTo("de");
  }

  @Test
  void withoutFoldersNothingDependsOnTheLanguage() throws Exception {
    write("", "plain");
    start();
    WireMessage response = get("/", "Accept-Language: de");
    assertThat(response.text()).isEqualTo("plain");
    assertThat(response.field("Vary")).isEqualTo("Accept");
  }

  @Test
  void aPageThatALanguageLacksIsAnothersOrBuiltIn() throws Exception {
    write("de", "de");
    Files.writeString(dir.resolve("pages/de/ERR_OTHER"), "other");
    Files.delete(dir.resolve("pages/de/ERR_ACCESS_DENIED"));
    start();
    WireMessage response = get("/", "Accept-Language: de");
    assertThat(response.field("Content-Language")).isEqualTo("de");
    assertThat(response.text()).contains("Zugriff verweigert");
  }

  @Test
  void aLanguageWithoutPagesIsLoggedOnce() throws Exception {
    try (CapturedLog log =
        new CapturedLog(ErrorPages.class.getPackageName() + ".MissingLanguages")) {
      start();
      get("/", "Accept-Language: de-AT");
      get("/", "Accept-Language: it-CH, xx");
      get("/", "Accept-Language: it-CH");
      get("/", "Accept-Language: *");
      assertThat(log.lines()).singleElement().asString().contains("language it-ch that");
      proxy.close();
      start("error_log_languages off");
      get("/", "Accept-Language: pt");
      assertThat(log.lines()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"error_default_language ../x", "error_default_language de fr"})
  void aWrongLineIsAnError(String line) {
    assertThat(TextSource.load("http_port 3128\n" + line).errors()).as(line).hasSize(1);
  }

  @Test
  void aLanguageWithoutPagesIsAWarning() {
    assertThat(TextSource.load("http_port 3128\nerror_default_language it").warnings())
        .anyMatch(one -> one.text().contains("built-in pages are English"));
    assertThat(TextSource.load("http_port 3128\nerror_default_language de").warnings()).isEmpty();
  }
}
