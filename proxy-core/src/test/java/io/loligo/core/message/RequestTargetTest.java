package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Request targets (RFC 9112 section 3.2)")
final class RequestTargetTest {
  private final RequestTarget target = new RequestTarget();

  private static RequestHead head(String lines) {
    byte[] bytes = (lines.replace("\n", "\r\n") + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead();
    Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
    assertThat(parser.parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return head;
  }

  private ParseFailure forward(String lines) {
    return target.resolve(head(lines), "http", null, true);
  }

  private ParseFailure accel(String lines, boolean vhost) {
    return target.resolve(head(lines), "https", "Site.example:8443", vhost);
  }

  private String path() {
    return new String(
        target.pathBytes(),
        target.pathStart(),
        target.pathEnd() - target.pathStart(),
        StandardCharsets.ISO_8859_1);
  }

  @Nested
  @DisplayName("3.2.1 origin-form")
  final class OriginForm {
    @Test
    void takesItsAuthorityFromHost() {
      assertThat(forward("GET /a?b HTTP/1.1\nHost: Example.COM.:8080")).isNull();
      assertThat(target.form()).isEqualTo(RequestTarget.Form.ORIGIN);
      assertThat(target.scheme()).isEqualTo("http");
      assertThat(target.host()).isEqualTo("example.com");
      assertThat(target.port()).isEqualTo(8080);
      assertThat(path()).isEqualTo("/a?b");
      assertThat(target.authority()).isEqualTo("example.com:8080");
      assertThat(target.url()).isEqualTo("http://example.com:8080/a?b");
    }

    @Test
    void doesNotTakeADoubleSlashForAnAuthority() {
      assertThat(forward("GET //evil/x HTTP/1.1\nHost: a")).isNull();
      assertThat(target.url()).isEqualTo("http://a//evil/x");
    }

    @Test
    void needsAHostFromSomewhere() {
      assertThat(forward("GET / HTTP/1.0")).isEqualTo(ParseFailure.MISSING_HOST);
      assertThat(forward("GET / HTTP/1.1\nHost:")).isEqualTo(ParseFailure.BAD_HOST);
      assertThat(accel("GET / HTTP/1.0", true)).isNull();
      assertThat(target.url()).isEqualTo("https://site.example:8443/");
      assertThat(accel("GET / HTTP/1.1\nHost:", true)).isNull();
      assertThat(target.host()).isEqualTo("site.example");
    }

    @Test
    void letsHostChooseOnlyWhereAllowed() {
      assertThat(accel("GET / HTTP/1.1\nHost: other", true)).isNull();
      assertThat(target.url()).isEqualTo("https://other/");
      assertThat(accel("GET / HTTP/1.1\nHost: other", false)).isNull();
      assertThat(target.url()).isEqualTo("https://site.example:8443/");
    }

    @Test
    void fallsBackToHostWithoutADefault() {
      assertThat(target.resolve(head("GET / HTTP/1.1\nHost: a"), "http", null, false)).isNull();
      assertThat(target.host()).isEqualTo("a");
    }

    @Test
    void refusesFragments() {
      assertThat(forward("GET /a#b HTTP/1.1\nHost: a")).isEqualTo(ParseFailure.BAD_TARGET);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"a", "a/b", "?b", "*a", "http:/a/", "http:a", "://a", "1http://a/", "a:80"})
    void mustStartWithASlash(String text) {
      assertThat(forward("GET " + text + " HTTP/1.1\nHost: a")).isEqualTo(ParseFailure.BAD_TARGET);
    }
  }

  @Nested
  @DisplayName("3.2.2 absolute-form")
  final class AbsoluteForm {
    @Test
    @DisplayName("MUST ignore Host")
    void overridesHost() {
      assertThat(forward("GET HTTP://Example.com:80/a?b HTTP/1.1\nHost: other")).isNull();
      assertThat(target.form()).isEqualTo(RequestTarget.Form.ABSOLUTE);
      assertThat(target.url()).isEqualTo("http://example.com/a?b");
      assertThat(target.authority()).isEqualTo("example.com");
    }

    @ParameterizedTest
    @CsvSource({
      "http://a,http://a/,80",
      "http://a:/,http://a/,80",
      "http://a?q,http://a/?q,80",
      "http://a:81?q/r,http://a:81/?q/r,81",
      "hTTps://a/,https://a/,443",
      "https://a:80/,https://a:80/,80",
      "FTP://a/x,ftp://a/x,21",
      "coap+tcp://a/x,coap+tcp://a/x,0",
      "http://[::1]/,http://[::1]/,80",
      "http://[FE80::1]:8080/x,http://[fe80::1]:8080/x,8080",
      "http://[2001:0DB8:0:0::0001]/,http://[2001:db8::1]/,80",
      "http://[::ffff:10.0.0.1]:81/,http://10.0.0.1:81/,81",
      "http://A=b.Test./,http://a=b.test/,80",
      "http://!$&*+=~.test:81/,http://!$&*+=~.test:81/,81"
    })
    void givesTheEffectiveUri(String text, String url, int port) {
      assertThat(forward("GET " + text + " HTTP/1.1\nHost: a")).isNull();
      assertThat(target.url()).isEqualTo(url);
      assertThat(target.port()).isEqualTo(port);
    }

    @Test
    void hasAHostWithoutBrackets() {
      forward("GET http://[::1]:8080/ HTTP/1.1\nHost: a");
      assertThat(target.host()).isEqualTo("::1");
      assertThat(target.authority()).isEqualTo("[::1]:8080");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "http://",
          "http:///",
          "http://u@/",
          "http://u@b@a/",
          "http://u\\@a/",
          "http://u[@a/",
          "http://a:0/",
          "http://a:65536/",
          "http://a:b/",
          "http://a%2e/",
          "http://a/#f",
          "http://a#f",
          "http://a?b#f",
          "http://a,b/",
          "http://[::1/",
          "http://1.2.3/",
          "http:\\\\a/",
          "http://a\\b/"
        })
    void refusesOddAuthoritiesAndFragments(String text) {
      assertThat(forward("GET " + text + " HTTP/1.1\nHost: a")).isEqualTo(ParseFailure.BAD_TARGET);
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "http://u@a/b@c",
          "http://u:p%40x@a/b@c",
          "http://@a/b@c",
          "http://b:80@A:80/b@c"
        })
    void losesItsUserInformation(String text) {
      assertThat(forward("GET " + text + " HTTP/1.1\nHost: x")).isNull();
      assertThat(target.hasUserInfo()).isTrue();
      assertThat(target.url()).isEqualTo("http://a/b@c");
      assertThat(target.authority()).isEqualTo("a");
      assertThat(forward("GET http://a/b@c HTTP/1.1\nHost: x")).isNull();
      assertThat(target.hasUserInfo()).isFalse();
    }

