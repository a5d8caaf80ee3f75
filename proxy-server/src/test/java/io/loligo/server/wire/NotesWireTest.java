package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Notes that rules and the directive {@code note} give to requests, in other rules and logs. */
class NotesWireTest extends WireTest {
  private String noteLog() {
    return "access_log stdio:" + dir.resolve("access.log") + " logformat=notes";
  }

  @Test
  void aNoteOfOneListDecidesInOthers() throws Exception {
    startProxy(
        "acl special urlpath_regex ^/special",
        "acl mark annotate_transaction kind=special",
        "acl marked note kind special",
        "http_access allow special mark",
        "http_access allow all",
        "reply_header_access X-Plain deny marked",
        "cache deny marked",
        "access_log none marked",
        "access_log stdio:" + dir.resolve("access.log") + " squid");
    origin.onOk("/special", "x", "X-Plain: 1", "Cache-Control: max-age=100");
    origin.onOk("/plain", "x", "X-Plain: 1", "Cache-Control: max-age=100");
    assertThat(get("/special").fields("X-Plain")).isEmpty();
    assertThat(get("/plain").fields("X-Plain")).containsExactly("1");
    get("/special");
    assertHit(get("/plain"));
    assertThat(origin.fetches("/special")).isEqualTo(2);
    assertThat(stopAndReadLog()).hasSize(2).allMatch(line -> line.contains("/plain"));
  }

  @Test
  void aNoteOfTheConnectionStaysForItsLaterRequests() throws Exception {
    startProxy(
        "acl first urlpath_regex ^/first",
        "acl mark annotate_client seen=yes",
        "acl marked note seen",
        "http_access allow first mark",
        "http_access deny !marked",
        "http_access allow all");
    origin.otherwise(call -> call.ok("x"));
    RawClient one = client();
    assertThat(one.get(origin.url("/a")).response().status()).isEqualTo(403);
    assertThat(one.get(origin.url("/first")).response().status()).isEqualTo(200);
    assertThat(one.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(one.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(client().get(origin.url("/a")).response().status()).isEqualTo(403);
  }

  @Test
  void noteLinesAreLoggedTheFirstOfANameThatMatches() throws Exception {
    startProxy(
        "acl staff req_header X-Group staff",
        "acl ok http_status 200",
        "acl secret note class secret",
        "acl hidden urlpath_regex ^/hidden",
        "note class secret hidden",
        "note class staff staff",
        "note class guest",
        "note quoted \"two words\" ok",
        "logformat notes %{class}note|%{quoted}note",
        noteLog() + " !secret");
    origin.onOk("/a", "x");
    get("/a", "X-Group: staff");
    get("/a");
    get("/hidden");
    get("/missing");
    assertThat(stopAndReadLog())
        .containsExactly("staff|two%20words", "guest|two%20words", "guest|-");
  }
}
