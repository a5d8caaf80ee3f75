package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which settings of the virtual machine's own JMX port are accepted. */
class RemoteJmxTest {
  @TempDir Path dir;

  private static RemoteJmx of(String... settings) throws IOException {
    Properties system = new Properties();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      system.setProperty(
          "com.sun.management." + setting.substring(0, equals), setting.substring(equals + 1));
    }
    return RemoteJmx.of(system);
  }

  @Test
  void withoutAPortThereIsNothingToSay() throws IOException {
    RemoteJmx none = of("jmxremote=true", "jmxremote.ssl=false");
    assertThat(none.refusal()).isNull();
    assertThat(none.warning()).isNull();
    assertThat(none.ports()).isEmpty();
  }

  @Test
  void needsTlsAndLoginBeyondThisMachine() throws IOException {
    assertThat(of("jmxremote.port=9000", "jmxremote.ssl=false").refusal())
        .contains("port 9000 has no TLS", "jmxremote.host=127.0.0.1");
    assertThat(of("jmxremote.port=9000", "jmxremote.authenticate=false").refusal())
        .contains("has no login", "jmxremote.authenticate=true");
    assertThat(of("jmxremote.port=9000", "jmxremote.authenticate=no", "jmxremote.ssl=no").refusal())
        .contains("neither TLS nor login");
    assertThat(of("jmxremote.port=9000", "jmxremote.ssl=false", "jmxremote.host=0.0.0.0").refusal())
        .contains("has no TLS");
    assertThat(of("jmxremote.port=9000").refusal()).as("both are on unless switched off").isNull();
    assertThat(of("jmxremote.port=9000").warning()).contains("registry.ssl=true");
  }

  @Test
  void onLoopbackAWordIsEnough() throws IOException {
    String[] open = {
      "jmxremote.port=9000",
      "jmxremote.host=127.0.0.1",
      "jmxremote.ssl=false",
      "jmxremote.authenticate=false"
    };
    assertThat(of(open).refusal()).isNull();
    assertThat(of(open).warning()).contains("every user of this machine");
    RemoteJmx closed = of("jmxremote.port=9000", "jmxremote.host=127.0.0.1");
    assertThat(closed.warning()).contains("jmxremote.rmi.port");
    RemoteJmx known =
        of("jmxremote.port=9000", "jmxremote.rmi.port=9001", "jmxremote.host=127.0.0.1");
    assertThat(known.warning()).isNull();
    assertThat(known.ports()).containsExactlyInAnyOrder(9000, 9001);
  }

  @Test
  void readsTheFileThatTheAgentReads() throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("management.properties"),
            "com.sun.management.jmxremote.port=9000\ncom.sun.management.jmxremote.ssl=false\n");
    assertThat(of("config.file=" + file).refusal()).contains("port 9000 has no TLS");
    assertThat(of("config.file=" + file, "jmxremote.ssl=true").refusal()).isNull();
  }
}
