package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.boot.Features;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each directive that takes effect is named by a test on the wire, or the page of differences says
 * which other test has it, and why.
 */
class DirectiveTestsTest {
  private static final ReferencePages PAGES = new ReferencePages(Features.directives());
  private static final Pattern DIRECTIVE = Pattern.compile("(?m)^#### ([a-z0-9_]+)$");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9_]+)` \\| `(\\w+)` \\| .+");
  private static final Pattern WORD = Pattern.compile("[a-z0-9_]+");
  private static final Path TESTS = Path.of("src/test").toAbsolutePath();
  private static final Pattern COMMENT = Pattern.compile("(?m)^ *(?://|/?[*]).*$");

  /** Whole files of configuration have lines without a test, so they do not count. */
  private static final List<String> ON_THE_WIRE =
      List.of("java/io/loligo/server/wire", "conversations", "hostile");

  private static Set<String> wordsOnTheWire() throws IOException {
    Set<String> words = new HashSet<>();
    for (String folder : ON_THE_WIRE) {
      try (Stream<Path> files = Files.walk(TESTS.resolve(folder))) {
        files.filter(Files::isRegularFile).forEach(file -> addWords(file, words));
      }
    }
    return words;
  }

  private static void addWords(Path file, Set<String> words) {
    try {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1).replace("\\n", " ");
      text = file.toString().endsWith(".java") ? COMMENT.matcher(text).replaceAll("") : text;
      WORD.matcher(text).results().forEach(found -> words.add(found.group()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The other test of each directive in the table of the page. */
  private static Map<String, String> elsewhere() {
    String page = PAGES.differences();
    Map<String, String> tests = new TreeMap<>();
    Matcher row =
        ROW.matcher(page.substring(page.indexOf("## Directives without a test on the wire")));
    while (row.find()) {
      tests.put(row.group(1), row.group(2));
    }
    return tests;
  }

  @Test
  void eachIsTestedOnTheWireOrThePageSaysWhereElse() throws IOException {
    Set<String> words = wordsOnTheWire();
    Set<String> missing = new HashSet<>();
    String page = PAGES.directives();
    String used = page.substring(0, page.indexOf("\n## ", page.indexOf("#### ")));
    DIRECTIVE.matcher(used).results().forEach(found -> missing.add(found.group(1)));
    assertThat(missing).hasSizeGreaterThan(100);
    missing.removeAll(words);
    assertThat(elsewhere().keySet()).containsAll(missing);
  }

  @Test
  void theOtherTestsExist() throws IOException {
    Set<String> names = new HashSet<>();
    Path root = TESTS.getParent().getParent().getParent();
    for (String module : List.of("proxy-core", "proxy-store", "proxy-cluster", "proxy-server")) {
      try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/test/java"))) {
        files.forEach(file -> names.add(file.getFileName().toString()));
      }
    }
    for (String test : elsewhere().values()) {
      assertThat(names).contains(test + ".java");
    }
  }
}
