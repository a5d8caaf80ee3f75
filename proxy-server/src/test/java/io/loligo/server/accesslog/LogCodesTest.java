package io.loligo.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log can write every logformat that the configuration reader accepts. */
class LogCodesTest {
  private static boolean compiles(String format) {
    try {
      return !new LogFormatCompiler(format, () -> ZoneOffset.UTC).compile().isEmpty();
    } catch (LogFormatException e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "%5000>a",
        "%4096>a",
        "%4097>a",
        "%.5000>a",
        "%.4096>a",
        "%byte{0}",
        "%byte{10}",
        "%{10}byte",
        "%byte{256}",
        "%{0}byte",
        "%byte",
        "%us",
        "%oa",
        "%>a",
        "%frob",
        "%",
        "%%",
        "%-05>a",
        "%05.3tu",
        "%99999999>a",
        "%{X>h",
        "%{X}>h",
        "%>h{X}",
        "%http::>a",
        "%\"http::>a",
        "%'ru",
        "%..>a",
        "%0-5>a",
        "%byte{010}",
        "%byte{x}",
        "%byte{",
        "%byte{000010}",
        "%byte{0000010}",
        "%>h{X",
        "%tl{%Y}",
        "%{%Y}tl",
        "%ru{%Y}"
      })
  void theReaderAcceptsTheCodesOfTheLog(String format) {
    assertThat(LogFormatCodes.isUsable(format)).as(format).isEqualTo(compiles(format));
  }

  @Test
  void theyAgreeOnRandomFormats() {
    List<String> pieces =
        List.of(
            "%",
            "\"", "[", "-", "0", "12", "4097", ".", "{X}", "{10}", "{", "http::", ">a", "byte",
            "ru", " ");
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      StringBuilder format = new StringBuilder("%");
      for (int j = random.nextInt(7); j >= 0; j--) {
        format.append(pieces.get(random.nextInt(pieces.size())));
      }
      String text = format.toString();
      assertThat(LogFormatCodes.isUsable(text)).as(text).isEqualTo(compiles(text));
    }
  }
}
