package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.message.Fields;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OverridingFieldsTest {
  private static final int ROUNDS = 20_000;

  /** As the page for operators has them; {@code -Path} stands for the prefix before it. */
  static List<String> documented() throws IOException {
    String page = Files.readString(Path.of("../docs/caching.md"));
    String table =
        page.substring(page.indexOf("| subject |"), page.indexOf("| status of the response |"));
    List<String> names =
        Pattern.compile("`([^`]+)`").matcher(table).results().map(MatchResult::group).toList();
    assertThat(names).hasSizeGreaterThan(50);
    return names.stream()
        .map(name -> name.replace("`", ""))
        .map(name -> whole(name, table))
        .toList();
  }

  private static String whole(String name, String table) {
    if (!name.startsWith("-")) {
      return name;
    }
    String before = table.substring(0, table.indexOf("`" + name + "`"));
    for (String prefix : List.of("X-Forwarded", "X-Invoke", "X-Middleware")) {
      int at = before.lastIndexOf("`" + prefix + "-");
      if (at > before.lastIndexOf("\n") && before.indexOf("`X-", at + 2) < 0) {
        return prefix + name;
      }
    }
    throw new IllegalArgumentException(name);
  }

  @ParameterizedTest
  @MethodSource("documented")
  void areFoundInEverySpelling(String name) {
    assertThat(OverridingFields.contains(name)).isTrue();
    assertThat(OverridingFields.contains(name.toUpperCase(Locale.ROOT))).isTrue();
    assertThat(OverridingFields.contains(name.replace('-', '_'))).isTrue();
    assertThat(OverridingFields.all(Heads.fields(name + ": a"), List.of())).isFalse();
    assertThat(OverridingFields.contains(name + "x")).isFalse();
    assertThat(OverridingFields.contains(name.substring(1))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Forwarded-For",
        "X-Requested-With",
        "Sec-Fetch-Mode",
        "Upgrade-Insecure-Requests",
        "Purpose",
        "Priority",
        "DNT",
        "User-Agent",
        "X"
      })
  void ordinaryRequestsHaveNoOverridingFields(String name) {
    assertThat(OverridingFields.contains(name)).isFalse();
    assertThat(OverridingFields.all(Heads.fields(name + ": a"), List.of())).isTrue();
  }

  @Test
  void costRequestsWithoutThemNoAllocation() {
    Fields fields =
        Heads.fields("X-Requested-With: a", "X-Forwarded-For: a", "RST: b", "Forwarded: for=a");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    int found = 0;
    long before = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
      before = i == ROUNDS ? threads.getThreadAllocatedBytes(self) : before;
      found += OverridingFields.all(fields, List.of()) ? 0 : 1;
    }
    assertThat((threads.getThreadAllocatedBytes(self) - before) / ROUNDS).isZero();
    assertThat(found).isZero();
  }
}
