package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each warning and error of the application log names the operator's next step. */
class LogMessagesTest {
  private static final List<Path> SOURCES =
      List.of(
          Path.of("src/main/java"),
          Path.of("../proxy-store/src/main/java"),
          Path.of("../proxy-cluster/src/main/java"));

  private static final Pattern CALL = Pattern.compile("\\b(?:LOG|AUDIT)\\.(?:warn|error)\\(");
  private static final Pattern TEXT =
      Pattern.compile(
          "\\s*(\"(?:[^\"\\\\]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\]|\\\\.)*\")*)\\s*[,)]");
  private static final Pattern NEXT_STEP = Pattern.compile("(; next: | Next: )[a-z]");

  /** Classes whose text "{}" is made elsewhere: it has its next step from there. */
  private static final Set<String> PASSED_ON =
      Set.of("Daemon.java", "Reloader.java", "HelperLog.java");

  private record Message(String file, String text) {
    boolean isPassedOn() {
      return text.equals("{}") && PASSED_ON.contains(file);
    }
  }

  private static Stream<Message> messages(Path source) {
    try {
      String code = Files.readString(source);
      String file = source.getFileName().toString();
      List<Message> found = new ArrayList<>();
      Matcher call = CALL.matcher(code);
      while (call.find()) {
        Matcher text = TEXT.matcher(code).region(call.end(), code.length());
        assertThat(text.lookingAt())
            .as("a text at the begin of %s in %s", call.group(), file)
            .isTrue();
        found.add(
            new Message(file, text.group(1).replaceAll("\"\\s*\\+\\s*\"", "").replace("\"", "")));
      }
      return found.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Message> all() throws IOException {
    List<Message> found = new ArrayList<>();
    for (Path sources : SOURCES) {
      try (Stream<Path> files = Files.walk(sources)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .flatMap(LogMessagesTest::messages)
            .forEach(found::add);
      }
    }
    return found;
  }

  /** CONTRIBUTING.md, Style. A line that needs no act says {@code next: nothing}. */
  @Test
  void eachWarningAndErrorNamesTheNextStep() throws IOException {
    List<Message> all = all();
    assertThat(all).as("it reads the sources").hasSizeGreaterThan(80);
    assertThat(all)
        .filteredOn(message -> !message.isPassedOn() && !NEXT_STEP.matcher(message.text()).find())
        .as("texts without '; next: ...'")
        .isEmpty();
  }
}
