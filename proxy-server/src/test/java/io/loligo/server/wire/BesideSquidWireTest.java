package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files in the style of real ones, in force in Squid and here: the same requests get the same
 * verdict, reach the origin with the same fields, and are logged with the same result code,
 * hierarchy code and user. Skipped, visibly, if Squid is absent.
 *
 * <p>A file is a squid.conf, then a line {@code --- requests}, then a request in each line:
 *
 * <pre>
 * METHOD TARGET [| from ADDRESS] [| Field: value]...
 * </pre>
 *
 * {@code {origin}} is the origin's port, {@code {dir}} a folder. Names of hosts that end with
 * {@code .test} are those of the origin.
 */
class BesideSquidWireTest extends WireTest {
  private static final String FORWARD_PORT = "http_port 127.0.0.1:{port}";

  private static final Pattern NATIVE_LINE =
      Pattern.compile("\\S+ +\\d+ (\\S+) (\\S+) \\d+ (\\S+) (\\S+) (\\S+) ([^/]+)/(\\S+) .*");

  private record Asked(String method, String target, String from, List<String> fieldLines) {
    static Asked read(String line) {
      String[] parts = line.split(" *\\| *", -1);
      String[] first = parts[0].split(" ", -1);
      String from = "127.0.0.1";
      List<String> fields = new ArrayList<>();
      for (int i = 1; i < parts.length; i++) {
        if (parts[i].startsWith("from ")) {
          from = parts[i].substring("from ".length());
        } else {
          fields.add(parts[i]);
        }
      }
      return new Asked(first[0], first[1], from, fields);
    }

    String host() {
      return target.startsWith("/") ? "" : URI.create(absolute()).getHost();
    }

    private String absolute() {
      return target.contains("://") ? target : "any://" + target;
    }
  }

  /** What a proxy made of a request. */
  private record Outcome(int status, List<String> toOrigin) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "home",
        "egress-list",
        "agent-sandbox",
        "package-cache",
        "two-sites",
        "parents",
        "notes",
        "parents-carp",
        "anonymizer",
        "captive-portal",
        "ssrf-guard",
        "rack-proxy",
        "gateway-lists",
        "tool-egress",
        "school-filter",
        "cluster-egress",
        "bandwidth-pools"
      })
  void decidesAsSquidDoes(String name) throws Exception {
    String text = resource(name);
    int border = text.indexOf("--- requests\n");
    List<Asked> requests =
        text.substring(border)
            .lines()
            .skip(1)
            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
            .map(Asked::read)
            .toList();
    String rules = text.substring(0, border) + "hosts_file " + hosts(requests) + "\n";
    String listening =
        rules.lines().filter(line -> line.startsWith("http_port ")).findAny().orElse(FORWARD_PORT);
    rules = rules.replace(listening + "\n", "");
    origin.otherwise(
        call -> {
          call.whole();
          String now =
              DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
          call.ok(
              "content",
              "Date: " + now,
              "Last-Modified: Mon, 01 Jun 2026 12:00:00 GMT",
              "Cache-Control: max-age=600",
              "Content-Type: text/plain");
        });

    List<Outcome> squids = new ArrayList<>();
    int port = ProxyProcess.freePort();
    List<String> squidPort = List.of(listening.replace("{port}", Integer.toString(port)));
    try (ProxyProcess squid = SquidProcess.start(dir, squidPort, List.of(rules))) {
      squid.awaitPort(port);
      for (Asked asked : requests) {
        squids.add(ask(port, asked));
      }
    }
    List<Outcome> ours = new ArrayList<>();
    startProxy((listening.replace("{port}", "0") + "\n" + rules).split("\n", -1));
    for (Asked asked : requests) {
      ours.add(ask(proxy.port(), asked));
    }
    List<String> ourLog = stopAndReadLog();
    List<String> squidLog =
        new ArrayList<>(Files.readAllLines(dir.resolve("squid").resolve("access.log"), ISO_8859_1));
    squidLog.removeIf(line -> line.contains(" NONE_NONE/000 ")); // a wait for its port

    List<String> expected = new ArrayList<>();
    List<String> actual = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      expected.add(row(requests.get(i), squids.get(i), squidLog, i));
      actual.add(row(requests.get(i), ours.get(i), ourLog, i));
    }
    assertThat(String.join("\n", actual)).isEqualTo(String.join("\n", expected));
  }

  private String row(Asked asked, Outcome outcome, List<String> log, int index) {
    String logged = "not logged";
    if (index < log.size()) {
      Matcher line = NATIVE_LINE.matcher(log.get(index));
      assertThat(line.matches()).as(log.get(index)).isTrue();
      logged = String.join(" ", line.group(1), line.group(2), line.group(5), line.group(6));
    }
    return asked + "\n  " + outcome.status + ", log: " + logged + "\n  " + outcome.toOrigin;
  }

  private Outcome ask(int port, Asked asked) throws IOException {
    int before = origin.requests().size();
    try (RawClient client = RawClient.connectFrom(asked.from, port)) {
      List<String> lines = new ArrayList<>(asked.fieldLines);
      if (lines.stream().noneMatch(line -> line.toLowerCase(Locale.ROOT).startsWith("host:"))) {
        lines.add("Host: " + URI.create(asked.absolute()).getAuthority());
      }
      boolean content = Set.of("POST", "PUT").contains(asked.method);
      if (content) {
        lines.add("Content-Length: 4");
      }
      if (!asked.method.equals("CONNECT")) {
        lines.add("Connection: close");
      }
      client.send(
          asked.method
              + " "
              + asked.target
              + " HTTP/1.1\r\n"
              + String.join("\r\n", lines)
              + "\r\n\r\n"
              + (content ? "word" : ""));
      boolean tunnel = asked.method.equals("CONNECT");
      int status =
          tunnel
              ? WireMessage.status(client.responseHead())
              : client.responseTo(asked.method).status();
      if (tunnel && status == 200) {
        client.halfClose();
        client.untilClose(); // it is logged before the next request
      }
      return new Outcome(status, ComparedRequests.since(origin, before));
    } catch (IOException e) {
      throw new IOException("no answer to " + asked, e);
    }
  }

  private Path hosts(List<Asked> requests) throws IOException {
    Set<String> names = new TreeSet<>();
    for (Asked asked : requests) {
      if (asked.host().endsWith(".test")) {
        names.add(asked.host());
      }
    }
    Path file =
        Files.writeString(
            dir.resolve("hosts"),
            names.stream().map(name -> "127.0.0.1 " + name + "\n").collect(Collectors.joining()));
    file.toFile().setReadable(true, false);
    return file;
  }

  private String resource(String name) throws IOException {
    try (InputStream in = getClass().getResourceAsStream("beside/" + name + ".conf")) {
      return new String(in.readAllBytes(), UTF_8)
          .replace("{origin}", Integer.toString(origin.port()))
          .replace("{dir}", dir.toString());
    }
  }
}
