package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An ICAP scanner behind Squid and behind this proxy: the same answers to clients, the same fields
 * and content at the origin and at the service, the same codes in the log. Skipped, visibly, where
 * Squid is not installed.
 */
class IcapBesideSquidTest extends WireTest {
  /** Both proxies write these as they like. */
  private static final Set<String> OWN_FIELDS =
      Set.of(
          "via",
          "cache-control",
          "connection",
          "date",
          "host",
          "allow",
          "x-forwarded-for",
          "surrogate-capability",
          "encapsulated");

  private ScriptedIcap icap;
  private ScriptedIcap broken;

  /** A port that nobody listens on. */
  private final int closed = ProxyProcess.freePort();

  private record Asked(String method, String path, String content) {}

  private record Seen(String client, List<String> origin, List<String> services, String log) {}

  @BeforeEach
  void serve() throws Exception {
    icap = closing(ScriptedIcap.start());
    broken = closing(ScriptedIcap.start());
    String options =
        "Preview: 8\r\nTransfer-Preview: *\r\nAllow: 204, 206\r\nOptions-TTL: 3600\r\n";
    icap.options(options).on(this::answer);
    broken.on(
        call -> {
          call.readChunks();
          call.send("ICAP/1.0 500 Broken\r\nConnection: close\r\n\r\n");
          call.close();
        });
    origin.otherwise(
        call -> {
          String content = call.whole().text();
          call.ok("content of " + call.head().split(" ", 3)[1] + content, "Content-Type: text/a");
        });
    origin.onOk("/virus", "a long content with a VIRUS in it", "Content-Type: text/plain");
    origin.onOk("/empty", "");
  }

  private void answer(ScriptedIcap.Call call) throws Exception {
    String heads = call.heads();
    String content = call.readChunks();
    if (call.head().startsWith("RESPMOD") && heads.contains("/virus ")) {
      call.send("ICAP/1.0 100 Continue\r\n\r\n");
      content += call.readChunks();
      assertThat(content).contains("VIRUS");
      call.send(ScriptedIcap.response("403 Forbidden", "infected", "Content-Type: text/plain"));
    } else if (call.head().startsWith("RESPMOD") && heads.contains("/marked ")) {
      call.send(ScriptedIcap.response("200 OK", "marked", "X-Mark: 1", "Content-Type: text/plain"));
    } else if (call.head().contains("/req?router ")) {
      call.send(
          "ICAP/1.0 204 No Content\r\nX-Shared: blue\r\n"
              + "X-Next-Services: second, nobody, scan, scan\r\n\r\n");
    } else if (call.head().startsWith("RESPMOD") && heads.contains("/partial ")) {
      call.send(partial(ScriptedIcap.response("200 OK", "[", "Content-Type: text/plain"), 5));
    } else if (call.head().startsWith("REQMOD") && heads.contains("/partform ")) {
      String head = heads.replaceAll("Content-Length: \\d+\r\n", "");
      call.send(partial(ScriptedIcap.adapted("req", head, "["), 2));
    } else if (call.head().startsWith("REQMOD") && heads.contains("/blocked ")) {
      call.send(
          ScriptedIcap.response(
              "403 Forbidden", "blocked", "Content-Length: 7", "Content-Type: text/plain"));
    } else if (call.head().startsWith("REQMOD") && heads.contains("/moved ")) {
      String head = heads.replace("/moved ", "/target ").replace("X-Own: 1", "X-New: 2");
      call.send(ScriptedIcap.adapted("req", head, null));
    } else if (call.head().startsWith("REQMOD") && heads.contains("/form ")) {
      String head = heads.replaceAll("Content-Length: \\d+\r\n", "");
      if (!call.ieof()) {
        call.send("ICAP/1.0 100 Continue\r\n\r\n");
        content += call.readChunks();
      }
      call.send(ScriptedIcap.adapted("req", head, "[" + content + "]"));
    } else {
      call.send(ScriptedIcap.NO_CONTENT);
    }
  }

  private static String partial(String whole, int from) {
    return ScriptedIcap.partly(whole, "0; use-original-body=" + from + "\r\n\r\n");
  }

  private List<String> lines(Path folder) {
    return List.of(
        "logformat icap %icap::to %icap::Hs %icap::rm %icap::ru %icap::<service_name %icap::<A"
            + " %icap::<bs %{X-Site}icap::>h %{ISTag}icap::<h %rm %>a %{X-Mark}<h",
        "icap_log stdio:" + folder.resolve("icap.log") + " icap !CONNECT",
        "logformat times %rm %>ru [%adapt::all_trs] [%adapt::sum_trs] [%{scan}adapt::all_trs]"
            + " [%icap::tt] %{ISTag}adapt::<last_h [%{X-Site}note] [%{X-Codes}note]",
        "acl school note X-Site school",
        "access_log stdio:" + folder.resolve("times.log") + " times school",
        "icap_enable on",
        icap.service("filter", "reqmod_precache"),
        icap.service("scan", "respmod_precache"),
        "icap_service router reqmod_precache " + icap.uri("/req?router") + " routing=on",
        "icap_service second reqmod_precache " + icap.uri("/req?second"),
        "adaptation_service_chain routed router filter",
        "acl routed urlpath_regex ^/routed",
        "adaptation_access routed allow routed",
        "adaptation_masterx_shared_names X-Shared",
        "adaptation_meta X-Codes \"%>rm from %>a to %la %un 100%%\" all",
        "icap_service optional respmod_precache bypass=on icap://127.0.0.1:" + closed + "/resp",
        broken.service("essential", "respmod_precache"),
        "icap_service_failure_limit -1",
        "adaptation_send_client_ip on",
        "adaptation_meta X-Site school all",
        "acl optional urlpath_regex ^/optional",
        "acl essential urlpath_regex ^/essential",
        "acl unscanned urlpath_regex ^/unscanned",
        "adaptation_access optional allow optional",
        "adaptation_access essential allow essential",
        "adaptation_access filter allow all",
        "adaptation_access scan deny unscanned",
        "adaptation_access scan allow all",
        "http_access allow all",
        "cache deny all");
  }

