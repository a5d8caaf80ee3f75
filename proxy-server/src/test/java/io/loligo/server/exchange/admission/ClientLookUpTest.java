package io.loligo.server.exchange.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The MAC addresses that Linux lists. */
class ClientLookUpTest {
  private static final List<String> LINES =
      List.of(
          "IP address       HW type     Flags       HW address            Mask     Device",
          "192.0.2.1        0x1         0x2         00:1A:2b:3c:4d:5e     *        eth0",
          "192.0.2.2        0x1         0x0         00:00:00:00:00:00     *        eth0",
          "192.0.2.10       0x1         0x6         02:1a:2b:3c:4d:5f     *        eth0",
          "");

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 00:1a:2b:3c:4d:5e",
    "192.0.2.10, 02:1a:2b:3c:4d:5f",
    "192.0.2.2, ''",
    "192.0.2.3, ''",
    "::1, ''",
  })
  void areReadFromTheTableOfNeighbours(String address, String expected) {
    assertThat(ClientLookUp.hardware(LINES, address)).isEqualTo(expected);
  }
}
