package io.loligo.core.caching;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.StoreId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 2, RFC 9110 section 4.2.3: the cache key")
class CacheKeysTest {
  @ParameterizedTest
  @CsvSource({
    "http://Example.COM, http://example.com/",
    "HTTP://example.com/, http://example.com/",
    "http://example.com:80/a, http://example.com/a",
    "http://example.com:/a, http://example.com/a",
    "https://example.com:443/a, https://example.com/a",
    "https://example.com:80/a, https://example.com:80/a",
    "http://example.com:8080/a, http://example.com:8080/a",
    "http://example.com./a, http://example.com/a",
    "http://example.com?q, http://example.com/?q",
    "http://example.com/a#part, http://example.com/a",
    "http://example.com#part, http://example.com/",
    "http://[2001:DB8::1]:80/, http://[2001:db8::1]/",
    "http://[::1]:8080/, http://[::1]:8080/",
    "http://[0:0::0001]:8080/, http://[::1]:8080/",
    "http://[::ffff:192.0.2.1]/, http://192.0.2.1/"
  })
  void normalisesPartsThatCannotChangeTheResponse(String url, String key) {
    assertThat(CacheKeys.of(url)).hasToString(key);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://a/%7Eb",
        "http://a/%7eb",
        "http://a/A/../b",
        "http://a//",
        "http://a/?",
        "http://a/?b=1&a=2"
      })
  void leavesPathAndQueryAsTheyAre(String url) {
    assertThat(CacheKeys.of(url)).hasToString(url);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/a",
        "a",
        "http:/a",
        "://a/",
        "http://",
        "http:///a",
        "http://:80/",
        "http://user@a/",
        "http://user:pass@a/",
        "http://a:x/",
        "http://a:65536/",
        "http://a:-1/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[]/",
        "http://./",
        "http://a b/",
        "http://a/\u0001",
        "http://a/\u0100",
        "1http://a/"
      })
  void refusesTextThatIsNotAUrl(String url) {
    assertThat(CacheKeys.of(url)).isNull();
  }

  @Test
  void keyOfPartsEqualsKeyOfText() {
    byte[] head = "GET /a?b HTTP/1.1".getBytes(ISO_8859_1);
    KeyProbe probe = CacheKeys.seal(new KeyProbe(), "http", "a.example", 8080, head, 4, 8);
    assertThat(probe.toKey()).isEqualTo(CacheKeys.of("http://a.example:8080/a?b"));
  }

  @ParameterizedTest
  @CsvSource({
    "/a?b, http://origin.example:8080/a?b",
    "http://A.example./a%7E, http://a.example/a%7E",
    "http://a.example:80, http://a.example/",
    "http://[::1]:81?b, http://[::1]:81/?b",
    "http://[2001:DB8:0:0::01]/, http://[2001:db8::1]/",
    "http://[::FFFF:c000:201]/, http://192.0.2.1/"
  })
  void requestsAndTextsHaveTheSameKey(String target, String url) {
    RequestTarget resolved = new RequestTarget();
    RequestHead head = Heads.to("GET", target, "Host: Origin.example:8080");
    assertThat(resolved.resolve(head, "http", null, true)).isNull();
    CacheKey key = CacheKeys.seal(new KeyProbe(), resolved).toKey();
    assertThat(key).hasToString(url).isEqualTo(CacheKeys.of(url));
    assertThat(CacheKeys.of(resolved.url())).isEqualTo(key);
  }

  @Test
  void emptyPathBeforeAQueryIsASlash() {
    byte[] target = "?b".getBytes(ISO_8859_1);
    KeyProbe probe = CacheKeys.seal(new KeyProbe(), "https", "::1", 443, target, 0, 2);
    assertThat(probe.toKey()).hasToString("https://[::1]/?b");
  }

  @Test
  void probeForgetsThePreviousKey() {
    KeyProbe probe = new KeyProbe();
    byte[] slash = {'/'};
    CacheKeys.seal(probe, "http", "a-rather-long-host.example", 80, slash, 0, 1);
    CacheKeys.seal(probe, "http", "b", 80, slash, 0, 1);
    assertThat(probe.toKey()).hasToString("http://b/");
  }

  @ParameterizedTest
  @CsvSource({
    "http://Cdn.test:80/x?a=b, http://cdn.test/x?a=b",
    "http://cdn.test/x#1, store-id:///http://cdn.test/x#1",
    "word, store-id:///word",
    "a b, store-id:///a%20b",
    "a%20b, store-id:///a%2520b",
    "store-id:///word, store-id:///store-id:///word",
    "http://user@cdn.test/, store-id:///http://user@cdn.test/",
    "\u00e9, store-id:///\u00e9"
  })
  void aStoreIdHasTheKeyOfItsUrlOrOneThatNoUrlHas(String id, String key) {
    StoreId named = CacheKeys.storeId(id);
    assertThat(named.text()).isEqualTo(id);
    assertThat(named.key()).isEqualTo(key);
    RequestTarget target = new RequestTarget();
    target.storedAs(named);
    KeyProbe probe = new KeyProbe();
    assertThat(CacheKeys.seal(probe, target).toKey()).hasToString(key);
    target.keyedBy(" more", null, 0);
    assertThat(CacheKeys.seal(probe, target).toKey()).hasToString(key + " more");
    assertThat(CacheGroups.origin(CacheKeys.sealUrl(probe, target).toKey())).contains("://");
  }

  @Test
  void noUrlBeginsAsANameThatIsNone() {
    assertThat(CacheKeys.of("store-id:///word")).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a\rb", "a\nb", "a\u007fb", "a\u0000", "\u0100"})
  void someTextsAreNoStoreId(String id) {
    assertThat(CacheKeys.storeId(id)).isNull();
  }

  @Test
  void aStoreIdHasALimit() {
    assertThat(CacheKeys.storeId("a".repeat(CacheKeys.MAX_STORE_ID_BYTES))).isNotNull();
    assertThat(CacheKeys.storeId("a".repeat(CacheKeys.MAX_STORE_ID_BYTES + 1))).isNull();
  }
}
