package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.purge.Reach;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Purging of more than a URL, as seen from outside, over memory and over a real cache_dir. */
class PurgeWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private void start(boolean disk) throws Exception {
    String purge = "acl purge method PURGE";
    if (disk) {
      startProxy(purge, "cache_dir rock " + dir.resolve("cache") + " 64");
      proxy.diskOpened().join();
    } else {
      startProxy(purge);
    }
  }

  /** Answers with the number of the fetch as content, and 304 to a condition. */
  private void counting(String path, String... fieldLines) {
    origin.on(
        path,
        call -> {
          call.whole();
          int number = call.number();
          if (call.field("If-None-Match") != null) {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n" + FRESH + "\r\n\r\n");
          } else {
            call.ok("v" + number, fieldLines);
          }
        });
  }

  private void purge(String... fieldLines) throws Exception {
    assertThat(exchange("PURGE", "/", fieldLines).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void bySurrogateKey(boolean disk) throws Exception {
    start(disk);
    counting("/a", FRESH, "Surrogate-Key: one two");
    counting("/b", FRESH, "xkey: two");
    counting("/c", FRESH, "Surrogate-Key: three");
    for (String path : new String[] {"/a", "/b", "/c"}) {
      get(path);
    }
    WireMessage purged = exchange("PURGE", "/", "Surrogate-Key: two none");
    assertThat(purged.status()).isEqualTo(200);
    assertThat(purged.field("Loligo-Purged"))
        .isEqualTo(disk ? "memory=2, disk=later" : "memory=2, disk=0");
    assertThat(get("/a").text()).isEqualTo("v2");
    assertThat(get("/b").text()).isEqualTo("v2");
    assertHit(get("/c"));
    assertHit(get("/a"));
  }

  @Test
  void byGroupOfOneOrigin() throws Exception {
    start(false);
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    counting("/a", FRESH, "Cache-Groups: \"news\", \"front\"");
    other.onOk("/a", "other", FRESH, "Cache-Groups: \"news\"");
    get("/a");
    client().get(other.url("/a")).response();
    purge("Cache-Groups: \"news\"");
    assertThat(get("/a").text()).isEqualTo("v2");
    assertHit(client().get(other.url("/a")).response());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void byPatternWhatIsOlder(boolean disk) throws Exception {
    start(disk);
    counting("/img/a.png", FRESH);
    counting("/img/a.css", FRESH);
    get("/img/a.png");
    get("/img/a.css");
    purge("Purge-Pattern: /img/.*\\.png$");
    assertHit(get("/img/a.css"));
    assertThat(get("/img/a.png").text()).isEqualTo("v2");
    assertHit(get("/img/a.png"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void softlyByPattern(boolean disk) throws Exception {
    start(disk);
    counting("/img/a.png", FRESH, "ETag: \"1\"");
    counting("/img/a.css", FRESH, "ETag: \"1\"");
    get("/img/a.png");
    get("/img/a.css");
    purge("Purge-Pattern: /img/.*\\.png$", "Soft-Purge: 1");
    assertHit(get("/img/a.css"));
    assertThat(get("/img/a.png").text()).isEqualTo("v1");
    assertThat(origin.lastRequest().fields("If-None-Match")).containsExactly("\"1\"");
    assertHit(get("/img/a.png"));
    assertThat(origin.requests()).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Purge-Pattern: (", "Cache-Groups: news", "xkey: ,"})
  void refusesWhatMakesNoSense(String line) throws Exception {
    start(false);
    assertThat(exchange("PURGE", "/", line).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Soft-Purge: 1", "Soft-Purge: 1|Surrogate-Key: k", "xkey-softpurge: k"})
  void softlyLeavesWhatIsValidatedBeforeTheNextUse(String lines) throws Exception {
    start(false);
    counting("/a", FRESH, "ETag: \"1\"", "Surrogate-Key: k");
    get("/a");
    WireMessage purged = exchange("PURGE", "/a", lines.split("\\|"));
    assertThat(purged.field("Loligo-Purged")).isEqualTo("memory=1, disk=0");
    WireMessage validated = get("/a");
    assertThat(validated.text()).isEqualTo("v1");
    assertThat(origin.lastRequest().fields("If-None-Match")).containsExactly("\"1\"");
    assertHit(get("/a"));
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  void softlyLeavesWhatMayBeServedStale() throws Exception {
    start(false);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.whole();
          if (call.number() > 1) {
            asked.countDown();
          }
          call.ok("x", FRESH + ", stale-while-revalidate=1000", "ETag: \"1\"");
        });
    get("/a");
    assertThat(exchange("PURGE", "/a", "Soft-Purge: 1").status()).isEqualTo(200);
    WireMessage stale = get("/a");
    assertHit(stale);
    assertThat(stale.field("Cache-Status")).contains("stale-while-revalidate");
    await(asked);
  }

  @Test
  void softlyLeavesWhatMayBeServedOnError() throws Exception {
    start(false);
    origin.on(
        "/a",
        call -> {
          call.whole();
          if (call.number() == 1) {
            call.ok("x", FRESH + ", stale-if-error=1000", "ETag: \"1\"");
          } else {
            call.close();
          }
        });
    get("/a");
    assertThat(exchange("PURGE", "/a", "Soft-Purge: 1").status()).isEqualTo(200);
    WireMessage stale = get("/a");
    assertThat(stale.text()).isEqualTo("x");
    assertThat(stale.field("Cache-Status")).contains("stale-if-error");
  }

  @Test
  void softlyFindsNothingWhereNothingIs() throws Exception {
    start(false);
    assertThat(exchange("PURGE", "/none", "Soft-Purge: 1").status()).isEqualTo(404);
  }

  @Test
  void anArrivingResponseIsNotServedAfterThePurge() throws Exception {
    start(false);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.whole();
          int number = call.number();
          if (number == 1) {
            asked.countDown();
            answer.await();
          }
          call.ok("v" + number, FRESH, "xkey: k");
        });
    RawClient early = client().get(origin.url("/a"));
    await(asked);
    purge("xkey: k");
    assertThat(get("/a").text()).isEqualTo("v2");
    answer.countDown();
    assertThat(early.response().text()).isEqualTo("v1");
    assertThat(get("/a").text()).isNotEqualTo("v1");
  }

  /** The answer to one says that the other is the same, and came from before it was purged. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherSpellingOfAnArrivingResponseIsNotServedAfterThePurge(boolean disk) throws Exception {
    start(disk);
    String rule = "No-Vary-Search: params=(\"utm\")";
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    origin.on(
        "/a?utm=1",
        call -> {
          call.whole();
          asked.countDown();
          answer.await();
          call.ok("old", FRESH, rule);
        });
    origin.onOk("/a?utm=2", "new", FRESH, rule);
    RawClient early = client().get(origin.url("/a?utm=1"));
    await(asked);
    assertThat(exchange("PURGE", "/a?utm=2").status()).isIn(200, 404);
    answer.countDown();
    assertThat(early.response().text()).isEqualTo("old");
    assertThat(get("/a?utm=2").text()).isEqualTo("new");
  }

  @Test
  @DisplayName(
      "RFC 9875 section 3: an answer to an unsafe request invalidates groups of its origin")
  void originsInvalidateTheirGroups() throws Exception {
    start(false);
    counting("/a", FRESH, "Cache-Groups: \"news\"");
    origin.onOk("/get", "x", "Cache-Group-Invalidation: \"news\"");
    origin.onOk("/post", "x", "Cache-Group-Invalidation: \"news\"");
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    other.onOk("/post", "x", "Cache-Group-Invalidation: \"news\"");
    get("/a");
    get("/get");
    client().send(RawClient.head("POST", other.url("/post"), "Content-Length: 0")).response();
    assertHit(get("/a"));
    send("POST", "/post", "x");
    assertThat(get("/a").text()).isEqualTo("v2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Surrogate-Key: k", "Purge-Pattern: /a", "Cache-Groups: \"g\""})
  void nothingComesBackAfterARestart(String line) throws Exception {
    start(true);
    counting("/a", FRESH, "Surrogate-Key: k", "Cache-Groups: \"g\"");
    counting("/b", FRESH);
    get("/a");
    get("/b");
    purge(line);
    proxy.close();
    start(true);
    assertHit(get("/b"));
    assertThat(get("/a").text()).isEqualTo("v2");
    assertHit(get("/a"));
  }

  /** Other groups stay, before a restart and after it: few names share a bucket. */
  @Test
  void tensOfThousandsOfPurgedGroupsLeaveTheOthers() throws Exception {
    start(true);
    for (int i = 0; i < 20; i++) {
      counting("/" + i, FRESH, "Surrogate-Key: other" + i);
      get("/" + i);
    }
    for (int batch = 0; batch < 5; batch++) {
      StringBuilder line = new StringBuilder("xkey:");
      for (int i = 0; i < 7_000; i++) {
        line.append(" k").append(batch * 7_000 + i);
      }
      purge(line.toString());
    }
    for (int i = 0; i < 20; i++) {
      assertHit(get("/" + i));
    }
    proxy.close();
    start(true);
    for (int i = 0; i < 20; i++) {
      assertHit(get("/" + i));
    }
  }

  /** A response written for all is for some only after a validation. */
  @Test
  void aResponseDroppedByAValidationDoesNotComeBackAfterARestart() throws Exception {
    start(true);
    origin.on(
        "/a",
        call -> {
          call.whole();
          if (call.field("If-None-Match") == null || !call.field("Foo").equals("1")) {
            call.ok("for " + call.field("Foo"), FRESH, "ETag: \"1\"");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\nVary: Foo\r\n" + FRESH + "\r\n\r\n");
          }
        });
    assertThat(get("/a", "Foo: 1").text()).isEqualTo("for 1");
    proxy.close();
    start(true);
    assertThat(get("/a", "Foo: 1", "Cache-Control: no-cache").text()).isEqualTo("for 1");
    assertThat(get("/a", "Foo: 2").text()).isEqualTo("for 2");
    proxy.close();
    start(true);
    assertThat(get("/a", "Foo: 3").text()).isNotEqualTo("for 1");
  }

  @Test
  void aSoftlyPurgedResponseIsStaleAfterARestart() throws Exception {
    start(true);
    counting("/a", FRESH, "ETag: \"1\"");
    get("/a");
    assertThat(exchange("PURGE", "/a", "Soft-Purge: 1").status()).isEqualTo(200);
    proxy.close();
    start(true);
    assertThat(get("/a").text()).isEqualTo("v1");
    assertThat(origin.requests()).hasSize(2);
  }

  /** Another node may have had what this one has not. */
  @Test
  void saysHowManyNodesOfAClusterPurged() throws Exception {
    start(false);
    proxy.purgesAlsoIn(new FixedReach(new Reach(3, 3)));
    WireMessage purged = exchange("PURGE", "/a");
    assertThat(purged.status()).isEqualTo(200);
    assertThat(purged.field("Loligo-Purged")).isEqualTo("memory=0, disk=0, nodes 3/3");
  }

  /** After a hand-over, on a connection that is still open: the successor is a node. */
  @Test
  void aProcessThatHasLeftItsClusterConfirmsNoPurge() throws Exception {
    start(false);
    proxy.purgesAlsoIn(new FixedReach(null));
    WireMessage refused = exchange("PURGE", "/a");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.field("Retry-After")).isEqualTo("0");
    assertThat(refused.field("Connection")).isEqualTo("close");
  }

  @Test
  void theAnswerToAnUnsafeRequestWaitsForTheOtherNodes() throws Exception {
    start(false);
    FixedReach others = new FixedReach(new Reach(1, 3));
    proxy.purgesAlsoIn(others);
    counting("/a", FRESH);
    get("/a");
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/a"), "Content-Length: 0"));
    Runnable carriedOut = others.invalidations.poll(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(carriedOut).isNotNull();
    assertThat(get("/a").text()).as("invalid here before").isEqualTo("v3");
    carriedOut.run();
    assertThat(client.responseTo("POST").text()).isEqualTo("v2");
  }
}
