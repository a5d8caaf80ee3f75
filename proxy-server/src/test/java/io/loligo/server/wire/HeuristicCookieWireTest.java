package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * If the origin gives no lifetime itself, no client gets the Set-Cookie of another one: not from
 * memory, not from disk, not by waiting for the other's fetch, not after a validation.
 */
class HeuristicCookieWireTest extends TierWireTest {
  private static final String OLD = "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT";
  private static final String TAG = "ETag: \"a\"";

  private final AtomicInteger answers = new AtomicInteger();

  private void start(Tier where, String... further) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "http_port 127.0.0.1:0 accel vhost",
                "http_port 127.0.0.1:0",
                "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver"));
    all.addAll(List.of(further));
    startIn(where, all);
  }

  /** Each answer has a cookie, a content and an entity tag of its own. */
  private void onCookies(String status, String... fieldLines) {
    origin.on(
        "/a",
        call -> {
          int number = answers.incrementAndGet();
          call.send(
              "HTTP/1.1 "
                  + status
                  + "\r\nContent-Length: 1\r\nSet-Cookie: a="
                  + number
                  + "\r\n"
                  + String.join("\r\n", fieldLines)
                  + "\r\n\r\n"
                  + number);
        });
  }

  private WireMessage ask(String... fieldLines) throws Exception {
    settle();
    return askAt(0, fieldLines);
  }

  private WireMessage askAt(int port, String... fieldLines) throws Exception {
    StringBuilder request = new StringBuilder("GET ");
    request.append(port == 0 ? "/a" : origin.url("/a")).append(" HTTP/1.1\r\n");
    request.append("Host: ").append(origin.authority()).append("\r\n");
    for (String line : fieldLines) {
      request.append(line).append("\r\n");
    }
    return client(port).send(request + "\r\n").response();
  }

  private static void assertOwn(WireMessage answer, int number) {
    assertThat(answer.fields("Set-Cookie")).as("%s", answer).containsExactly("a=" + number);
    assertThat(answer.text()).isEqualTo("" + number);
    assertThat(answer.field("Cache-Status")).doesNotContain("hit").doesNotContain("stored");
  }

  static Stream<Arguments> withoutAnExplicitLifetime() {
    List<Arguments> all = new ArrayList<>();
    for (Tier tier : Tier.values()) {
      all.add(Arguments.of(tier, "200 OK", "", new String[] {OLD}));
      all.add(Arguments.of(tier, "200 OK", "", new String[] {OLD, TAG, "Cache-Control: public"}));
      all.add(Arguments.of(tier, "200 OK", "", new String[] {TAG, "Cache-Control: no-cache"}));
      all.add(Arguments.of(tier, "200 OK", "", new String[] {OLD, "Cache-Control: immutable"}));
      all.add(Arguments.of(tier, "404 None", "", new String[] {OLD}));
      String numbers = "refresh_pattern . 60 100% 60";
      all.add(Arguments.of(tier, "200 OK", numbers, new String[] {OLD}));
      all.add(Arguments.of(tier, "200 OK", numbers, new String[] {"X: y"}));
      all.add(Arguments.of(tier, "200 OK", numbers + " override-lastmod", new String[] {OLD}));
      all.add(Arguments.of(tier, "200 OK", numbers + " override-expire", new String[] {OLD}));
      all.add(Arguments.of(tier, "200 OK", numbers + " store-stale", new String[] {"X: y"}));
      String secret = "Cache-Control: private";
      all.add(
          Arguments.of(tier, "200 OK", numbers + " ignore-private", new String[] {OLD, secret}));
      all.add(Arguments.of(tier, "404 None", "negative_ttl 60 seconds", new String[] {"X: y"}));
      all.add(Arguments.of(tier, "503 Busy", "negative_ttl 60 seconds", new String[] {"X: y"}));
      String replay = "loligo_stored_set_cookie replay";
      all.add(Arguments.of(tier, "200 OK", replay, new String[] {OLD}));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("withoutAnExplicitLifetime")
  void itIsNotStored(Tier where, String status, String directive, String[] fieldLines)
      throws Exception {
    start(where, directive);
    onCookies(status, fieldLines);
    for (int i = 1; i <= 3; i++) {
      assertOwn(ask(), i);
    }
    // the same without the cookie is stored: the cookie is what keeps it out
    String[] without = fieldLines;
    origin.on(
        "/b",
        call ->
            call.send(
                "HTTP/1.1 "
                    + status
                    + "\r\nContent-Length: 1\r\n"
                    + String.join("\r\n", without)
                    + "\r\n\r\nb"));
    String request = "GET /b HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n";
    assertThat(client(0).send(request).response().field("Cache-Status")).contains("; stored");
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void aForwardPortThatReplaysDoesNotEither(Tier where) throws Exception {
    start(where, "loligo_stored_set_cookie replay");
    onCookies("200 OK", OLD);
    for (int i = 1; i <= 2; i++) {
      settle();
      assertOwn(askAt(1), i);
    }
  }

  static Stream<Arguments> withAnExplicitLifetime() {
    List<Arguments> all = new ArrayList<>();
    for (Tier tier : Tier.values()) {
      all.add(Arguments.of(tier, "", "Cache-Control: max-age=1000"));
      all.add(Arguments.of(tier, "", "Cache-Control: s-maxage=1000"));
      all.add(Arguments.of(tier, "", "Expires: Fri, 01 Jan 2100 00:00:00 GMT"));
      all.add(Arguments.of(tier, "", "CDN-Cache-Control: max-age=1000"));
      // the operator says in so many words that the origin's word does not count
      String override = "refresh_pattern . 60 100% 60 override-expire";
      all.add(Arguments.of(tier, override, "Cache-Control: max-age=0"));
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("withAnExplicitLifetime")
  void itIsReplayedWhereTheOriginGivesALifetime(Tier where, String directive, String fieldLine)
      throws Exception {
    start(where, directive);
    onCookies("200 OK", fieldLine);
    assertThat(ask().field("Set-Cookie")).isEqualTo("a=1");
    WireMessage hit = ask();
    assertHit(hit);
    assertThat(hit.fields("Set-Cookie")).containsExactly("a=1");
    assertThat(ask("Range: bytes=0-0").fields("Set-Cookie")).containsExactly("a=1");
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void aPartIsNotStored(Tier where) throws Exception {
    start(where);
    origin.on(
        "/a",
        call ->
            call.send(
                "HTTP/1.1 206 Partial Content\r\n"
                    + "Content-Range: bytes 0-0/2\r\n"
                    + "Content-Length: 1\r\n"
                    + String.join("\r\n", OLD, TAG, "Set-Cookie: a=" + answers.incrementAndGet())
                    + "\r\n\r\nx"));
    for (int i = 1; i <= 2; i++) {
      WireMessage part = ask("Range: bytes=0-0");
      assertThat(part.fields("Set-Cookie")).containsExactly("a=" + i);
      assertForwarded(part, "uri-miss");
    }
  }

  @Test
  void aWaiterFetchesAlone() throws Exception {
    start(Tier.MEMORY);
    CountDownLatch waiting = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          int number = answers.incrementAndGet();
          await(waiting);
          call.send(
              "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nSet-Cookie: a="
                  + number
                  + "\r\n"
                  + OLD
                  + "\r\n\r\n"
                  + number);
        });
    List<RawClient> crowd = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      String request = "GET /a HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n";
      crowd.add(client(0).send(request));
    }
    // each request was read before an exchange that began after it has ended
    origin.onOk("/barrier", "x");
    client(1).get(origin.url("/barrier")).response();
    waiting.countDown();
    List<String> cookies = new ArrayList<>();
    for (RawClient client : crowd) {
      WireMessage answer = client.response();
      assertThat(answer.field("Set-Cookie")).isEqualTo("a=" + answer.text());
      cookies.add(answer.field("Set-Cookie"));
    }
    assertThat(cookies).doesNotHaveDuplicates();
    assertThat(origin.fetches("/a")).isEqualTo(5);
  }

  /** A forward port stores it without the cookie: waiters here get none. */
  @Test
  void aWaiterOfAnotherPortGetsNoCookie() throws Exception {
    start(Tier.MEMORY);
    CountDownLatch waiting = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          await(waiting);
          call.ok("x", OLD, "Set-Cookie: a=" + answers.incrementAndGet());
        });
    RawClient first = client(1).get(origin.url("/a"));
    origin.awaitRequest("/a");
    String request = "GET /a HTTP/1.1\r\nHost: " + origin.authority() + "\r\n\r\n";
    RawClient second = client(0).send(request);
    origin.onOk("/barrier", "x");
    client(1).get(origin.url("/barrier")).response();
    waiting.countDown();
    assertThat(first.response().field("Set-Cookie")).isEqualTo("a=1");
    WireMessage shared = second.response();
    assertThat(shared.field("Cache-Status")).contains("collapsed");
    assertThat(shared.field("Set-Cookie")).isNull();
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** Answers with a 304 and these lines where a tag is sent, else with 200 and the others. */
  private void onValidation(String[] whole, String[] notModified) {
    origin.on(
        "/a",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("x", whole);
          } else {
            call.send(
                "HTTP/1.1 304 Not Modified\r\n" + String.join("\r\n", notModified) + "\r\n\r\n");
          }
        });
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void aCookieOfAValidationIsForItsClient(Tier where) throws Exception {
    start(where);
    onValidation(new String[] {OLD, TAG}, new String[] {TAG, "Set-Cookie: a=2"});
    assertThat(ask().field("Cache-Status")).contains("; stored");
    WireMessage validated = ask("Cache-Control: no-cache");
    assertThat(validated.status()).isEqualTo(200);
    assertThat(validated.fields("Set-Cookie")).containsExactly("a=2");
    WireMessage hit = ask();
    assertHit(hit);
    assertThat(hit.field("Set-Cookie")).isNull();
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void aValidationThatTakesTheLifetimeAwayTakesTheCookieWithIt(Tier where) throws Exception {
    start(where);
    onValidation(
        new String[] {OLD, TAG, "Set-Cookie: a=1", "Cache-Control: max-age=1000"},
        new String[] {TAG, "Cache-Control: public"});
    assertThat(ask().fields("Set-Cookie")).containsExactly("a=1");
    assertThat(ask().fields("Set-Cookie")).containsExactly("a=1");
    assertThat(ask("Cache-Control: no-cache").field("Set-Cookie")).isNull();
    WireMessage hit = ask();
    assertHit(hit);
    assertThat(hit.field("Set-Cookie")).isNull();
    // nor is it back with the next lifetime
    onValidation(new String[] {}, new String[] {TAG, "Cache-Control: max-age=1000"});
    assertThat(ask("Cache-Control: no-cache").field("Set-Cookie")).isNull();
    assertThat(ask().field("Set-Cookie")).isNull();
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  /** The lifetime is for ports that stand for the origin; another one would have to assume it. */
  @ParameterizedTest
  @EnumSource(Tier.class)
  void eachPortGoesByItsOwnLifetime(Tier where) throws Exception {
    start(where, "loligo_stored_set_cookie replay");
    onCookies("200 OK", OLD, "CDN-Cache-Control: max-age=1000");
    assertThat(ask().field("Set-Cookie")).isEqualTo("a=1");
    settle();
    WireMessage assumed = askAt(1);
    assertHit(assumed);
    assertThat(assumed.field("Set-Cookie")).isNull();
    settle();
    assertThat(askAt(1, "Range: bytes=0-0").field("Set-Cookie")).isNull();
    WireMessage given = ask();
    assertHit(given);
    assertThat(given.fields("Set-Cookie")).containsExactly("a=1");
  }
}
