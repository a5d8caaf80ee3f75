package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReadinessProbeTest {
  @TempDir Path dir;
  private ServerSocket server;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  /** Answers one connection; the first line of its request. */
  private CompletableFuture<String> answering(String answer) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Socket client = server.accept()) {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
              head.append((char) client.getInputStream().read());
            }
            client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            return head.substring(0, head.indexOf("\r\n"));
          } catch (IOException e) {
            return e.toString();
          }
        });
  }

  private InetSocketAddress place() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 200 OK, 0",
    "HTTP/1.1 503 Service Unavailable, 1",
    "HTTP/1.1 404 Not Found, 1",
    "SSH-2.0, 3",
    "HTTP/1.1 x, 3"
  })
  void theStatusIsThatOfTheAnswer(String line, int status) {
    CompletableFuture<String> asked = answering(line + "\r\nContent-Length: 2\r\n\r\nok");
    assertThat(ReadinessProbe.ask(List.of(place()))).isEqualTo(status);
    assertThat(asked.join()).isEqualTo("GET /health/ready HTTP/1.1");
  }

  @Test
  void nobodyIsThere() throws IOException {
    server.close();
    assertThat(ReadinessProbe.ask(List.of(place()))).isEqualTo(3);
  }

  @Test
  void theNextPlaceIsTriedToo() throws IOException {
    InetSocketAddress closed;
    try (ServerSocket other = new ServerSocket(0)) {
      closed = new InetSocketAddress(InetAddress.getLoopbackAddress(), other.getLocalPort());
    }
    answering("HTTP/1.1 200 OK\r\n\r\nready");
    assertThat(ReadinessProbe.ask(List.of(closed, place()))).isZero();
  }

  @Test
  void anythingElseIsForTheWholeCommand() throws IOException {
    String conf = Files.writeString(dir.resolve("a"), "loligo_admin_port 4000").toString();
    assertThat(ReadinessProbe.places("health", "-f", conf)).hasSize(2);
    assertThat(ReadinessProbe.places("health", "--file", conf)).hasSize(2);
    assertThat(ReadinessProbe.places("health")).hasSize(2);
    assertThat(ReadinessProbe.places("health", "--help")).isEmpty();
    assertThat(ReadinessProbe.places("health", "-f", "--help")).isEmpty();
    assertThat(ReadinessProbe.places("health", "--admin", "127.0.0.1:4000")).isEmpty();
    assertThat(ReadinessProbe.places("health", "-f", dir + "/none")).isEmpty();
  }

  /** The container counts them. */
  @Test
  void itsJvmLoadsNoLibraryAndNoConfiguration() throws Exception {
    answering("HTTP/1.1 200 OK\r\n\r\nready");
    String line = "loligo_admin_port 127.0.0.1:" + server.getLocalPort();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load",
                "-cp",
                System.getProperty("java.class.path"),
                ReadinessProbe.class.getName(),
                "health",
                "-f",
                Files.writeString(dir.resolve("loligo.conf"), line).toString())
            .redirectErrorStream(true)
            .start();
    List<String> lines =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .toList();
    assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
    assertThat(lines).contains("ready");
    assertThat(lines.stream().filter(one -> one.contains("] io.loligo.")))
        .allMatch(one -> one.contains(".ReadinessProbe ") || one.contains(".AdminPortLine "));
    // the line above refuses lambdas of the probe; the JDK has some of its own
    assertThat(lines.stream().filter(one -> one.matches(".*(picocli|netty|net[.]http).*")))
        .isEmpty();
  }
}
