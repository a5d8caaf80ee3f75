package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real JVMs with little memory: defaults are lowered to fit, lines are not. */
class SmallMemoryWireTest extends WireTest {
  private static final Path SHIPPED =
      Path.of("").toAbsolutePath().getParent().resolve("config").resolve("loligo.conf");
  private static final String MEMORY =
      "INFO +Daemon: memory: cache_mem ([0-9]+) MB(?: [^)]*[)])?, loligo_transit_memory ([0-9]+)"
          + " MB";

  private static final String HALF_A_MEGABYTE = "0123456789abcdef".repeat(32 << 10);

  private int port;

  private ProxyProcess start(String options, String configuration) throws Exception {
    Path conf = Files.writeString(dir.resolve("loligo.conf"), configuration);
    List<String> flags = List.of(options.split(" ", -1));
    return closing(ProxyProcess.bare(dir, flags, "run", "-f", conf.toString()));
  }

  /**
   * The shipped file except for its two ports, and the rule it names for an origin on this machine.
   */
  private String shipped() throws Exception {
    port = ProxyProcess.freePort();
    return "visible_hostname proxy.test\n"
        + Files.readString(SHIPPED)
            .replace("http_port 3128\n", "http_port " + port + "\n")
            .replace("127.0.0.1:3129\n", "127.0.0.1:0\n")
            .replace(
                "http_access deny to_this_host\n",
                "http_access allow localhost to_localhost\nhttp_access deny to_this_host\n");
  }

  private String minimal(String... lines) {
    port = ProxyProcess.freePort();
    return "http_port 127.0.0.1:"
        + port
        + "\nhttp_access allow all\nloligo_admin_port off\n"
        + String.join("\n", lines)
        + "\n";
  }

  private static int[] chosen(ProxyProcess process) throws Exception {
    process.awaitOutput(MEMORY);
    Matcher memory = Pattern.compile(MEMORY).matcher(process.output());
    assertThat(memory.find()).isTrue();
    return new int[] {Integer.parseInt(memory.group(1)), Integer.parseInt(memory.group(2))};
  }

