package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Two clients and a careless origin, from a seed: an attacker requests a URL in odd ways, and the
 * origin gives its responses a lifetime; a victim's plain GET gets the response to a plain GET,
 * regardless of earlier requests. Both proxies, and responses that stay fresh, that are validated
 * each time, and that are served stale.
 *
 * <p>{@code -Dloligo.poison.seeds=100000} runs longer, {@code -Dloligo.poison.first=} from another
 * seed on. An origin that uses fields like Cookie or User-Agent has to name them in Vary; such
 * fields are not among the odd ones here (docs/caching.md).
 */
class PoisoningWireTest extends WireTest {
  private static final int SEEDS = Integer.getInteger("loligo.poison.seeds", 500);
  private static final int FIRST = Integer.getInteger("loligo.poison.first", 1);
  private static final int GATEWAY = 1;
  private static final List<String> LIFETIMES =
      List.of(
          "max-age=1000",
          "max-age=0",
          "no-cache",
          "public, s-maxage=60",
          "max-age=0, stale-while-revalidate=1000",
          "max-age=0, stale-if-error=1000");
  private static final List<String> STEERING =
      List.of(
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Forwarded-Scheme",
          "X-Forwarded-Port",
          "X-Forwarded-Prefix",
          "X-Forwarded-Server",
          "X-Host",
          "X-Original-Host",
          "X-Original-URL",
          "X-Rewrite-URL",
          "X-URL-Scheme",
          "X-HTTP-Method-Override",
          "X-HTTP-Method",
          "X-Method-Override",
          "X-HTTP-Host-Override",
          "X-Script-Name",
          "Front-End-HTTPS");

  /** Answers that speak of how one request was made, and that are not for others. */
  private static final List<Integer> ERRORS =
      List.of(400, 405, 406, 408, 411, 412, 413, 415, 416, 417, 421, 426, 428, 429, 431, 501, 505);

  private static final List<String> CONDITIONS =
      List.of(
          "Range: bytes=0-2",
          "Range: bytes=2-",
          "Range: bytes=-3",
          "Range: bytes=900-",
          "Range: bytes=0-0,2-2",
          "If-None-Match: \"a\"",
          "If-None-Match: *",
          "If-Match: \"z\"",
          "If-Modified-Since: Sat, 29 Oct 2044 19:43:31 GMT",
          "If-Unmodified-Since: Sat, 29 Oct 1994 19:43:31 GMT",
          "Range: bytes=0-2\r\nIf-Range: \"a\"",
          "Range: bytes=0-2\r\nIf-Range: \"z\"");

  private static final List<String> BROKEN =
      List.of(
          "Content-Length: 5\r\nTransfer-Encoding: chunked",
          "Transfer-Encoding: chunked, identity",
          "Transfer-Encoding:\u000bchunked",
          "Content-Length: +0",
          "Content-Length: 0\r\nContent-Length: 5",
          "Content-Length : 5",
          "X: a\u0000b",
          "X: a\rb",
          "X: a\nb",
          "X: a\r\n b",
          "X a: b",
          ": b",
          "Host: evil.test",
          "X: \u0007",
          "Transfer-Encoding: chunked\r\nX: y\r\n\r\nZ\r\n");

  /** Ends of other targets that origins like to take for the same. */
  private static final List<String> TWISTS =
      List.of(
          "%2f..",
          "/..%2f",
          "%00",
          "%20",
          "?",
          "?x=evil",
          ";evil",
          "/evil.css",
          "%2fevil.css",
          "%3fevil",
          "%23evil",
          "/./",
          "//",
          "%0d%0aevil",
          "\\evil",
          "#evil",
          "..;/",
          "%2e%2e%2f");

  private final Random random = new Random();

