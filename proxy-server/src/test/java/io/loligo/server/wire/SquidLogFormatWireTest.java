package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Codes of {@code logformat}, as Squid and this proxy write them about the same requests. */
class SquidLogFormatWireTest extends WireTest {
  /**
   * Left out are times, the sizes of heads that each proxy writes itself, and codes that
   * docs/reference/differences.md lists.
   */
  private static final List<String> CODES =
      List.of(
          "%Ss",
          "%Sh",
          "%err_code",
          "%err_detail",
          "%note",
          "%{mark_}note",
          "%{mark_:;}note",
          "%>a",
          "%>la",
          "%la",
          "%<a",
          "%<A",
          "%<p",
          "%<la",
          "%>qos",
          "%<qos",
          "%>nfmark",
          "%<nfmark",
          "%>handshake",
          "%et",
          "%ea",
          "%un",
          "%ul",
          "%ue",
          "%ui",
          "%credentials",
          "%rm",
          "%>rm",
          "%<rm",
          "%ru",
          "%>ru",
          "%<ru",
          "%>rs",
          "%<rs",
          "%>rd",
          "%<rd",
          "%>rP",
          "%<rP",
          "%rp",
          "%>rp",
          "%<rp",
          "%rv",
          "%>rv",
          "%{User-Agent}>h",
          "%{X-List:b}>h",
          "%{X-List:;b}>h",
          "%{X-A}>ha",
          "%{None}>h",
          "%<Hs",
          "%>Hs",
          "%03>Hs",
          "%{Content-Type}<h",
          "%{X-Reply}<h",
          "%mt",
          "%>st",
          "%>sh",
          "%<bs",
          "%<sH",
          "%<sS",
          "%proxy_protocol::>h",
          "%adapt::sum_trs",
          "%adapt::all_trs",
          "%adapt::<last_h",
          "%10rm",
          "%-10rm",
          "%010>Hs",
          "%.2rm",
          "%-6.2rm",
          "%\"{User-Agent}>h",
          "%[{User-Agent}>h",
          "%#{User-Agent}>h",
          "%/{User-Agent}>h",
          "%'{User-Agent}>h",
          "%{%Y}tl",
          "%http::rm");

  private static final String SEPARATOR = "~~";

  /** Codes about a response that comes from the proxy itself, whose pages are its own. */
  private static final Set<String> OF_ITS_OWN =
      Set.of("%err_detail", "%{Content-Type}<h", "%<sH", "%<sS", "%<la", "%<qos", "%<nfmark");

  /** Codes of fields that hits do not have. */
  private static final Set<String> NOT_OF_HITS = Set.of("%{Content-Type}<h", "%{X-Reply}<h");

  private List<String> lines(String helper) {
    return List.of(
        "logformat codes " + String.join(SEPARATOR, CODES),
        "external_acl_type t ttl=0 children-max=1 %PATH " + helper,
        "acl tagged external t",
        "acl bad urlpath_regex ^/denied",
        "acl here dstdomain 127.0.0.1",
        "http_access deny bad",
        "http_access deny !tagged",
        "http_access allow all",
        "dns_nameservers 127.0.0.1",
        "strip_query_terms off");
  }

  private record Asked(String method, String url, String... fields) {}

  @Test
  void writesWhatSquidWrites() throws Exception {
    HelperScript helper =
        HelperScript.write(
            dir,
            "tagger",
            /* channels= */ false,
            "*tagged*) echo 'OK user=jim tag=t1 log=l%201 mark_=m1 mark_=m2' ;;",
            "*) echo OK ;;");
    String now = DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC));
    origin.otherwise(
        call -> {
          call.whole();
          boolean missing = call.head().contains("/missing");
          call.send(
              ScriptedOrigin.response(
                  missing ? "404 Not Found" : "200 OK",
                  call.head().startsWith("HEAD") ? "" : "content",
                  "Date: " + now,
                  "Last-Modified: Mon, 01 Jun 2026 12:00:00 GMT",
                  "Cache-Control: max-age=600",
                  "X-Reply: a b",
                  "Content-Type: text/plain; charset=utf-8"));
        });
    String agent = "User-Agent: Odd \"q\" [b] \\back 100% ~";
    int closed = ProxyProcess.freePort();
    List<Asked> requests =
        List.of(
            new Asked("GET", origin.url("/a?b=c"), agent, "X-List: a=1, b=2; b=3", "X-A: x y"),
            new Asked("GET", origin.url("/a?b=c"), agent),
            new Asked("HEAD", origin.url("/head")),
            new Asked("POST", origin.url("/post"), "Content-Length: 4"),
            new Asked("GET", origin.url("/tagged")),
            new Asked("GET", origin.url("/missing")),
            new Asked("GET", origin.url("/denied?x=y"), agent),
            new Asked("GET", "http://127.0.0.1:" + closed + "/refused"),
            new Asked("OPTIONS", origin.url("/options")));
    List<String> ours = new ArrayList<>();
    startProxy(
        with(lines(helper.path()), "access_log stdio:" + dir.resolve("access.log") + " codes"));
    for (Asked asked : requests) {
      ask(proxy.port(), asked);
    }
    ours.addAll(stopAndReadLog());
    int port = ProxyProcess.freePort();
    List<String> squidLines =
        List.of(with(lines(helper.path()), "access_log stdio:" + squidLog() + " codes"));
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), squidLines)) {
      squid.awaitPort(port);
      for (Asked asked : requests) {
        ask(port, asked);
      }
    }
    List<String> theirs =
        Files.readAllLines(dir.resolve("squid").resolve("codes.log"), ISO_8859_1).stream()
            .filter(line -> !line.startsWith("NONE_NONE" + SEPARATOR))
            .collect(Collectors.toList());
    assertThat(table(requests, ours)).isEqualTo(table(requests, theirs));
  }

  private String squidLog() {
    return dir.resolve("squid").resolve("codes.log").toString();
  }

  private static String[] with(List<String> lines, String more) {
    List<String> all = new ArrayList<>(lines);
    all.add(more);
    return all.toArray(String[]::new);
  }

  /** One row for each request and code. */
  private static String table(List<Asked> requests, List<String> log) {
    StringBuilder table = new StringBuilder();
    for (int i = 0; i < requests.size(); i++) {
      String[] values = log.get(i).split(SEPARATOR, -1);
      boolean own = requests.get(i).url.matches(".*/(denied|refused).*");
      boolean hit = values[0].contains("HIT");
      for (int j = 0; j < CODES.size(); j++) {
        if ((own && OF_ITS_OWN.contains(CODES.get(j)))
            || (hit && NOT_OF_HITS.contains(CODES.get(j)))) {
          continue;
        }
        table
            .append(requests.get(i).method)
            .append(' ')
            .append(URI.create(requests.get(i).url).getPath())
            .append(' ')
            .append(CODES.get(j))
            .append(' ')
            .append(j < values.length ? values[j] : "missing")
            .append('\n');
      }
    }
    return table.toString();
  }

  private void ask(int port, Asked asked) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      List<String> fields = new ArrayList<>(List.of(asked.fields));
      fields.add("Connection: close");
      String head = RawClient.head(asked.method, asked.url, fields.toArray(String[]::new));
      String content = asked.method.equals("POST") ? "word" : "";
      client.send(head + content).responseTo(asked.method);
    }
  }
}
