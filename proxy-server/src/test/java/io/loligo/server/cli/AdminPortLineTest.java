package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminPortLineTest {
  private static String of(String... lines) {
    List<String> places = new ArrayList<>();
    for (InetSocketAddress place : AdminPortLine.of(List.of(lines))) {
      places.add(place.getAddress().getHostAddress() + " " + place.getPort());
    }
    return String.join(", ", places);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          loligo_admin_port 127.0.0.1:4000      | 127.0.0.1 4000
          loligo_admin_port 4000 # for probes   | 127.0.0.1 4000, 0:0:0:0:0:0:0:1 4000
          loligo_admin_port 0.0.0.0:4000        | 127.0.0.1 4000, 0:0:0:0:0:0:0:1 4000
          loligo_admin_port [::]:4000           | 127.0.0.1 4000, 0:0:0:0:0:0:0:1 4000
          loligo_admin_port [::1]:4000          | 0:0:0:0:0:0:0:1 4000
          loligo_admin_port 192.0.2.1:4000      | 192.0.2.1 4000
          # loligo_admin_port 192.0.2.1:4000    | 127.0.0.1 3129, 0:0:0:0:0:0:0:1 3129
          http_port 3128                        | 127.0.0.1 3129, 0:0:0:0:0:0:0:1 3129
          """)
  void tellsWhereThePortIs(String line, String places) {
    assertThat(of("visible_hostname a", line, "http_access allow all")).isEqualTo(places);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include /etc/loligo/more.conf",
        "if ${process_number} = 1",
        "http_port 3129",
        "loligo_admin_port off",
        "loligo_admin_port 127.0.0.1:4000 tls-cert=/etc/cert.pem",
        "loligo_admin_port proxy.example.com:4000",
        "loligo_admin_port 999.0.0.1:4000",
        "loligo_admin_port 127.0.0.1:70000",
        "loligo_admin_port",
        "define loligo_admin_port 4000"
      })
  void doesNotGuess(String line) {
    assertThat(of(line)).isEmpty();
  }

  @Test
  void theLastLineHolds() {
    assertThat(of("http_port 3129", "loligo_admin_port 1", "loligo_admin_port 127.0.0.1:2"))
        .isEqualTo("127.0.0.1 2");
  }

  @Test
  void aFileThatCannotBeReadTellsNothing() {
    assertThat(AdminPortLine.of(Path.of("/no/such/file"))).isEmpty();
  }
}
