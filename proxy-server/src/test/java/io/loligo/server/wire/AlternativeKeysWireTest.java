package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses stored under more or less than their URL: those to QUERY, and No-Vary-Search. */
class AlternativeKeysWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String RULE = "No-Vary-Search: params=(\"utm\")";
  private static final String PLAIN = "Content-Type: text/plain";

  private final CountDownLatch release = new CountDownLatch(1);

  private WireMessage query(String path, String content) throws Exception {
    return send("QUERY", path, content, PLAIN);
  }

  /** Answers everything with the number of the fetch as content. */
  private void counting(String... fieldLines) {
    origin.otherwise(
        call -> {
          call.whole();
          call.ok("v" + call.number(), fieldLines);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"url", "pattern", "of another query"})
  void purgesEndThemAndCountThem(String kind) throws Exception {
    startProxy("acl purge method PURGE");
    counting(FRESH, RULE);
    query("/a", "one");
    assertHit(query("/a", "one"));
    get("/a?x=1&utm=1");
    get("/a?x=1&utm=2");
    assertHit(get("/a?x=1&utm=3"));
    WireMessage purged =
        switch (kind) {
          case "url" -> exchange("PURGE", "/a");
          case "pattern" -> exchange("PURGE", "/", "Purge-Pattern: nothing");
          default -> exchange("PURGE", "/a?x=1&utm=99");
        };
    assertThat(purged.status()).isEqualTo(200);
    // the response that taught the rule is stored under its URL
    assertThat(purged.field("Loligo-Purged")).isEqualTo("memory=2, disk=0");
    assertThat(exchange("PURGE", "/a").status()).as("nothing is left").isEqualTo(404);
    assertForwarded(get("/a?x=1&utm=3"), "uri-miss");
    assertForwarded(query("/a", "one"), "uri-miss");
  }

  @Test
  void purgedSoftlyTheyAreValidated() throws Exception {
    startProxy("acl purge method PURGE");
    counting(FRESH, RULE, "ETag: \"1\"");
    query("/a", "one");
    get("/a?x=1&utm=1");
    get("/a?x=1&utm=2");
    WireMessage purged = exchange("PURGE", "/a", "Soft-Purge: 1");
    assertThat(purged.field("Loligo-Purged")).isEqualTo("memory=2, disk=0");
    assertForwarded(get("/a?x=1&utm=3"), "stale");
    assertForwarded(query("/a", "one"), "stale");
  }

  private void startWithDisk() throws Exception {
    startProxy("acl purge method PURGE", "cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
  }

  private void restart() throws Exception {
    proxy.close();
    startWithDisk();
  }

  @Test
  void theySurviveARestart() throws Exception {
    startWithDisk();
    counting(FRESH, RULE);
    query("/a", "one");
    get("/b?x=1&utm=1");
    get("/b?x=1&utm=2");
    restart();
    assertHit(query("/a", "one"));
    // the rule is learned from a response
    assertForwarded(get("/b?x=2"), "uri-miss");
    assertThat(get("/b?x=1&utm=3").field("Cache-Status")).endsWith("; detail=disk");
  }

  @ParameterizedTest
  @ValueSource(strings = {"before", "after"})
  void butNoPurgeOfTheirUrl(String restart) throws Exception {
    startWithDisk();
    counting(FRESH);
    query("/a", "one");
    query("/b", "one");
    query("/c", "one");
    if (restart.equals("before")) {
      restart();
    }
    exchange("PURGE", "/a?x");
    send("PUT", "/b", "new");
    exchange("PURGE", "/c", "Soft-Purge: 1");
    if (restart.equals("after")) {
      restart();
    }
    // a purged response is on disk until it makes room
    assertForwarded(query("/a", "one"), "vary-miss");
    assertForwarded(query("/b", "one"), "vary-miss");
    assertForwarded(query("/c", "one"), "stale");
  }

  @Test
  @DisplayName("RFC 9110 section 10.1.1: 100 is sent for content that waits for it")
  void asksForTheContentOfAQuery() throws Exception {
    startProxy();
    counting(FRESH);
    for (int i = 0; i < 2; i++) {
      RawClient client = client();
      client.request("QUERY", origin.url("/a"), PLAIN, "Expect: 100-continue", "Content-Length: 3");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 100 ");
      assertThat(client.send("one").response().text()).isEqualTo("v1");
      assertThat(client.send(RawClient.head("GET", origin.url("/b" + i))).response().status())
          .as("the connection goes on")
          .isEqualTo(200);
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aClientThatLeavesWithItsContentLeavesNothing() throws Exception {
    startProxy();
    counting(FRESH);
    for (int i = 0; i < 100; i++) {
      RawClient client = client();
      client.request("QUERY", origin.url("/a"), PLAIN, "Content-Length: 3").send("on");
      client.reset();
    }
    assertThat(query("/a", "one").text()).isEqualTo("v1");
    assertHit(query("/a", "one"));
  }

  @Test
  void malformedContentIsRefused() throws Exception {
    startProxy();
    RawClient client = client();
    client.request("QUERY", origin.url("/a"), PLAIN, "Transfer-Encoding: chunked").send("x\r\n");
    assertThat(client.response().status()).isEqualTo(400);
    client.expectClose();
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void anAnswerToQueryIsNoneToOthersThatAskAtOnce() throws Exception {
    startProxy();
    origin.on(
        "/a",
        call -> {
          String content = call.whole().text();
          await(release);
          call.ok("for " + content, FRESH);
        });
    List<RawClient> clients = new ArrayList<>();
    for (String content : new String[] {"one", "two", ""}) {
      String length = "Content-Length: " + content.length();
      String method = content.isEmpty() ? "GET" : "QUERY";
      RawClient client = client().request(method, origin.url("/a"), PLAIN, length).send(content);
      clients.add(client);
      origin.awaitRequest("/a");
    }
    release.countDown();
    assertThat(clients.get(0).response().text()).isEqualTo("for one");
    assertThat(clients.get(1).response().text()).isEqualTo("for two");
    assertThat(clients.get(2).response().text()).isEqualTo("for ");
  }

  /** Three with the same content, whose requests are there before the first is answered. */
  private List<RawClient> equalQueries(String... fieldLines) throws Exception {
    startProxy();
    origin.on(
        "/a",
        call -> {
          String content = call.whole().text();
          await(release);
          call.ok("for " + content + ' ' + call.number(), fieldLines);
        });
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RawClient client = client();
      client.request("QUERY", origin.url("/a"), PLAIN, "Content-Length: 3").send("one");
      clients.add(client);
      if (i == 0) {
        origin.awaitRequest("/a");
      }
    }
    exchange("OPTIONS", "/", "Max-Forwards: 0");
    release.countDown();
    return clients;
  }

  @Test
  void equalQueriesShareOneFetch() throws Exception {
    for (RawClient client : equalQueries(FRESH)) {
      assertThat(client.response().text()).isEqualTo("for one 1");
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void equalQueriesWhoseAnswerIsNotForAllAreMadeAgainWithTheirContent() throws Exception {
    List<String> answers = new ArrayList<>();
    for (RawClient client : equalQueries("Cache-Control: private")) {
      answers.add(client.response().text());
    }
    assertThat(answers).containsExactlyInAnyOrder("for one 1", "for one 2", "for one 3");
  }

  @Test
  @DisplayName("RFC 9111 section 4.4: also responses in transit")
  void noRequestJoinsAQueryThatBeganBeforeItsUrlWasInvalidated() throws Exception {
    startProxy();
    origin.on(
        "/a",
        call -> {
          call.whole();
          if (call.number() == 1) {
            await(release);
            call.ok("old", FRESH);
          } else {
            call.ok("new", FRESH);
          }
        });
    RawClient before = client();
    before.request("QUERY", origin.url("/a"), PLAIN, "Content-Length: 3").send("one");
    origin.awaitRequest("/a");
    send("PUT", "/a", "new");
    assertThat(query("/a", "one").text()).isEqualTo("new");
    release.countDown();
    assertThat(before.response().text()).isEqualTo("old");
    assertThat(query("/a", "one").text()).isEqualTo("new");
  }

  /** Learns the rule, and has the next fetch wait for {@link #release} and answer so. */
  private void learnThenAnswer(String... fieldLines) throws Exception {
    startProxy();
    origin.otherwise(
        call -> {
          call.whole();
          switch (call.number()) {
            case 1 -> call.ok("learned", FRESH, RULE);
            case 2 -> {
              await(release);
              call.ok("shared", fieldLines);
            }
            default -> call.ok("own", FRESH, RULE);
          }
        });
    get("/a?utm=0");
  }

  private List<RawClient> clientsOfSeveralSpellings() throws Exception {
    List<RawClient> clients = new ArrayList<>();
    clients.add(client().get(origin.url("/a?x=1&utm=1")));
    origin.awaitRequest("/a?x=1&utm=1");
    clients.add(client().get(origin.url("/a?x=1&utm=2")));
    clients.add(client().get(origin.url("/a?utm=3&x=1")));
    // their requests were read before an exchange that began after them has ended
    exchange("OPTIONS", "/", "Max-Forwards: 0");
    release.countDown();
    return clients;
  }

  @Test
  void aRequestInAnotherSpellingJoins() throws Exception {
    learnThenAnswer(FRESH, RULE);
    for (RawClient client : clientsOfSeveralSpellings()) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
  }

  @Test
  void butNotWhereTheAnswerSaysSomethingElse() throws Exception {
    learnThenAnswer(FRESH);
    List<RawClient> clients = clientsOfSeveralSpellings();
    assertThat(clients.get(0).response().text()).isEqualTo("shared");
    assertThat(clients.get(1).response().text()).isEqualTo("own");
    assertThat(clients.get(2).response().text()).isEqualTo("own");
  }
}
