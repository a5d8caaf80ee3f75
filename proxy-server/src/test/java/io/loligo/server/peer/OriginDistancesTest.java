package io.loligo.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.config.Configs;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The average, the bounds, and the directives without which nothing is measured. */
class OriginDistancesTest {
  private final OriginDistances distances = new OriginDistances();

  private void use(String... lines) {
    distances.use(Configs.of(String.join("\n", lines) + "\n"));
  }

  private void reached(String host, long millis) {
    distances.reached(host, TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void nothingIsMeasuredThatNobodyUses() {
    use("icp_port 0", "netdb_high 10");
    reached("a.example", 20);
    assertThat(distances.millis("a.example")).isZero();
    assertThat(distances.hosts()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"query_icmp on", "test_reachability on", "icp_port 3130"})
  void aDirectiveThatUsesItLetsItBeMeasured(String line) {
    use(line);
    reached("a.example", 20);
    assertThat(distances.millis("a.example")).isEqualTo(20);
    assertThat(distances.millis("b.example")).isZero();
    use("icp_port 0");
    assertThat(distances.millis("a.example")).isZero();
    assertThat(distances.hosts()).isZero();
  }

  @Test
  void aShortTimeIsAMillisecond() {
    use("query_icmp on");
    distances.reached("a.example", 1);
    assertThat(distances.millis("a.example")).isEqualTo(1);
  }

  @Test
  void theAverageFollowsTheLastConnections() {
    use("query_icmp on");
    reached("a.example", 10);
    reached("a.example", 30);
    assertThat(distances.millis("a.example")).isEqualTo(20);
    for (int i = 0; i < 100; i++) {
      reached("a.example", 100);
    }
    assertThat(distances.millis("a.example")).isBetween(98, 100);
  }

  @Test
  void thoseThatWereUsedLastAreKept() {
    use("query_icmp on", "netdb_high 4", "netdb_low 2");
    for (String host : new String[] {"a", "b", "c", "d"}) {
      reached(host, 10);
    }
    assertThat(distances.millis("a")).isEqualTo(10);
    reached("e", 10);
    assertThat(distances.hosts()).isEqualTo(2);
    assertThat(distances.millis("a")).isEqualTo(10);
    assertThat(distances.millis("e")).isEqualTo(10);
    use("query_icmp on", "netdb_high 1");
    assertThat(distances.hosts()).isEqualTo(1);
  }

  @Test
  void aNameThatNoHostHasIsNotKept() {
    use("query_icmp on");
    reached("a".repeat(256), 10);
    assertThat(distances.hosts()).isZero();
  }
}
