package io.loligo.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code x |= y} reads and writes: of two that do so at once one is lost, volatile or not. */
@Tag("races")
final class VolatileUpdateTest {
  private static final Pattern FIELD =
      Pattern.compile("\\bvolatile\\s+[\\w<>\\[\\], .?]+?\\s(\\w+)\\s*[=;]");

  @Test
  void noVolatileFieldIsUpdatedInPlace() throws IOException {
    List<String> found = new ArrayList<>();
    int fields = 0;
    for (Path file : sources()) {
      String source = Files.readString(file);
      Matcher field = FIELD.matcher(source);
      while (field.find()) {
        fields++;
        String name = field.group(1);
        Matcher update =
            Pattern.compile(
                    "\\b%1$s\\s*[|&^+*-]=|\\b%1$s(\\+\\+|--)|(\\+\\+|--)%1$s\\b".formatted(name))
                .matcher(source);
        while (update.find()) {
          found.add(file.getFileName() + ": " + update.group());
        }
      }
    }
    assertThat(fields).isGreaterThan(10);
    assertThat(found).isEmpty();
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }
}
