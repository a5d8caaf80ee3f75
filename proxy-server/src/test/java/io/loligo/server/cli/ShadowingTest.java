package io.loligo.server.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ExaminedConfig;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.check.LogReplay;
import io.loligo.server.config.TextSource;
import io.loligo.server.logfile.LogSource;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShadowingTest {
  private static final String ALLOWED =
      "1763600000.123    310 192.0.2.1 TCP_MISS/200 1234 GET http://a.test/ - HIER_DIRECT/192.0.2.9"
          + " text/html\n";

  @TempDir Path dir;

  private int shadow(byte[] log, String rule) throws Exception {
    Path file = Files.write(dir.resolve("log"), log);
    Path rules = Files.writeString(dir.resolve("rules"), "http_port 3128\n" + rule + "\n");
    return Main.commandLine().execute("shadow", file.toString(), "-f", rules.toString());
  }

  @Test
  void readsALogAsItIsAndCompressed() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(packed)) {
      out.write(ALLOWED.getBytes(ISO_8859_1));
    }
    for (byte[] log : new byte[][] {ALLOWED.getBytes(ISO_8859_1), packed.toByteArray()}) {
      assertThat(shadow(log, "http_access allow all")).isZero();
      assertThat(shadow(log, "http_access deny all")).isEqualTo(1);
    }
  }

  @Test
  void theLineThatShowsTheProgressIsGoneAtTheEnd() throws Exception {
    Path log = Files.writeString(dir.resolve("log"), ALLOWED);
    ByteArrayOutputStream shown = new ByteArrayOutputStream();
    ExaminedConfig examined = TextSource.examine("http_port 3128\nhttp_access allow all\n");
    LogReplay replay =
        new LogReplay(
            examined, examined.result().config(), LogFormat.builtIn().get("squid"), 1, 1L << 40);
    Shadowing.read(LogSource.of(log), replay, new PrintStream(shown, true, ISO_8859_1));
    assertThat(shown.toString(ISO_8859_1)).endsWith("\r\u001B[K");
    assertThat(replay.text()).startsWith("1 lines: 1 with the same verdict");
  }
}
