package io.loligo.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every row of {@code docs/threat-model.md} that names a test names one that exists. */
class ThreatModelTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern NAMED = Pattern.compile("`(\\w+Test)`");

  @Test
  void everyAttackIsGuardedByTestsThatExist() throws IOException {
    Set<String> tests = tests();
    List<String> wrong = new ArrayList<>();
    int rows = 0;
    boolean guarded = false;
    for (String line : Files.readAllLines(ROOT.resolve("docs/threat-model.md"), UTF_8)) {
      if (!line.startsWith("|")) {
        guarded = false;
      } else if (line.endsWith("| test |")) {
        guarded = true;
      } else if (guarded && !line.startsWith("| ---")) {
        rows++;
        wrong.addAll(missing(line, tests));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(rows).isGreaterThan(40);
  }

  private static List<String> missing(String row, Set<String> tests) {
    List<String> missing = new ArrayList<>();
    String proof = row.substring(row.lastIndexOf('|', row.length() - 2));
    boolean any = false;
    for (Matcher named = NAMED.matcher(proof); named.find(); any = true) {
      if (!tests.contains(named.group(1))) {
        missing.add("no " + named.group(1) + " for " + row);
      }
    }
    if (!any) {
      missing.add("no test for " + row);
    }
    return missing;
  }

  private static Set<String> tests() throws IOException {
    Set<String> tests = new HashSet<>();
    for (String module : List.of("proxy-core", "proxy-store", "proxy-cluster", "proxy-server")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
        files
            .map(file -> file.getFileName().toString())
            .filter(name -> name.endsWith("Test.java"))
            .forEach(name -> tests.add(name.replace(".java", "")));
      }
    }
    return tests;
  }
}
