package io.loligo.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.history.HistorySources;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.SampleDisk;
import io.loligo.server.record.Stage;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The document, the files and the stream of the live page, over sockets. */
@Timeout(120)
class LivePageTest {
  private static final Pattern FILE = Pattern.compile("\"(/assets/[0-9a-f]+/[^\"]+)\"");

  private final List<Socket> sockets = new ArrayList<>();
  private AdminServer server;

  private static final class Quiet extends RecordingOperations {
    Quiet() {
      super(new ArrayList<>());
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      return CompletableFuture.completedFuture(new Purged(Purged.Outcome.DONE, 0, 0));
    }

    @Override
    public List<Ban> bans() {
      return List.of();
    }

    @Override
    protected Reloaded reloaded() {
      return Reloaded.done(List.of(), List.of());
    }
  }

  @BeforeEach
  void start() throws IOException {
    Operations operations = new Quiet();
    AdminPages pages = new AdminPages();
    ProxyMetrics metrics = new ProxyMetrics(2);
    LivePage.addTo(
        pages,
        operations,
        metrics,
        () -> new PresentNumbers(new HistorySources(metrics)),
        () -> null,
        () -> List.of(SampleDisk.of("/d\n\"<i>", DiskStats.State.OFF, "worn out")),
        "1.0<b>",
        System::currentTimeMillis);
    server =
        AdminServer.start(
            HttpPort.at("127.0.0.1", 0).build(),
            AdminServerTest.terms(null),
            new AdminTls(),
            operations,
            pages);
  }

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  private BufferedReader send(String request) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
    socket.setSoTimeout(60_000);
    sockets.add(socket);
    socket.getOutputStream().write(request.getBytes(UTF_8));
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
  }

  private static String head(BufferedReader from) throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = from.readLine(); !line.isEmpty(); line = from.readLine()) {
      head.append(line).append('\n');
    }
    return head.toString();
  }

  private String get(String path) throws IOException {
    BufferedReader from =
        send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    StringBuilder all = new StringBuilder();
    for (String line = from.readLine(); line != null; line = from.readLine()) {
      all.append(line).append('\n');
    }
    return all.toString();
  }

  private static String event(BufferedReader from) throws IOException {
    String line = from.readLine();
    while (line != null && !line.startsWith("data: ")) {
      line = from.readLine();
    }
    return line;
  }

  @Test
  void allFilesOfTheDocumentAndOfTheirImportsAreThere() throws IOException {
    String document = get("/");
    assertThat(document)
        .startsWith("HTTP/1.1 200 OK")
        .contains("text/html; charset=utf-8", "no-store")
        .contains("default-src 'none'; script-src 'self'; style-src 'self'")
        .doesNotContain("unsafe-inline", "@assets@", " style=", "<script>", "http://www");
    Matcher file = FILE.matcher(document);
    int files = 0;
    while (file.find()) {
      files++;
      assertThat(get(file.group(1))).as(file.group(1)).startsWith("HTTP/1.1 200 OK");
    }
    assertThat(files).isGreaterThan(3);
    Matcher any = FILE.matcher(document);
    assertThat(any.find()).isTrue();
    String folder =
        any.group(1).substring(0, "/assets/".length() + 1 + any.group(1).substring(8).indexOf('/'));
    for (Path script : scripts()) {
      String name = script.getFileName().toString();
      assertThat(get(folder + name))
          .as(name)
          .contains("text/javascript; charset=utf-8", "immutable")
          .doesNotContain("innerHTML", "insertAdjacentHTML", "document.write", "eval(");
    }
    assertThat(get("/assets/other/page.js")).startsWith("HTTP/1.1 404");
  }

  /** The page colours a stage by the name that it has in JSON. */
  @Test
  void eachStageInSequenceHasAColour() throws IOException {
    String styles =
        Files.readString(Path.of("src/main/resources/io/loligo/server/admin/page/page.css"));
    List<String> coloured = new ArrayList<>();
    Pattern.compile("\\.s-(\\w+)").matcher(styles).results().forEach(m -> coloured.add(m.group(1)));
    assertThat(coloured)
        .isEqualTo(Stream.of(Stage.values()).filter(Stage::inSequence).map(Stage::text).toList());
  }

  /** The page's own scripts, also those that {@link LivePage} might forget. */
  private static List<Path> scripts() throws IOException {
    Path folder = Path.of("src/main/resources/io/loligo/server/admin/page");
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".js")).toList();
    }
  }

  @Test
  void theStreamSendsAStateAtOnceAndTheNextOneASecondLater() throws IOException {
    BufferedReader stream = send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assertThat(head(stream))
        .startsWith("HTTP/1.1 200 OK")
        .contains("text/event-stream")
        .containsIgnoringCase("transfer-encoding: chunked");
    assertThat(event(stream))
        .contains("\"version\":\"1.0<b>\"", "\"ready\":true", "\"history\":false")
        .contains("\"windowSeconds\":0", "\"classes\":{\"memory_hit\":{\"count\":0,")
        .contains("\"protocols\":{\"1.0\":{\"count\":0,")
        .contains("\"stages\":{\"acl\":{", "\"proxyConnect\":{", "\"client_connections\":0")
        .contains("\"path\":\"/d\\u000a\\\"<i>\"", "\"state\":\"off\"", "\"capacity_bytes\":1,")
        .containsPattern("\"loopLagMicros\":\\[[0-9.]+,[0-9.]+\\]");
    assertThat(event(stream)).isNotNull();
  }

  @Test
  void theStreamOfAnOldClientHasNoChunks() throws IOException {
    BufferedReader stream = send("GET /live HTTP/1.0\r\nHost: localhost\r\n\r\n");
    assertThat(head(stream)).doesNotContainIgnoringCase("transfer-encoding");
    assertThat(stream.readLine()).startsWith("data: {");
  }

  @Test
  void aHeadOfTheStreamEnds() throws IOException {
    BufferedReader both =
        send(
            "HEAD /live HTTP/1.1\r\nHost: localhost\r\n\r\n"
                + "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assertThat(head(both)).startsWith("HTTP/1.1 200");
    assertThat(head(both)).startsWith("HTTP/1.1 404");
  }

  @Test
  void aRequestAfterTheStreamClosesTheConnection() throws IOException {
    String request = "GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    BufferedReader stream = send(request);
    event(stream);
    sockets.get(0).getOutputStream().write(request.getBytes(UTF_8));
    assertThat(stream.lines()).allMatch(line -> !line.startsWith("HTTP/"));
    BufferedReader pipelined = send(request + request);
    assertThat(head(pipelined)).startsWith("HTTP/1.1 200");
    assertThat(pipelined.lines()).allMatch(line -> !line.startsWith("HTTP/"));
  }

  @Test
  void streamsEndWithTheServer() throws Exception {
    BufferedReader stream = send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    event(stream);
    server.close();
    start();
    assertThat(stream.lines()).allMatch(line -> !line.startsWith("HTTP/"));
  }
}
