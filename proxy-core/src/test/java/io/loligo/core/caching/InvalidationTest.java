package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 4.4: invalidation")
class InvalidationTest {
  private static final String URL = "http://a.example/x/y?q";

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(ints = {Method.POST, Method.PUT, Method.DELETE, Method.PATCH, Method.OTHER})
  void unsafeAndUnknownMethodsInvalidateTheirTarget(int method) {
    for (int status : new int[] {200, 201, 204, 302, 303}) {
      assertThat(targets(method, Heads.response(status))).containsExactly(URL);
    }
  }

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(
      ints = {
        Method.GET,
        Method.HEAD,
        Method.OPTIONS,
        Method.TRACE,
        Method.QUERY,
        Method.PROPFIND,
        Method.REPORT,
        Method.SEARCH
      })
  void safeMethodsInvalidateNothing(int method) {
    assertThat(targets(method, Heads.response(200, "Location: /z"))).isEmpty();
  }

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(ints = {103, 400, 404, 500, 503})
  void errorsInvalidateNothing(int status) {
    assertThat(targets(Method.POST, Heads.response(status, "Location: /z"))).isEmpty();
  }

  @ParameterizedTest
  @Tag("MAY")
  @CsvSource(
      delimiter = '|',
      value = {
        "/z|http://a.example/z",
        "/z#frag|http://a.example/z",
        "z|http://a.example/x/z",
        "../z?p|http://a.example/z?p",
        "./|http://a.example/x/",
        "?p|http://a.example/x/y?p",
        "//A.example/z|http://a.example/z",
        "http://a.example:80/z|http://a.example/z",
        "HTTP://A.example./x/./v/../z#f|http://a.example/x/z",
        "//a.example/../z?..|http://a.example/z?..",
        "http://a.example?p/../z|http://a.example/?p/../z",
        "z?a:b|http://a.example/x/z?a:b"
      })
  void locationsOfTheSameOriginToo(String reference, String key) {
    assertThat(targets(Method.POST, Heads.response(201, "Location: " + reference)))
        .containsExactly(URL, key);
    assertThat(targets(Method.POST, Heads.response(201, "Content-Location: " + reference)))
        .containsExactly(URL, key);
  }

  @Must
  void bothLocations() {
    assertThat(targets(Method.PUT, Heads.response(200, "Location: /l", "Content-Location: /c")))
        .containsExactly(URL, "http://a.example/l", "http://a.example/c");
  }

  @ParameterizedTest
  @Tag("MUST")
  @ValueSource(
      strings = {
        "http://b.example/z",
        "https://a.example/z",
        "http://a.example:81/z",
        "//b.example/z",
        "mailto:a@b",
        "http://",
        "http://u@a.example/z"
      })
  @DisplayName("other origins are never touched")
  void locationsElsewhereAreIgnored(String reference) {
    assertThat(targets(Method.POST, Heads.response(201, "Location: " + reference)))
        .containsExactly(URL);
  }

  @Must
  void targetIsNamedOnce() {
    assertThat(targets(Method.POST, Heads.response(200, "Location: " + URL))).containsExactly(URL);
    assertThat(targets(Method.POST, Heads.response(200, "Location:"))).containsExactly(URL);
  }

  @Must
  void requestWithoutUrlInvalidatesNothing() {
    assertThat(Invalidation.targets("a.example:443", Method.CONNECT, Heads.response(200)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "/a/b/../c, /a/c",
    "/a/./b/, /a/b/",
    "/.., /",
    "/../../a, /a",
    "/a/.., /",
    "/a/., /a/",
    "/a//b, /a//b",
    "/, /",
    "/..a/.b, /..a/.b"
  })
  @DisplayName("RFC 3986 section 5.2.4: dot segments")
  void removesDotSegments(String path, String expected) {
    assertThat(UriReference.withoutDots(path)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "http://a, b, http://a/b",
    "http://a?q, b, http://a/b",
    "http://a?q, ?r, http://a/?r"
  })
  void emptyPathsAreResolvedAgainst(String base, String reference, String key) {
    assertThat(
            Invalidation.targets(base, Method.POST, Heads.response(200, "Location: " + reference)))
        .extracting(CacheKey::toString)
        .contains(key);
  }

  private static List<String> targets(int method, ResponseHead response) {
    return Invalidation.targets(URL, method, response).stream().map(CacheKey::toString).toList();
  }
}
