package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command line against a port that answers like the proxy's. */
class AskingTest {
  @TempDir Path dir;
  private final AtomicReference<String> asked = new AtomicReference<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final PrintStream usual = System.out;
  private HttpServer server;
  private int status = 200;

  @BeforeEach
  void serve() throws Exception {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/explain",
        exchange -> {
          asked.set(exchange.getRequestURI().getRawQuery());
          byte[] body = "served from the store\n".getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stop() {
    System.setOut(usual);
    server.stop(0);
  }

  private static int run(String... arguments) {
    String[] line = new String[arguments.length + 1];
    line[0] = "explain";
    System.arraycopy(arguments, 0, line, 1, arguments.length);
    return Main.commandLine().execute(line);
  }

  @Test
  void asksWithFieldsAndPrintsTheAnswer() {
    String admin = "127.0.0.1:" + server.getAddress().getPort();
    assertThat(run("http://h/?a=b&c", "-H", "A: b c", "-H", "D: e", "--json", "--admin", admin))
        .isZero();
    assertThat(asked.get())
        .isEqualTo(
            "url=http%3A%2F%2Fh%2F%3Fa%3Db%26c&method=GET&header=A%3A+b+c&header=D%3A+e"
                + "&format=json");
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("served from the store\n");
  }

  @Test
  void takesTheAdminPortFromTheConfiguration() throws Exception {
    Path file = dir.resolve("squid.conf");
    Files.writeString(
        file,
        "http_port 3128\nloligo_admin_port 127.0.0.1:" + server.getAddress().getPort() + "\n");
    assertThat(run("http://h/", "-f", file.toString())).isZero();
    Files.writeString(file, "http_port 3128\nloligo_admin_port off\n");
    assertThat(run("http://h/", "-f", file.toString())).isEqualTo(1);
  }

  @Test
  void asksAtTheOtherPlaceIfNothingAcceptsConnections() throws Exception {
    String closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = "127.0.0.1:" + socket.getLocalPort();
    }
    String open = "127.0.0.1:" + server.getAddress().getPort();
    assertThat(new AdminCall(closed, null, null, open).get("/explain").statusCode()).isEqualTo(200);
    AdminCall onlyThere = new AdminCall(closed, null, null, null);
    assertThatThrownBy(() -> onlyThere.get("/explain")).hasMessageContaining(closed);
  }

  @Test
  void onlyThePortThatNoLineNamesHasAnotherPlace() throws Exception {
    Path file = dir.resolve("squid.conf");
    Files.writeString(file, "http_port 3128\n");
    assertThat(callOf(file)).isEqualTo(new AdminCall("127.0.0.1:3129", null, null, "[::1]:3129"));
    Files.writeString(file, "http_port 3128\nloligo_admin_port 127.0.0.1:3129\n");
    assertThat(callOf(file)).isEqualTo(new AdminCall("127.0.0.1:3129", null, null, null));
  }

  private static AdminCall callOf(Path file) {
    return AdminCall.of(Features.reader(new FileConfigSource()).read(file.toString()).config());
  }

  @Test
  void tellsARefusalFromAProxyThatDoesNotRun() {
    status = 503;
    assertThat(run("http://h/", "--admin", "127.0.0.1:" + server.getAddress().getPort()))
        .isEqualTo(1);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    server.stop(0);
    assertThat(run("http://h/", "--admin", "127.0.0.1:" + server.getAddress().getPort()))
        .isEqualTo(3);
  }
}