  @Test
  void decidesAsSquidDoes() throws Exception {
    List<Asked> requests =
        List.of(
            new Asked("GET", "/plain", null),
            new Asked("HEAD", "/plain", null),
            new Asked("GET", "/empty", null),
            new Asked("GET", "/virus", null),
            new Asked("GET", "/marked", null),
            new Asked("GET", "/partial", null),
            new Asked("POST", "/partform", "short"),
            new Asked("POST", "/partform", "content longer than the preview"),
            new Asked("GET", "/routed", null),
            new Asked("GET", "/unscanned", null),
            new Asked("GET", "/blocked", null),
            new Asked("GET", "/moved", null),
            new Asked("POST", "/plain", "short"),
            new Asked("POST", "/plain", "content longer than the preview"),
            new Asked("POST", "/form", "abc"),
            new Asked("POST", "/form", "content longer than the preview"),
            new Asked("GET", "/optional", null),
            new Asked("GET", "/essential", null));
    int port = ProxyProcess.freePort();
    List<Seen> squids;
    try (ProxyProcess squid =
        SquidProcess.start(
            dir, List.of("http_port 127.0.0.1:" + port), lines(dir.resolve("squid")))) {
      squid.awaitPort(port);
      squids = ask(port, requests);
    }
    startProxy(
        Stream.concat(
                Stream.of("access_log stdio:" + dir.resolve("access.log") + " squid"),
                lines(dir).stream())
            .toArray(String[]::new));
    List<Seen> ours = ask(proxy.port(), requests);
    List<String> squidLog =
        new ArrayList<>(Files.readAllLines(dir.resolve("squid").resolve("access.log"), ISO_8859_1));
    squidLog.removeIf(line -> line.contains(" NONE_NONE/000 ")); // a wait for its port
    assertThat(rows(requests, ours, stopAndReadLog())).isEqualTo(rows(requests, squids, squidLog));
    assertThat(logged(dir)).isEqualTo(logged(dir.resolve("squid")));
  }

  /** The lines about services, without their times, and without a service that is down. */
  private static String logged(Path folder) throws IOException {
    Stream<String> ofMessages =
        Files.readAllLines(folder.resolve("icap.log"), ISO_8859_1).stream()
            .filter(line -> !line.contains(" OPTIONS ") && !line.contains(" optional "))
            .sorted();
    Stream<String> ofExchanges =
        Files.readAllLines(folder.resolve("times.log"), ISO_8859_1).stream()
            .filter(line -> !line.contains("error:") && !line.contains("/optional"))
            .map(line -> line.replaceAll("(?<=[\\[,+])[0-9]+(?=[\\],+])", "N"));
    return Stream.concat(ofMessages, ofExchanges).collect(Collectors.joining("\n"));
  }

  private List<Seen> ask(int port, List<Asked> requests) throws IOException {
    List<Seen> seen = new ArrayList<>();
    for (Asked asked : requests) {
      int before = origin.requests().size();
      int callsBefore = icap.calls().size();
      String length =
          asked.content == null ? "X-Own: 1" : "Content-Length: " + asked.content.length();
      String head =
          RawClient.head(asked.method, origin.url(asked.path), length, "Connection: close");
      WireMessage response;
      try (RawClient client = RawClient.connect(port)) {
        response =
            client
                .send(head + (asked.content == null ? "" : asked.content))
                .responseTo(asked.method);
      } catch (IOException e) {
        throw new IOException("no answer to " + asked, e);
      }
      boolean page = response.status() == 500;
      String client =
          response.status() + " " + response.field("X-Mark") + " " + (page ? "" : response.text());
      List<String> toOrigin =
          origin.requests().stream()
              .skip(before)
              .map(one -> shown(one.head()) + one.text())
              .toList();
      List<String> toServices =
          icap.calls().stream()
              .skip(callsBefore)
              .map(one -> shown(one.head()) + "\n" + shown(one.heads()) + "\n" + one.body())
              .toList();
      seen.add(new Seen(client, toOrigin, toServices, ""));
    }
    return seen;
  }

  private static String shown(String head) {
    return head.lines()
        .filter(line -> !line.isEmpty())
        .filter(line -> !OWN_FIELDS.contains(name(line)))
        .map(line -> name(line).isEmpty() ? line : name(line) + line.substring(line.indexOf(':')))
        .sorted()
        .collect(Collectors.joining("; "));
  }

  private static String name(String line) {
    return line.matches("[A-Za-z-]+: .*")
        ? line.substring(0, line.indexOf(':')).toLowerCase(Locale.ROOT)
        : "";
  }

  private static String rows(List<Asked> requests, List<Seen> seen, List<String> log) {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < requests.size(); i++) {
      String[] words = i < log.size() ? log.get(i).split(" +", -1) : new String[0];
      String code = words.length > 8 ? words[3] + " " + words[8].replaceAll("/.*", "") : "no line";
      Seen one = seen.get(i);
      rows.append(requests.get(i)).append("\n  ").append(one.client).append("\n  ").append(code);
      one.origin.forEach(line -> rows.append("\n  origin ").append(line));
      one.services.forEach(line -> rows.append("\n  service ").append(line));
      rows.append("\n");
    }
    return rows.toString();
  }
}
