package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines of a child's output, in pieces of every size. */
class OutputLinesTest {
  /** Gives at most {@code size} bytes at once. */
  private static InputStream inPieces(String text, int size) {
    return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
      @Override
      public synchronized int read(byte[] to, int start, int length) {
        return super.read(to, start, Math.min(length, size));
      }

      @Override
      public int read(byte[] to) {
        return read(to, 0, to.length);
      }
    };
  }

  private static List<String> lines(String text, int size, int maxBytes) throws IOException {
    OutputLines lines = new OutputLines(inPieces(text, size), maxBytes);
    List<String> all = new ArrayList<>();
    for (byte[] line = lines.next(); line != null; line = lines.next()) {
      all.add(new String(line, ISO_8859_1) + (lines.tooLong() ? "!" : ""));
    }
    return all;
  }

  @Test
  void cutsAtLineEndsWhateverTheSizeOfThePieces() throws IOException {
    String text = "OK\r\n\nERR \u0000\u00ff\r\rx\n" + "y".repeat(5000) + "\npartial";
    for (int size = 1; size < 5100; size = size * 2 + 1) {
      assertThat(lines(text, size, 8192))
          .containsExactly("OK", "", "ERR \u0000\u00ff\r\rx", "y".repeat(5000));
    }
  }

  @Test
  void aLineWithoutAnEndIsToldBeforeItsEnd() throws IOException {
    OutputLines lines = new OutputLines(inPieces("a".repeat(100_000), 1000), 2000);
    assertThat(lines.next()).hasSize(2000);
    assertThat(lines.tooLong()).isTrue();
  }

  @Test
  void aLineOfTheLongestLengthFits() throws IOException {
    assertThat(lines("abcd\nabcde\n", 100, 4)).containsExactly("abcd", "abcd!");
  }
}
