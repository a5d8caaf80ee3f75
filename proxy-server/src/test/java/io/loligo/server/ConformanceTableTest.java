package io.loligo.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every row of {@code docs/conformance.md} names tests that exist, or why there is none. Tests are
 * looked for in the sources, for those of other modules are not on this one's class path.
 */
class ConformanceTableTest {
  private static final Path ROOT = Path.of("..");
  private static final Path CONVERSATIONS = Path.of("src/test/conversations");
  private static final Pattern REFERENCE = Pattern.compile("`([^`]+)`");
  private static final Pattern METHOD = Pattern.compile("^ +void (\\w+)\\(", Pattern.MULTILINE);
  private static final Pattern REASON = Pattern.compile("(n/a|open|deviation): .{10,}");
  private static final Set<String> LEVELS = Set.of("MUST", "SHOULD", "MAY");

  /** A requirement. */
  private record Row(String text, String section, String level, String proof) {}

  @Test
  void everyRowHasATestOrAReason() throws IOException {
    Set<String> tests = tests();
    List<String> wrong = new ArrayList<>();
    for (Row row : rows()) {
      String trouble = trouble(row, tests);
      if (trouble != null) {
        wrong.add(trouble + " in " + row.text());
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void everyConversationProvesSomething() throws IOException {
    String page = page();
    List<String> unused = new ArrayList<>();
    for (String file : conversations()) {
      if (!page.contains('`' + file + '`')) {
        unused.add(file);
      }
    }
    assertThat(unused).isEmpty();
  }

  private static String trouble(Row row, Set<String> tests) {
    if (!row.section().matches("[\\d.]+") || !LEVELS.contains(row.level())) {
      return "no section or level";
    }
    List<String> named = new ArrayList<>();
    for (Matcher m = REFERENCE.matcher(row.proof()); m.find(); ) {
      if (!tests.contains(m.group(1))) {
        return "no such test: " + m.group(1);
      }
      named.add(m.group(1));
    }
    boolean reason = REASON.matcher(row.proof()).matches();
    if (named.isEmpty() && !reason) {
      return "neither test nor reason";
    }
    return row.level().equals("MUST") && row.proof().startsWith("open:") ? "an open MUST" : null;
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/conformance.md"), UTF_8);
  }

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (String line : page().split("\n", -1)) {
      if (line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| section ")) {
        String[] cells = line.substring(1).split("\\|", -1);
        assertThat(cells).as("cells of %s", line).hasSize(5);
        rows.add(new Row(line, cells[0].strip(), cells[2].strip(), cells[3].strip()));
      }
    }
    assertThat(rows).hasSizeGreaterThan(200);
    return rows;
  }

  /** All methods of test classes as {@code Class#method}, and all conversations. */
  private static Set<String> tests() throws IOException {
    Set<String> tests = new HashSet<>(conversations());
    for (Map.Entry<String, Path> source : sources().entrySet()) {
      for (Matcher m = METHOD.matcher(Files.readString(source.getValue(), UTF_8)); m.find(); ) {
        tests.add(source.getKey() + '#' + m.group(1));
      }
    }
    return tests;
  }

  private static Map<String, Path> sources() throws IOException {
    Map<String, Path> sources = new HashMap<>();
    for (String module : List.of("proxy-core", "proxy-store", "proxy-cluster", "proxy-server")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        files
            .filter(file -> file.toString().endsWith("Test.java"))
            .forEach(file -> sources.put(file.getFileName().toString().replace(".java", ""), file));
      }
    }
    return sources;
  }

  private static List<String> conversations() throws IOException {
    try (Stream<Path> files = Files.walk(CONVERSATIONS)) {
      return files
          .map(file -> CONVERSATIONS.relativize(file).toString())
          .filter(name -> name.endsWith(".txt"))
          .toList();
    }
  }
}