  @Test
  void theResponseToAnOddRequestIsNotForOthers() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0",
        "http_port 127.0.0.1:0 accel defaultsite=www.test vhost",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site",
        "acl site dstdomain www.test",
        "cache_peer_access site allow site",
        "cache_peer_access site deny all",
        "always_direct allow !site",
        "negative_ttl 10 minutes");
    origin.otherwise(PoisoningWireTest::careless);
    for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
      random.setSeed(seed);
      String lifetime = pick(LIFETIMES);
      String path = "/" + seed + "/" + lifetime.replaceAll("[^a-z0-9]+", "-");
      List<String> sent = new ArrayList<>();
      boolean gateway = random.nextBoolean();
      for (int step = 2 + random.nextInt(4); step > 0; step--) {
        if (random.nextInt(3) == 0) {
          victim(seed, gateway, path, sent);
        } else {
          attack(gateway, path, sent);
        }
      }
      victim(seed, gateway, path, sent);
    }
  }

  // ---- the victim

  private void victim(int seed, boolean gateway, String path, List<String> before)
      throws IOException {
    before.add("victim");
    try (RawClient client = RawClient.connect(proxy.port(gateway ? GATEWAY : 0))) {
      client.send(start("GET", gateway, path) + "Accept: */*\r\n\r\n");
      WireMessage got = client.response();
      assertThat(got.status()).as("seed %s: %s\n%s", seed, before, got).isEqualTo(200);
      assertThat(got.text()).as("seed %s: %s", seed, before).isEqualTo(good(path));
      assertThat(got.head()).as("seed %s: %s", seed, before).doesNotContain("evil", "poison");
    }
  }

  private static String good(String path) {
    return "good " + path;
  }

  private String start(String method, boolean gateway, String path) {
    return gateway
        ? method + " " + path + " HTTP/1.1\r\nHost: www.test\r\n"
        : method + " " + origin.url(path) + " HTTP/1.1\r\nHost: " + origin.authority() + "\r\n";
  }

  // ---- the attacker

  private void attack(boolean gateway, String path, List<String> sent) throws IOException {
    String method = random.nextInt(6) == 0 ? "HEAD" : "GET";
    String request = request(method, gateway, path);
    sent.add(request.length() > 300 ? request.substring(0, 300) + "..." : request);
    try (RawClient client = RawClient.connect(proxy.port(gateway ? GATEWAY : 0))) {
      client.sendIgnoringReset(request.getBytes(ISO_8859_1));
      if (random.nextInt(8) != 0) {
        client.responseTo(request.split(" ", 2)[0]);
      }
    } catch (IOException refusedOrCut) {
      // any response to the attacker is fine
      sent.add(String.valueOf(refusedOrCut.getMessage()));
    }
  }

  private String request(String method, boolean gateway, String path) {
    String start = start(method, gateway, path);
    String steering = random.nextBoolean() ? odd(pick(STEERING)) + ": evil" + "\r\n" : "";
    return switch (random.nextInt(12)) {
      case 0, 1 -> start + odd(pick(STEERING)) + ": evil.test\r\n\r\n";
      case 2 -> start + steering + pick(CONDITIONS) + "\r\n\r\n";
      case 3 ->
          start + "X-Oversize: evil" + "e".repeat(9_000 + random.nextInt(30_000)) + "\r\n\r\n";
      case 4 -> start + "X-Meta: evil\u00e9\u00ff\u0080\r\n\r\n";
      case 5 -> {
        String content = "evil=1";
        yield random.nextBoolean()
            ? start + "Content-Length: " + content.length() + "\r\n\r\n" + content
            : start
                + "Transfer-Encoding: chunked\r\n\r\n6\r\n"
                + content
                + "\r\n0\r\nX: evil\r\n\r\n";
      }
      case 6 -> {
        String other = pick(List.of("POST", "PUT", "OPTIONS", "EVIL", "PATCH", "get", "TRACE"));
        yield start(other, gateway, path) + steering + "Content-Length: 0\r\n\r\n";
      }
      case 7 -> start + pick(BROKEN) + "\r\n\r\nGET /evil HTTP/1.1\r\nHost: evil.test\r\n\r\n";
      case 8 -> start(method, gateway, path + pick(TWISTS)) + steering + "\r\n";
      case 9 -> start + "Accept-Encoding: " + pick(List.of("br", "gzip", "evil")) + "\r\n\r\n";
      case 10 -> start + "Connection: X-Key, close\r\nX-Key: 1\r\n" + steering + "\r\n";
      default -> {
        String lines =
            pick(List.of("Expect: evil", "TE: evil", "Upgrade: evil", "Forwarded: host=evil"));
        yield start.replaceFirst("HTTP/1.1", random.nextBoolean() ? "HTTP/1.1" : "HTTP/1.0")
            + lines
            + "\r\nConnection: upgrade\r\n\r\n";
      }
    };
  }

  /** The same name, as no other program would write it. */
  private String odd(String name) {
    Function<String, String> spelling =
        pick(
            List.<Function<String, String>>of(
                s -> s, s -> s.toLowerCase(Locale.ROOT), s -> s.toUpperCase(Locale.ROOT)));
    return spelling.apply(name);
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  // ---- the origin

  /** Gives each response a lifetime, and never names the fields it used. */
  private static void careless(ScriptedOrigin.Call call) throws IOException {
    String[] start = call.head().split(" ", 3);
    boolean content = call.whole().body().length > 0;
    String fresh = "Cache-Control: max-age=1000";
    String lower = call.head().toLowerCase(Locale.ROOT);
    int choice = Math.floorMod(call.head().hashCode(), ERRORS.size());
    if (call.field("X-Oversize") != null || call.field("X-Meta") != null) {
      call.send(ScriptedOrigin.response(ERRORS.get(choice) + " Odd", "poison", fresh));
    } else if (call.field("Accept-Encoding") != null) {
      call.ok("poison", fresh, "Content-Encoding: " + call.field("Accept-Encoding"));
    } else if (lower.contains("evil") || content || call.field("X-Key") != null) {
      steered(call, fresh, choice);
    } else if (start[0].equals("GET") || start[0].equals("HEAD")) {
      plain(call, start[1], start[0].equals("HEAD"));
    } else {
      call.ok("poison", fresh);
    }
  }

  private static void steered(ScriptedOrigin.Call call, String fresh, int choice)
      throws IOException {
    String tag = "ETag: \"a\"";
    switch (choice % 4) {
      case 0 -> call.ok("poison", fresh, tag);
      case 1 -> call.send(ScriptedOrigin.response("301 M", "poison", fresh, "Location: //evil/"));
      case 2 -> call.send(ScriptedOrigin.response("404 No", "poison", fresh));
      default -> {
        boolean asks = call.field("If-None-Match") != null;
        call.send(
            asks
                ? "HTTP/1.1 304 N\r\n" + fresh + "\r\n" + tag + "\r\nLink: <evil>\r\n\r\n"
                : ScriptedOrigin.response("200 OK", "poison", fresh, tag, "Link: <evil>"));
      }
    }
  }

  /** An honest answer, conditions and ranges included. */
  private static void plain(ScriptedOrigin.Call call, String target, boolean head)
      throws IOException {
    String text = good(target);
    String tag = "ETag: \"a\"";
    String lifetime =
        LIFETIMES.stream()
            .filter(each -> target.endsWith("/" + each.replaceAll("[^a-z0-9]+", "-")))
            .findFirst()
            .orElse("max-age=1000");
    String fresh = "Cache-Control: " + lifetime;
    String range = call.field("Range");
    if (call.field("If-Match") != null || call.field("If-Unmodified-Since") != null) {
      call.send(ScriptedOrigin.response("412 Failed", "", fresh, tag));
    } else if (call.field("If-None-Match") != null || call.field("If-Modified-Since") != null) {
      call.send("HTTP/1.1 304 Not Modified\r\n" + fresh + "\r\n" + tag + "\r\n\r\n");
    } else if (range == null || range.contains(",") || "\"z\"".equals(call.field("If-Range"))) {
      String whole = ScriptedOrigin.response("200 OK", text, fresh, tag);
      call.send(head ? whole.substring(0, whole.length() - text.length()) : whole);
    } else {
      part(call, text, range.substring(6).split("-", -1), fresh, tag, head);
    }
  }

  private static void part(
      ScriptedOrigin.Call call, String text, String[] range, String fresh, String tag, boolean head)
      throws IOException {
    int length = text.length();
    int first =
        range[0].isEmpty() ? length - Integer.parseInt(range[1]) : Integer.parseInt(range[0]);
    int last =
        range[0].isEmpty() || range[1].isEmpty()
            ? length - 1
            : Math.min(length - 1, Integer.parseInt(range[1]));
    if (first >= length) {
      String line = "Content-Range: bytes */" + length;
      call.send(ScriptedOrigin.response("416 Range", "", fresh, line));
      return;
    }
    String piece = text.substring(first, last + 1);
    String line = "Content-Range: bytes " + first + "-" + last + "/" + length;
    String whole = ScriptedOrigin.response("206 Part", piece, fresh, tag, line);
    call.send(head ? whole.substring(0, whole.length() - piece.length()) : whole);
  }
}
