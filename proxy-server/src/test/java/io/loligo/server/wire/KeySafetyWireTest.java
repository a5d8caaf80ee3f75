package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Two clients: the requests of one, however odd, never change the responses of the other. The
 * origin is as careless as real ones: it gives everything a lifetime and names nothing in Vary.
 */
class KeySafetyWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  /** Each is sent by the attacker; the origin obeys it. */
  private static final List<String> STEERING =
      List.of(
          "X-Forwarded-Host: evil.test",
          "X-Forwarded-Proto: evil",
          "X-Forwarded-Scheme: evil",
          "X-Forwarded-Port: 1;evil",
          "X-Forwarded-Prefix: /evil",
          "X-Forwarded-Server: evil.test",
          "X-Forwarded-SSL: evil",
          "X-Host: evil.test",
          "X-Original-Host: evil.test",
          "X-Original-URL: /evil",
          "X-Rewrite-URL: /evil",
          "X-URL-Scheme: evil",
          "x-forwarded-HOST: evil.test",
          "X-HTTP-Method-Override: EVIL",
          "X-HTTP-Method: EVIL",
          "X-Method-Override: EVIL",
          "Front-End-HTTPS: evil",
          "Forwarded: for=192.0.2.1;host=evil.test",
          "Forwarded: proto=evil",
          "Forwarded: for=192.0.2.1; Host = evil.test",
          "Forwarded: proto\t=\tevil",
          "X_Forwarded_Host: evil.test",
          "x_forwarded-proto: evil",
          "X_REWRITE_URL: /evil",
          "X-Original-URI: /evil",
          "X-Forwarded-URI: /evil",
          "X-Forwarded-Proto-Version: evil",
          "X-Forward-Host: evil.test",
          "X-Forward-Proto: evil",
          "X-Scheme: evil",
          "X-HTTPS: evil",
          "X-Envoy-Original-Path: /evil",
          "Base-Url: /evil",
          "Request-URI: /evil",
          "Fastly-Host: evil.test",
          "CloudFront-Forwarded-Proto: evil",
          "CF-Visitor: evil",
          "X-Amz-Website-Redirect-Location: /evil",
          "X-HTTP-Path-Override: /evil",
          "X-Middleware-Prefetch: evil",
          "X-Middleware-Subrequest: evil",
          "X-Invoke-Status: evil",
          "X-Invoke-Path: /evil",
          "X-Now-Route-Matches: evil",
          "X-React-Router-SPA-Mode: evil",
          "X-Nuxt-No-SSR: evil",
          "RSC: evil",
          "Translate: evil",
          "URL: /evil",
          "X-Forwarded-Host: good.test\r\nX-Forwarded-Host: evil.test");

  /** An answer that depends on whether "evil" is anywhere in the request. */
  private void answerByWhatTheRequestSays() {
    origin.otherwise(
        call -> {
          boolean evil = call.head().toLowerCase(Locale.ROOT).contains("evil");
          evil |= call.whole().text().contains("evil");
          call.ok(evil ? "poisoned" : "good", FRESH);
        });
  }

  @Test
  void fieldsThatSteerTheOriginChangeNothingForOthers() throws Exception {
    startProxy();
    answerByWhatTheRequestSays();
    for (int i = 0; i < STEERING.size(); i++) {
      String line = STEERING.get(i);
      assertThat(get("/steer/" + i, line).text()).as(line).isEqualTo("poisoned");
      WireMessage others = get("/steer/" + i);
      assertThat(others.text()).as(line).isEqualTo("good");
      assertHit(get("/steer/" + i));
    }
  }

  /** A 304, or a response to HEAD, would bring its fields into the response stored for all. */
  @Test
  void fieldsThatSteerTheOriginUpdateNothingForOthers() throws Exception {
    startProxy();
    origin.otherwise(
        call -> {
          String[] lines = {
            FRESH, "ETag: \"a\"", "Link: " + (call.head().contains("evil") ? "evil" : "good")
          };
          boolean head = call.head().startsWith("HEAD");
          if (call.field("If-None-Match") != null) {
            call.send("HTTP/1.1 304 Not Modified\r\n" + String.join("\r\n", lines) + "\r\n\r\n");
          } else {
            call.send(
                ScriptedOrigin.response("200 OK", head ? "" : "good", lines)
                    .replace("Length: 0", "Length: 4"));
          }
        });
    get("/update");
    String[] attack = {"X-Forwarded-Host: evil.test", "Cache-Control: no-cache"};
    get("/update", attack);
    exchange("HEAD", "/update", attack);
    get(
        "/update",
        "X-Forwarded-Host: evil.test",
        "If-None-Match: \"a\"",
        "Cache-Control: max-age=0");
    WireMessage others = get("/update");
    assertHit(others);
    assertThat(others.field("Link")).isEqualTo("good");
  }

  /**
   * An origin that gives the same tag to responses that a field selected must not cause a mixture.
   */
  @Test
  void fieldsThatSteerTheOriginCompleteNothingOfOthers() throws Exception {
    startProxy();
    origin.otherwise(
        call -> {
          String content = call.head().contains("evil") ? "poison" : "health";
          String range = call.field("Range");
          if (range == null) {
            call.ok(content, FRESH, "ETag: \"a\"");
            return;
          }
          int first = range.charAt(6) - '0';
          int last = range.charAt(8) - '0';
          call.send(
              ScriptedOrigin.response(
                  "206 Part",
                  content.substring(first, last + 1),
                  FRESH,
                  "ETag: \"a\"",
                  "Content-Range: bytes " + first + "-" + last + "/6"));
        });
    String steering = "X-Forwarded-Host: evil.test";
    assertThat(get("/mixed/1", "Range: bytes=0-2").text()).isEqualTo("hea");
    assertThat(get("/mixed/1", steering).text()).isEqualTo("poison");
    assertThat(get("/mixed/1").text()).isEqualTo("health");
    assertThat(get("/mixed/2", steering, "Range: bytes=0-2").text()).isEqualTo("poi");
    assertThat(get("/mixed/2").text()).isEqualTo("health");
    assertThat(get("/mixed/2", "Range: bytes=0-2").text()).isEqualTo("hea");
  }

  /**
   * An origin that does not expect content of GET takes it for the next request, and its response
   * would go to the next client of the connection.
   */
  @Test
  void contentOfAGetIsNotTakenForARequest() throws Exception {
    startProxy("loligo_event_loops 1");
    try (ServerSocket careless = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread serving =
          new Thread(
              () -> {
                while (!careless.isClosed()) {
                  try (Socket connection = careless.accept()) {
                    answerEveryHead(connection);
                  } catch (IOException e) {
                    break; // the test is over
                  }
                }
              });
      serving.start();
      String url = "http://127.0.0.1:" + careless.getLocalPort();
      String smuggled = "GET /evil HTTP/1.1\r\nHost: x\r\nX: ";
      String[] lines = {"Content-Length: " + smuggled.length()};
      RawClient attacker = client();
      attacker.send(RawClient.head("GET", url + "/a", lines) + smuggled);
      assertThat(attacker.response().text()).isEqualTo("/a");
      for (int i = 0; i < 3; i++) {
        assertThat(client().get(url + "/good" + i).response().text()).isEqualTo("/good" + i);
      }
    }
  }

  /** One answer for each head, and content is none of its business. */
  private static void answerEveryHead(Socket connection) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(connection.getInputStream(), ISO_8859_1));
    String first = in.readLine();
    while (first != null) {
      boolean closes = false;
      for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
        closes |= line.equalsIgnoreCase("Connection: close");
      }
      String path = first.substring(first.indexOf(' ') + 1, first.lastIndexOf(' '));
      connection
          .getOutputStream()
          .write(ScriptedOrigin.response("200 OK", path, FRESH).getBytes(ISO_8859_1));
      if (closes) {
        connection.shutdownOutput();
        in.transferTo(Writer.nullWriter());
        return;
      }
      first = in.readLine();
    }
  }

  /** A front proxy says the same of every request. */
  @Test
  void fieldsThatAllRequestsHaveStopNoSharing() throws Exception {
    startProxy();
    answerByWhatTheRequestSays();
    String[] lines = {"X-Forwarded-Host: www.test", "X-Forwarded-Proto: https"};
    get("/front", lines);
    assertHit(get("/front", lines));
  }

  @Test
  void aWaiterDoesNotGetAResponseChosenByASteeringField() throws Exception {
    startProxy();
    CountDownLatch release = new CountDownLatch(1);
    origin.onOk("/barrier", "x");
    origin.on(
        "/wait",
        call -> {
          boolean evil = call.head().contains("evil");
          if (evil) {
            await(release);
          }
          call.ok(evil ? "poisoned" : "good", FRESH);
        });
    RawClient attacker = client().get(origin.url("/wait"), "X-Forwarded-Host: evil.test");
    origin.awaitRequest("/wait");
    RawClient victim = client().get(origin.url("/wait"));
    get("/barrier");
    release.countDown();
    assertThat(attacker.response().text()).isEqualTo("poisoned");
    assertThat(victim.response().text()).isEqualTo("good");
  }

  @Test
  void aCodingWithoutVaryIsForRequestsThatAcceptIt() throws Exception {
    startProxy();
    origin.on(
        "/coded",
        call -> {
          if ("br".equals(call.field("Accept-Encoding"))) {
            call.ok("squeezed", FRESH, "Content-Encoding: br");
          } else {
            call.ok("plain", FRESH);
          }
        });
    assertThat(get("/coded", "Accept-Encoding: br").text()).isEqualTo("squeezed");
    assertThat(get("/coded").text()).isEqualTo("plain");
  }

  @Test
  void fieldsThatConnectionTakesAwayChangeNothingForOthers() throws Exception {
    startProxy();
    origin.otherwise(
        call -> call.ok(call.field("X-Key") == null ? "poisoned" : "good", FRESH, "Vary: X-Key"));
    for (String connection : List.of("X-Key", "close, x-key", "keep-alive,X-KEY")) {
      String path = "/taken/" + connection.length();
      String[] attack = {"X-Key: 1", "Connection: " + connection};
      assertThat(get(path, attack).text()).isEqualTo("poisoned");
      assertThat(get(path, "X-Key: 1").text()).as(connection).isEqualTo("good");
    }
  }

  @Test
  void contentOfAGetChangesNothingForOthers() throws Exception {
    startProxy();
    answerByWhatTheRequestSays();
    assertThat(send("GET", "/fat/1", "evil").text()).isEqualTo("poisoned");
    assertThat(get("/fat/1").text()).isEqualTo("good");
    String head = RawClient.head("GET", origin.url("/fat/2"), "Transfer-Encoding: chunked");
    assertThat(client().send(head + "4\r\nevil\r\n0\r\n\r\n").response().text())
        .isEqualTo("poisoned");
    assertThat(get("/fat/2").text()).isEqualTo("good");
    assertThat(send("GET", "/fat/2", "evil").text())
        .as("nor is it answered by it")
        .isEqualTo("poisoned");
  }

  /** Answers with the status that X-Odd-Method names, and with 200 without it, fresh for long. */
  private void oddRequestsMeetErrors() {
    origin.otherwise(
        call -> {
          String status = call.field("X-Odd-Method");
          if (status == null) {
            call.ok("good", FRESH);
          } else {
            call.send(ScriptedOrigin.response(status + " Odd", "odd", FRESH));
          }
        });
  }

  /** However long the origin says that they last. */
  @Test
  void errorsThatHangOnOneRequestAreNotForOthers() throws Exception {
    startProxy("negative_ttl 10 minutes");
    oddRequestsMeetErrors();
    for (int status :
        List.of(
            400, 402, 405, 406, 408, 409, 411, 412, 413, 415, 416, 417, 418, 421, 422, 423, 424,
            425, 426, 428, 429, 431, 501, 505, 506, 507, 508, 510, 511)) {
      assertThat(get("/error/" + status, "X-Odd-Method: " + status).status()).isEqualTo(status);
      assertThat(get("/error/" + status).text()).as("%s", status).isEqualTo("good");
    }
  }

  @Test
  void errorsThatMayHangOnOneRequestAreForTheSame() throws Exception {
    startProxy();
    oddRequestsMeetErrors();
    for (int status :
        List.of(
            400, 402, 405, 406, 409, 411, 413, 415, 418, 422, 423, 424, 501, 505, 506, 507, 508,
            510)) {
      String path = "/error/" + status;
      String odd = "X-Odd-Method: " + status;
      get(path, odd);
      assertThat(get(path, odd).status()).isEqualTo(status);
      assertThat(origin.fetches(path)).isEqualTo(1);
      assertThat(get(path).text()).as("%s", status).isEqualTo("good");
      assertThat(get(path, odd).text()).as("the whole resource stands now").isEqualTo("good");
      assertThat(origin.fetches(path)).isEqualTo(2);
    }
  }

  /** An origin with a limit of 8 KB answers a larger request as it likes. */
  @Test
  void errorsThatAnswerOversizeRequestsAreNotForOthers() throws Exception {
    startProxy("negative_ttl 10 minutes");
    oddRequestsMeetErrors();
    String large = "Accept-Language: " + "x".repeat(8_192);
    for (int status : List.of(403, 404, 410, 500, 502, 503, 504, 599)) {
      String path = "/large/" + status;
      assertThat(get(path, "X-Odd-Method: " + status, large).status()).isEqualTo(status);
      assertThat(get(path).text()).as("%s", status).isEqualTo("good");
      assertThat(get(path + "/small", "X-Odd-Method: " + status).status()).isEqualTo(status);
      assertThat(get(path + "/small").status()).as("of an ordinary request").isEqualTo(status);
    }
  }

  @Test
  void partsAndConditionsOfOneAreNotForOthers() throws Exception {
    startProxy();
    origin.otherwise(
        call -> {
          String head = call.head();
          String tag = "ETag: \"a\"";
          if (head.contains("Range: bytes=99-")) {
            call.send(ScriptedOrigin.response("416 Range", "", FRESH, "Content-Range: bytes */5"));
          } else if (head.contains("Range: ")) {
            call.send(
                ScriptedOrigin.response(
                    "206 Partial", "w", FRESH, tag, "Content-Range: bytes 0-0/5"));
          } else if (head.contains("If-Match") || head.contains("If-Unmodified-Since")) {
            call.send(ScriptedOrigin.response("412 Failed", "", FRESH, tag));
          } else if (head.contains("If-")) {
            call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\n" + tag + "\r\n\r\n");
          } else {
            call.ok("whole", FRESH, tag);
          }
        });
    List<String> attacks =
        List.of(
            "Range: bytes=0-0",
            "Range: bytes=99-",
            "If-None-Match: \"a\"",
            "If-Modified-Since: Sat, 29 Oct 2044 19:43:31 GMT",
            "If-Match: \"b\"",
            "If-Unmodified-Since: Sat, 29 Oct 1994 19:43:31 GMT",
            "Range: bytes=0-0\r\nIf-Range: \"a\"");
    for (int i = 0; i < attacks.size(); i++) {
      get("/part/" + i, attacks.get(i));
      WireMessage others = get("/part/" + i);
      assertThat(others.status()).as(attacks.get(i)).isEqualTo(200);
      assertThat(others.text()).isEqualTo("whole");
    }
  }

  /** Targets that an origin may treat as equal, or not. */
  private static final List<String> TARGETS =
      List.of(
          "/a",
          "/A",
          "/a/",
          "//a",
          "/./a",
          "/b/../a",
          "/b/..%2fa",
          "/%61",
          "/%2561",
          "/a/b",
          "/a%2Fb",
          "/a%2fb",
          "/a%5Cb",
          "/a;x=1",
          "/a;X=1",
          "/a;",
          "/a?",
          "/a?x=1",
          "/a?x=1&y=2",
          "/a?y=2&x=1",
          "/a?x=%31",
          "/a%3Fx=1",
          "/a%23x",
          "/a%00",
          "/a%20",
          "/a+",
          "/a.css",
          "/a/x.css",
          "/a%2Fx.css",
          "/a;x.css",
          "/%2e%2e/a",
          "/%2E%2E/a",
          "/a?utm_source=x",
          "/");

  /** These need not be served, but where they are they are nothing else. */
  private static final List<String> ODD_TARGETS =
      List.of("/a\\b", "/a\"b", "/a<b", "/a{b", "/a|b", "/a^b", "/a`b", "/a%", "/a%zz", "/a\u00e9");

  @Test
  void theKeyIsTheForwardedUrl() throws Exception {
    startProxy();
    origin.otherwise(
        call -> call.ok(call.head().substring(0, call.head().indexOf(" HTTP/")), FRESH));
    List<String> targets = new ArrayList<>(TARGETS);
    targets.addAll(ODD_TARGETS);
    for (int round = 0; round < 3; round++) {
      Collections.shuffle(targets, new Random(round));
      for (String target : targets) {
        WireMessage response = get(target);
        if (response.status() == 400) {
          assertThat(ODD_TARGETS).contains(target);
        } else {
          assertThat(response.text()).isEqualTo("GET " + target);
        }
      }
    }
    for (String target : TARGETS) {
      assertThat(origin.fetches(target)).as(target).isEqualTo(1);
    }
  }

  @Test
  void fragmentsAndUserinfoAreNeverPartOfTheKey() throws Exception {
    startProxy();
    answerByWhatTheRequestSays();
    assertThat(client().get(origin.url("/f#evil")).response().status()).isEqualTo(400);
    assertThat(get("/f").text()).isEqualTo("good");
    String url = origin.url("/f").replace("://", "://evil:pw@");
    assertThat(client().send("GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n").response().text())
        .isEqualTo("good");
    assertThat(origin.fetches("/f")).isEqualTo(1);
  }

  /** Request line and fields, and the site that the origin is to be asked for; 400: refused. */
  private static final String[][] SITES = {
    {"GET /h HTTP/1.1\r\nHost: a.test", "a.test"},
    {"GET /h HTTP/1.1\r\nHost: A.TEST", "a.test"},
    {"GET /h HTTP/1.1\r\nHost: a.test:80", "a.test"},
    {"GET http://a.test/h HTTP/1.1\r\nHost: evil.test", "a.test"},
    {"GET http://A.test:80/h HTTP/1.1\r\nHost: evil.test", "a.test"},
    {"GET /h HTTP/1.1\r\nHost: a.test\r\nHost: evil.test", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test\r\nHost: a.test", "400"},
    {"GET /h HTTP/1.1\r\nHost : a.test", "400"},
    {"GET /h HTTP/1.1\r\n Host: a.test", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test, evil.test", "400"},
    {"GET /h HTTP/1.1\r\nHost: evil@a.test", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test/evil", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test?evil", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test#evil", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test:evil", "400"},
    {"GET /h HTTP/1.1\r\nHost: a.test:99999", "400"},
    {"GET http://evil@a.test/h HTTP/1.1\r\nHost: a.test", "a.test"},
    {"GET /h HTTP/1.1\r\nHost: b.test", "b.test"},
    {"GET /h HTTP/1.1\r\nHost: a.test", "a.test"},
  };

  @Test
  void theSiteIsTheSameForKeyAndOrigin() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.test vhost",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site");
    origin.otherwise(call -> call.ok(call.field("Host"), FRESH));
    for (String[] site : SITES) {
      WireMessage response = client().send(site[0] + "\r\n\r\n").response();
      if (site[1].equals("400")) {
        assertThat(response.status()).as(site[0]).isEqualTo(400);
      } else {
        assertThat(response.text()).as(site[0]).isEqualTo(site[1]);
      }
    }
    assertThat(origin.requests()).as("one fetch for each site").hasSize(2);
  }

  /** A name does not make a response storable: only the origin's fields do. */
  @Test
  void decidesNothingByExtension() throws Exception {
    startProxy();
    origin.otherwise(
        call ->
            call.ok("mine", call.head().contains("private") ? "Cache-Control: private" : "X: y"));
    for (String path :
        List.of("/account", "/account/x.css", "/account.php/logo.png", "/private/x.js")) {
      get(path);
      assertForwarded(get(path), "uri-miss");
    }
  }
}
