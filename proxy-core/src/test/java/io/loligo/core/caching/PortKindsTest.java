package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9213: one stored response at ports of two kinds")
class PortKindsTest {
  private static final CacheSettings FORWARD = CachingDefaults.DEFAULT;
  private static final CacheSettings GATEWAY = FORWARD.asGateway(true);
  private static final String LONG = "CDN-Cache-Control: max-age=1000";
  private static final String SHORT = "Cache-Control: max-age=10";

  private static StoredMeta stored(CacheSettings by, RequestHead request, ResponseHead response) {
    Storability stored = Storability.of(request, response, URL, NOW, NOW, 100, by);
    assertThat(stored.storable()).as(stored.reason()).isTrue();
    return stored.meta();
  }

  private static StoredMeta stored(CacheSettings by, String... lines) {
    return stored(by, Heads.get(), Heads.response(200, lines));
  }

  private static StoredMeta regarded(StoredMeta meta, CacheSettings by, String... lines) {
    return Storability.regarded(meta, Heads.response(200, lines).fields(), URL, by);
  }

  /** A response stored by one kind is as the other would have stored it. */
  private static void same(CacheSettings by, CacheSettings other, String... lines) {
    StoredMeta here = stored(by, lines);
    StoredMeta there = stored(other, lines);
    StoredMeta seen = regarded(here, other, lines);
    assertThat(seen.lifetimeSeconds()).isEqualTo(there.lifetimeSeconds());
    assertThat(seen.staleWhileRevalidateSeconds()).isEqualTo(there.staleWhileRevalidateSeconds());
    assertThat(seen.staleIfErrorSeconds()).isEqualTo(there.staleIfErrorSeconds());
    int kinds = StoredMeta.TARGETED | StoredMeta.UNTARGETED;
    assertThat(seen.flags() & ~kinds).isEqualTo(there.flags() & ~kinds);
    assertThat(regarded(here, by, lines)).isSameAs(here);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-age=10",
        "s-maxage=10, max-age=2000",
        "max-age=10, must-revalidate",
        "max-age=10, immutable",
        "max-age=10, stale-while-revalidate=5, stale-if-error=7",
        "no-cache, stale-if-error=1",
        "public"
      })
  void eachGoesByItsOwnDirectives(String directives) {
    String[] lines = {
      "CDN-Cache-Control: max-age=1000, stale-while-revalidate=9",
      "Cache-Control: " + directives,
      Responses.date("Last-Modified", -1000),
      "ETag: \"1\""
    };
    same(GATEWAY, FORWARD, lines);
    same(FORWARD, GATEWAY, lines);
  }

  @Test
  void nothingIsAddedWhereBothGoByTheSame() {
    for (String line : List.of("Loligo-Cache-Control: max-age=5", "CDN-Cache-Control: (", "X: y")) {
      String[] lines =
          line.startsWith("Loligo") ? new String[] {SHORT, LONG, line} : new String[] {SHORT, line};
      int kinds = StoredMeta.TARGETED | StoredMeta.UNTARGETED | StoredMeta.FOR_ONE_KIND;
      StoredMeta meta = stored(GATEWAY, lines);
      assertThat(meta.has(kinds)).as(line).isFalse();
      assertThat(regarded(meta, FORWARD, lines)).isSameAs(meta);
    }
  }

  /** A response that the other kind would not have stored. */
  private static void isFor(CacheSettings by, RequestHead request, String... lines) {
    StoredMeta meta = stored(by, request, Heads.response(200, lines));
    assertThat(meta.isFor(by.gateway)).isTrue();
    assertThat(meta.isFor(!by.gateway)).isFalse();
    assertThat(regarded(meta, by.asGateway(!by.gateway), lines)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no-store, max-age=10",
        "private, max-age=10",
        "max-age=0",
        "max-age=10, private=\"Set-Cookie\"",
        "max-age=10, no-cache=\"X-A\""
      })
  void aResponseNotStorableForForwardPortsIsNotServedThere(String directives) {
    isFor(GATEWAY, Heads.get(), LONG, "Cache-Control: " + directives);
  }

  @Test
  void aResponseWithoutLifetimeForForwardPortsIsNotServedThere() {
    isFor(GATEWAY, Heads.get(), LONG);
    StoredMeta error = stored(GATEWAY, Heads.get(), Heads.response(500, LONG, "ETag: \"1\""));
    assertThat(error.isFor(false)).isFalse();
    isFor(
        GATEWAY,
        Heads.request("POST", "Content-Length: 1"),
        LONG,
        Responses.date("Last-Modified", -1000),
        "Content-Location: " + URL);
  }

  @Test
  void aResponseToAuthorizationIsForThePortsItNames() {
    RequestHead request = Heads.get("Authorization: Basic YTpi");
    isFor(GATEWAY, request, "CDN-Cache-Control: public, max-age=100", SHORT);
    isFor(FORWARD, request, LONG, "Cache-Control: public, max-age=10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-store", "private", "max-age=0", "no-cache"})
  void aResponseNotStorableForGatewaysIsNotServedThere(String directives) {
    isFor(FORWARD, Heads.get(), "CDN-Cache-Control: " + directives, SHORT);
  }

  /** Facts learnt of it are not in its fields: the other kind fetches. */
  @Test
  void aResponseMadeStaleIsNotForTheOtherKind() {
    for (CacheSettings by : List.of(GATEWAY, FORWARD)) {
      StoredMeta meta = stored(by, LONG, SHORT, "ETag: \"1\"");
      assertThat(meta.isFor(!by.gateway)).isTrue();
      for (int seconds : new int[] {3, 30, 3_000}) {
        StoredMeta stale = meta.staleSince(NOW + seconds * 1_000L);
        assertThat(stale.isFor(!by.gateway)).as("%d s", seconds).isFalse();
        assertThat(stale.isFor(by.gateway)).isTrue();
        assertThat(stale.staleSince(NOW + seconds * 1_000L)).isSameAs(stale);
      }
      assertThat(meta.withoutStaleWhileRevalidate().isFor(!by.gateway)).isFalse();
    }
    StoredMeta ordinary = stored(GATEWAY, SHORT).staleSince(NOW + 3_000);
    assertThat(ordinary.lifetimeSeconds()).isEqualTo(3);
    assertThat(regarded(ordinary, FORWARD, SHORT)).isSameAs(ordinary);
  }

  @Test
  void aValidationSaysAnewForWhomItIs() {
    StoredMeta meta = stored(GATEWAY, LONG, "Cache-Control: private");
    assertThat(meta.isFor(false)).isFalse();
    Fields request = Heads.get().fields();
    StoredMeta fresh =
        Storability.freshened(
            meta, request, Heads.response(200, LONG, SHORT), URL, NOW, NOW + 5_000, GATEWAY);
    assertThat(fresh.isFor(false)).isTrue();
    assertThat(regarded(fresh, FORWARD, LONG, SHORT).lifetimeSeconds()).isEqualTo(10);
    assertThat(regarded(fresh, FORWARD, LONG, SHORT).responseTimeMillis()).isEqualTo(NOW + 5_000);
  }

  /** The basis of the age, and the stored content, are the same for all. */
  @Test
  void theRestIsTheSame() {
    String[] lines = {LONG, SHORT, "ETag: \"1\"", "Age: 4"};
    StoredMeta meta =
        stored(GATEWAY, lines).withPart(new ContentPart(2, 7)).withFlag(StoredMeta.SETS_COOKIE);
    StoredMeta seen = regarded(meta, FORWARD, LONG, SHORT, "ETag: \"1\"");
    assertThat(seen.initialAgeSeconds()).isEqualTo(4);
    assertThat(seen.part()).isEqualTo(meta.part());
    assertThat(seen.etag()).isEqualTo(meta.etag());
    assertThat(seen.has(StoredMeta.SETS_COOKIE)).isTrue();
  }

  @Test
  void itIsKnownAtRestToo() {
    StoredMeta meta = stored(GATEWAY, LONG, "Cache-Control: private");
    ByteBuf bytes = Unpooled.buffer();
    StoredForm.writeMeta(meta, bytes);
    StoredMeta read = StoredForm.readMeta(bytes);
    bytes.release();
    assertThat(read.isFor(false)).isFalse();
    assertThat(read.isFor(true)).isTrue();
  }
}