    @Test
    void losesItsAuthorityWhereTheSiteIsFixed() {
      assertThat(accel("GET http://other/a HTTP/1.1\nHost: other", false)).isNull();
      assertThat(target.url()).isEqualTo("https://site.example:8443/a");
      assertThat(accel("GET http://other/a HTTP/1.1\nHost: x", true)).isNull();
      assertThat(target.url()).isEqualTo("http://other/a");
    }
  }

  @Nested
  @DisplayName("3.2.3 authority-form")
  final class AuthorityForm {
    @Test
    void isHostAndPort() {
      assertThat(forward("CONNECT Example.com:443 HTTP/1.1\nHost: x")).isNull();
      assertThat(target.form()).isEqualTo(RequestTarget.Form.AUTHORITY);
      assertThat(target.host()).isEqualTo("example.com");
      assertThat(target.port()).isEqualTo(443);
      assertThat(target.scheme()).isEmpty();
      assertThat(target.authority()).isEqualTo("example.com:443");
      assertThat(target.url()).isEqualTo("example.com:443");
      assertThat(path()).isEmpty();
      assertThat(forward("CONNECT [::1]:80 HTTP/1.1\nHost: x")).isNull();
      assertThat(target.url()).isEqualTo("[::1]:80");
      assertThat(forward("CONNECT [0::0:1]:80 HTTP/1.1\nHost: x")).isNull();
      assertThat(target.url()).isEqualTo("[::1]:80");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"a", "a:", "a:0", ":443", "u@a:443", "/", "*", "http://a:443/", "a:443/"})
    void refusesEverythingElse(String text) {
      assertThat(forward("CONNECT " + text + " HTTP/1.1\nHost: a"))
          .isEqualTo(ParseFailure.BAD_TARGET);
    }
  }

  @Nested
  @DisplayName("3.2.4 asterisk-form")
  final class AsteriskForm {
    @Test
    void isForOptionsOnly() {
      assertThat(forward("OPTIONS * HTTP/1.1\nHost: a:81")).isNull();
      assertThat(target.form()).isEqualTo(RequestTarget.Form.ASTERISK);
      assertThat(target.url()).isEqualTo("http://a:81");
      assertThat(path()).isEqualTo("*");
      assertThat(forward("GET * HTTP/1.1\nHost: a")).isEqualTo(ParseFailure.BAD_TARGET);
    }

    @Test
    @DisplayName("MUST be sent by the last proxy for an OPTIONS target with an empty path")
    void standsForAnEmptyPathOfOptions() {
      assertThat(forward("OPTIONS http://a HTTP/1.1\nHost: a")).isNull();
      assertThat(target.form()).isEqualTo(RequestTarget.Form.ABSOLUTE);
      assertThat(path()).isEqualTo("*");
      assertThat(target.url()).isEqualTo("http://a");
      assertThat(forward("OPTIONS http://a/ HTTP/1.1\nHost: a")).isNull();
      assertThat(path()).isEqualTo("/");
    }
  }

  @Test
  void makesNoNewStringForAHostSeenBefore() {
    forward("GET / HTTP/1.1\nHost: Example.com");
    String first = target.host();
    forward("GET / HTTP/1.1\nHost: other.example");
    assertThat(target.host()).isEqualTo("other.example");
    forward("GET /b HTTP/1.1\nHost: Example.com");
    assertThat(target.host()).isSameAs(first);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /a?b HTTP/1.1\nHost: h:81",
        "GET http://h:81/a?b HTTP/1.1\nHost: x",
        "GET http://h:81?b HTTP/1.1\nHost: x",
        "GET http://h:81 HTTP/1.1\nHost: x",
        "OPTIONS * HTTP/1.1\nHost: h:81",
        "CONNECT h:81 HTTP/1.1\nHost: x"
      })
  void snapshotsSurviveTheNextRequest(String lines) {
    RequestHead scratch = head(lines);
    assertThat(target.resolve(scratch, "http", null, true)).isNull();
    RequestTarget.Form form = target.form();
    String url = target.url();
    String path = path();
    RequestTarget copy = target.snapshot(scratch.snapshot());
    Arrays.fill(scratch.bytes(), (byte) 0);
    forward("GET http://other/c?d HTTP/1.1\nHost: x");
    assertThat(copy.form()).isEqualTo(form);
    assertThat(copy.url()).isEqualTo(url);
    assertThat(copy.host()).isEqualTo("h");
    assertThat(copy.port()).isEqualTo(81);
    assertThat(
            new String(
                copy.pathBytes(),
                copy.pathStart(),
                copy.pathEnd() - copy.pathStart(),
                StandardCharsets.ISO_8859_1))
        .isEqualTo(path);
  }

  @Nested
  @DisplayName("connections to one server (RFC 9110 section 7.2)")
  final class Connected {
    @ParameterizedTest
    @CsvSource({
      "GET /x HTTP/1.1|Host: a,http://a/x,80",
      "GET /x HTTP/1.0,http://192.0.2.1/x,80",
      "GET /x HTTP/1.1|Host: a,http://a:8080/x,8080",
      "GET /x HTTP/1.1|Host: a:,http://a:8080/x,8080",
      "GET /x HTTP/1.1|Host: a:8080,http://a:8080/x,8080",
      "GET /x HTTP/1.1|Host: a:80,http://a/x,8080",
      "GET /x HTTP/1.0,http://192.0.2.1:8080/x,8080",
      "GET /x HTTP/1.1|Host:,http://192.0.2.1:8080/x,8080",
      "OPTIONS * HTTP/1.1|Host: a,http://a:8080,8080"
    })
    void theirPortIsTheOneOfAHostWithoutPort(String lines, String url, int port) {
      assertThat(target.resolveAt(head(lines.replace('|', '\n')), "http", "192.0.2.1", port))
          .isNull();
      assertThat(target.url()).isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({"http://a/x,http://a/x", "http://a:81/x,http://a:81/x", "https://a/x,https://a/x"})
    void anAbsoluteFormTargetMeansWhatItSays(String text, String url) {
      RequestHead head = head("GET " + text + " HTTP/1.1\nHost: b");
      assertThat(target.resolveAt(head, "http", "192.0.2.1", 8080)).isNull();
      assertThat(target.url()).isEqualTo(url);
    }

    @Test
    void thePortHoldsForOneRequestOnly() {
      assertThat(target.resolveAt(head("GET / HTTP/1.1\nHost: a"), "https", "b", 8443)).isNull();
      assertThat(target.url()).isEqualTo("https://a:8443/");
      assertThat(forward("GET / HTTP/1.1\nHost: a")).isNull();
      assertThat(target.url()).isEqualTo("http://a/");
    }
  }
}