  /** Asks for more than {@code megabytes} of responses that may be stored. */
  private void fill(int megabytes) throws Exception {
    RawClient client = closing(RawClient.connect(port));
    byte[] half = HALF_A_MEGABYTE.getBytes(US_ASCII);
    for (int i = 0; i <= 2 * megabytes; i++) {
      origin.onOk("/" + i, HALF_A_MEGABYTE, "Cache-Control: max-age=1000");
      WireMessage answer = client.get(origin.url("/" + i)).response();
      assertThat(Arrays.equals(answer.body(), half)).as("response %s is right", i).isTrue();
      if (i == 0) {
        assertHit(client.get(origin.url("/0")).response());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "-XX:MaxRAM=256m, 16, 40",
    "-XX:MaxRAM=512m, 60, 110",
    "-XX:MaxRAM=1g, 190, 220",
    "-Xmx64m -XX:MaxDirectMemorySize=96m, 56, 58",
    "-Xmx128m -XX:MaxDirectMemorySize=300m, 230, 240",
  })
  void theShippedFileStartsAndServes(String options, int least, int most) throws Exception {
    ProxyProcess process = start(options, shipped()).awaitPort(port);
    int[] chosen = chosen(process);
    assertThat(chosen[0] + chosen[1]).isBetween(least, most);
    assertThat(chosen[0]).isGreaterThanOrEqualTo(chosen[1]);
    fill(chosen[0]);
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContain("OutOfMemory", "ERROR");
  }

  @Test
  void withEnoughMemoryTheDefaultsAreSharesOfIt() throws Exception {
    ProxyProcess process = start("-Xmx300m -XX:MaxRAM=1g -XX:MaxDirectMemorySize=512m", shipped());
    assertThat(chosen(process)).containsExactly(256, 128);
    assertThat(process.output()).doesNotContain("lowered");
  }

  @Test
  void saysWhichDefaultsAreLowered() throws Exception {
    ProxyProcess process = start("-Xmx64m -XX:MaxDirectMemorySize=96m", shipped());
    assertThat(chosen(process)).containsExactly(38, 20);
    process.awaitOutput(
        "cache_mem 38 MB [(]lowered from its default, [0-9]+ MB[)], loligo_transit_memory 20 MB"
            + " [(]lowered from its default, [0-9]+ MB[)], history 6 MB: .*96 MB of direct memory"
            + ".*-XX:MaxDirectMemorySize");
  }

  @Test
  void aLineStaysAndTheOtherDefaultGivesWay() throws Exception {
    ProxyProcess process =
        start("-Xmx64m -XX:MaxDirectMemorySize=128m", minimal("cache_mem 64 MB"));
    assertThat(chosen(process)).containsExactly(64, 29);
    ProxyProcess other =
        start("-Xmx64m -XX:MaxDirectMemorySize=128m", minimal("loligo_transit_memory 80 MB"));
    assertThat(chosen(other)).containsExactly(15, 80);
  }

  @ParameterizedTest
  @CsvSource({"cache_mem 128 MB", "loligo_transit_memory 128 MB", "cache_dir rock ./cache 100000"})
  void aLineThatAsksForTooMuchStopsTheStart(String line) throws Exception {
    ProxyProcess process = start("-Xmx64m -XX:MaxDirectMemorySize=128m", minimal(line));
    assertThat(process.awaitExit()).isEqualTo(1);
    String error = "loligo.conf:4: ERROR: " + line.split(" ", 2)[0] + ": value: ";
    assertThat(process.output()).contains("not started: ", error);
    ProxyProcess check =
        closing(
            ProxyProcess.bare(
                dir,
                List.of("-Xmx64m", "-XX:MaxDirectMemorySize=128m"),
                "check",
                dir.resolve("loligo.conf").toString()));
    assertThat(check.awaitExit()).isEqualTo(1);
    assertThat(check.output())
        .contains("would not start: 1 line", "loligo.conf:4: " + line.split(" ", 2)[0] + ": ");
  }

  @Test
  void checkReportsDefaultsThatWouldBeLowered() throws Exception {
    Path conf = Files.writeString(dir.resolve("loligo.conf"), "http_port 3128\n");
    List<String> flags = List.of("-XX:MaxRAM=256m");
    ProxyProcess check = closing(ProxyProcess.bare(dir, flags, "check", conf.toString()));
    assertThat(check.awaitExit()).isZero();
    assertThat(check.output()).contains("memory: cache_mem 8 MB (lowered from its default, 64 MB)");
  }

  @Test
  void aMillionPurgedNamesFitTheSmallestHeap() throws Exception {
    ProxyProcess process =
        start(
                "-Xmx64m -XX:MaxDirectMemorySize=96m",
                minimal("acl purge method PURGE", "visible_hostname proxy.test"))
            .awaitPort(port);
    RawClient client = closing(RawClient.connect(port));
    for (int batch = 0; batch < 150; batch++) {
      StringBuilder line = new StringBuilder("xkey:");
      for (int i = 0; i < 7_000; i++) {
        line.append(' ').append(batch * 7_000 + i);
      }
      WireMessage answer =
          client.send(RawClient.head("PURGE", origin.url("/"), line.toString())).response();
      assertThat(answer.status()).isEqualTo(200);
    }
    fill(1);
    process.signal("TERM");
    assertThat(process.awaitExit()).as(process.output()).isZero();
    assertThat(process.output()).doesNotContain("OutOfMemory", "ERROR");
  }

  @Test
  void aReloadKeepsTheLoweredDefaultsWithoutAWord() throws Exception {
    ProxyProcess process =
        start("-Xmx64m -XX:MaxDirectMemorySize=96m", minimal()).awaitOutput("Daemon: ready");
    process.signal("HUP");
    process.awaitOutput("configuration reloaded");
    assertThat(process.output()).doesNotContain("next start");
  }
}
