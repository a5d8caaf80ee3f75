package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Variants that only a {@code cache_dir} has, after a restart. */
@DisplayName("RFC 9111 section 4.1: several variants, on disk")
class DiskVariantsWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String VARIES = "Vary: Accept-Language";
  private static final String LARGE = "0123456789".repeat(80_000);

  private void startWithDisk() throws Exception {
    startProxy("cache_dir rock " + dir.resolve("cache") + " 64");
    proxy.diskOpened().join();
  }

  private void restart() throws Exception {
    proxy.close();
    startWithDisk();
  }

  /** Nothing under a key is found on disk while something is being written there. */
  private void settle() throws Exception {
    Waiting.until(
        "the disk is idle",
        () ->
            proxy.diskStats().stream().allMatch(one -> one.queuedBytes() + one.queueDepth() == 0));
  }

  private WireMessage get(String language) throws Exception {
    return get("/a", "Accept-Language: " + language);
  }

  /**
   * English and French have a variant each; for any other language the origin selects the French
   * one, if its tag is offered.
   */
  private void answer(String french) {
    origin.on(
        "/a",
        call -> {
          String language = call.field("Accept-Language");
          String tags = call.field("If-None-Match");
          boolean other = !language.equals("en") && !language.equals("fr");
          if (other && tags != null && tags.contains("\"fr\"")) {
            call.send("HTTP/1.1 304 \r\nETag: \"fr\"\r\n" + FRESH + "\r\n" + VARIES + "\r\n\r\n");
          } else {
            String content = language.equals("fr") ? french : language;
            call.ok(content, FRESH, VARIES, "ETag: \"" + language + "\"");
          }
        });
  }

  private String offered() {
    return origin.lastRequest().field("If-None-Match");
  }

  @Test
  void eachIsFoundByWhoeverItFits() throws Exception {
    startWithDisk();
    answer("fr");
    get("en");
    get("fr");
    restart();
    get("de");
    assertThat(get("de").field("Cache-Status")).as("in memory").doesNotContain("disk");
    settle();
    for (String language : new String[] {"fr", "en"}) {
      WireMessage hit = get(language);
      assertHit(hit);
      assertThat(hit.field("Cache-Status")).endsWith("detail=disk");
    }
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  @DisplayName("4.3.1: validators of all of them where none fits")
  void theirTagsAreOfferedTheMostRecentFirst() throws Exception {
    startWithDisk();
    answer("fr");
    get("fr");
    get("en");
    restart();
    WireMessage validated = get("de");
    assertThat(offered()).isEqualTo("\"en\", \"fr\"");
    assertForwarded(validated, "vary-miss; fwd-status=304");
    assertThat(validated.text()).isEqualTo("fr");
    WireMessage hit = get("de");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("fr");
    assertThat(origin.fetches("/a")).isEqualTo(3);
    restart();
    assertThat(get("de").text()).as("on disk for the new selection, too").isEqualTo("fr");
    assertThat(get("fr").text()).isEqualTo("fr");
    assertThat(origin.fetches("/a")).isEqualTo(3);
  }

  @Test
  void tagsOfThoseInMemoryStandBeforeThem() throws Exception {
    startWithDisk();
    answer("fr");
    get("fr");
    restart();
    origin.on("/a", call -> call.ok("en", FRESH, VARIES, "ETag: \"en\""));
    get("en");
    assertThat(offered()).isEqualTo("\"fr\"");
    settle();
    answer("fr");
    assertThat(get("de").text()).isEqualTo("fr");
    assertThat(offered()).isEqualTo("\"en\", \"fr\"");
  }

  @Test
  void contentTooLargeForMemoryIsServedFromDisk() throws Exception {
    startWithDisk();
    answer(LARGE);
    get("fr");
    restart();
    assertThat(get("de").text()).isEqualTo(LARGE);
    assertThat(offered()).isEqualTo("\"fr\"");
    settle();
    WireMessage hit = get("fr");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo(LARGE);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void purgedOnesAreNotOffered() throws Exception {
    String[] lines = {"cache_dir rock " + dir.resolve("cache") + " 64", "acl purge method PURGE"};
    startProxy(lines);
    proxy.diskOpened().join();
    origin.on("/a", call -> call.ok("x", FRESH, VARIES, "ETag: \"x\"", "Surrogate-Key: k"));
    get("fr");
    proxy.close();
    startProxy(lines);
    proxy.diskOpened().join();
    assertThat(exchange("PURGE", "/", "Surrogate-Key: k").status()).isEqualTo(200);
    get("de");
    assertThat(offered()).isNull();
  }
}
