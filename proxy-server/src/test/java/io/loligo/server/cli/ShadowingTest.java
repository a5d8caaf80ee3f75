package io.loligo.server.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
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
}
