package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The matches of each type of ACL. */
class AclTypesTest {
  private static boolean matches(FakeRequest request, String type, String... values) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    List<AclProblem> problems = acls.define("a", AclType.of(type), List.of(values));
    assertThat(problems).noneMatch(AclProblem::error);
    AclRule rule = new AclRule(true, List.of("a"), "http_access allow a", "f:1");
    return acls.compile(List.of(rule), AclList.denyAll(), false).evaluate(request).allowed();
  }

  private static FakeRequest get(String host, int port, String path) {
    return new FakeRequest().target("http", host, port, path);
  }

  @ParameterizedTest
  @CsvSource({
    "/%61dmin, ^/admin, true",
    "/%61DMIN, ^/aDMIN, true",
    "/%61dmin, %61, false",
    "/%2561, ^/%61, true",
    "/a%20b, ^/a[[:space:]]b$, true",
    "/%00, ^/%00$, true",
    "/%%41, ^/%41$, true",
    "/%4, ^/%4$, true",
    "/%, ^/%$, true",
    "/%zz%41, ^/%zzA$, true"
  })
  void expressionsAreSearchedInDecodedUrls(String path, String expression, boolean expected) {
    FakeRequest request = new FakeRequest().target("http", "example.com", 80, path);
    assertThat(matches(request, "urlpath_regex", expression)).isEqualTo(expected);
    String inUrl = expression.replace("^/", "^http://example.com/");
    assertThat(matches(request, "url_regex", inUrl)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, 10.0.0.0/8, true",
    "11.1.2.3, 10.0.0.0/8, false",
    "10.1.2.3, 10.0.0.0/255.0.0.0, true",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.1-10.1.2.3, true",
    "10.1.2.4, 10.1.2.1-10.1.2.3, false",
    "10.1.9.4, 10.1.0.0-10.1.9.0/24, true",
    "255.255.255.255, all, true",
    "::1, all, true",
    "::1, ipv4, false",
    "10.1.2.3, ipv6, false",
    "fe80::1, fe80::/10, true",
    "fec0::1, fe80::/10, false",
    "2001:db8::5, 2001:db8::1-2001:db8::9, true",
    "2001:db8::a, 2001:db8::1-2001:db8::9, false",
    "10.1.2.3, ::ffff:10.1.2.3, true",
    "10.1.2.3, ::ffff:10.0.0.0/104, true",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 8000::/1, true",
    "7fff::1, 8000::/1, false",
  })
  void src(String client, String value, boolean expected) {
    assertThat(matches(new FakeRequest().client(client), "src", value)).isEqualTo(expected);
  }

  @Test
  void anIpv4MappedClientIsTheIpv4Address() {
    byte[] mapped = new byte[16];
    mapped[10] = -1;
    mapped[11] = -1;
    mapped[12] = 10;
    assertThat(matches(new FakeRequest().client(mapped), "src", "10.0.0.0/8")).isTrue();
    assertThat(matches(new FakeRequest().client(mapped), "src", "::/0")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "example.com, .example.com, true",
    "www.example.com, .example.com, true",
    "a.b.example.com, .example.com, true",
    "badexample.com, .example.com, false",
    "example.com.evil.org, .example.com, false",
    "example.com, example.com, true",
    "www.example.com, example.com, false",
    "example.com, .EXAMPLE.com, true",
    "com, .com, true",
    "10.0.0.1, 10.0.0.1, true",
    "10.0.0.1, .0.0.1, true",
    "::1, [::1], true",
    "::1, [0:0::0001], true",
    "2001:db8::1, 2001:0DB8:0::1, true",
    "10.0.0.1, [::ffff:10.0.0.1], true",
    "localhost, .local, false",
  })
  void dstdomain(String host, String value, boolean expected) {
    assertThat(matches(get(host, 80, "/"), "dstdomain", value)).isEqualTo(expected);
  }

  @Test
  void portsAndMethodsAndSchemes() {
    assertThat(matches(get("h", 443, "/"), "port", "80", "400-500")).isTrue();
    assertThat(matches(get("h", 501, "/"), "port", "80", "400-500")).isFalse();
    assertThat(matches(get("h", 80, "/"), "method", "post", "get")).isTrue();
    assertThat(matches(new FakeRequest().method("post"), "method", "POST")).isTrue();
    assertThat(matches(new FakeRequest().method("foo"), "method", "Foo")).isFalse();
    assertThat(matches(new FakeRequest().method("Foo"), "method", "Foo")).isTrue();
    assertThat(matches(get("h", 80, "/"), "proto", "HTTP")).isTrue();
    assertThat(matches(new FakeRequest().connect("h", 443), "proto", "http")).isFalse();
    assertThat(matches(new FakeRequest(), "myportname", "front")).isTrue();
    assertThat(matches(new FakeRequest(), "myport", "3128")).isTrue();
    assertThat(matches(new FakeRequest(), "myip", "192.0.2.99")).isTrue();
  }

  @Test
  void expressionsAreFoundAnywhere() {
    FakeRequest request = get("www.example.com", 80, "/Images/a.png?x=1");
    assertThat(matches(request, "url_regex", "example.*png")).isTrue();
    assertThat(matches(request, "url_regex", "^http://www")).isTrue();
    assertThat(matches(request, "url_regex", "images")).isFalse();
    assertThat(matches(request, "url_regex", "-i", "images")).isTrue();
    assertThat(matches(request, "url_regex", "-i", "nothing", "+i", "images")).isFalse();
    assertThat(matches(request, "urlpath_regex", "^/Images/")).isTrue();
    assertThat(matches(request, "urlpath_regex", "example")).isFalse();
    assertThat(matches(request, "dstdom_regex", "^www\\.")).isTrue();
  }

  @Test
  void optionsStandBeforeTheValues() {
    FakeRequest request = get("www.example.com", 80, "/-x/Images").fields(Map.of("X-Foo", "Bar"));
    assertThat(matches(request, "url_regex", "--", "-x/")).isTrue();
    assertThat(matches(request, "url_regex", "-i", "--", "-X/")).isTrue();
    assertThat(matches(request, "url_regex", "--", "-X/")).isFalse();
    assertThat(matches(request, "dstdom_regex", "-ni", "EXAMPLE")).isTrue();
    assertThat(matches(request, "dstdom_regex", "-in", "EXAMPLE")).isTrue();
    assertThat(matches(request, "dstdom_regex", "-n", "EXAMPLE")).isFalse();
    assertThat(matches(request, "dstdom_regex", "-i", "+i", "EXAMPLE")).isFalse();
    assertThat(matches(request, "req_header", "-i", "X-Foo", "bar")).isTrue();
    assertThat(matches(request, "req_header", "X-Foo", "bar")).isFalse();
    assertThat(matches(request, "dstdomain", "-n", "--", "www.example.com")).isTrue();
    assertThat(matches(request, "time", "--", "SMTWHFA")).isTrue();
    assertThat(matches(request, "all-of", "--", "all")).isTrue();
    assertThat(matches(request, "method", "--", "GET")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "url_regex, -x",
    "url_regex, -ix",
    "url_regex, --foo",
    "url_regex, -n",
    "url_regex, -i=1",
    "req_header, -n X-Foo bar",
    "time, -i M",
    "maxconn, -i",
    "any-of, -n all",
    "src, +i 1.2.3.4",
    "method, - GET",
  })
  void otherOptionsAreErrors(String type, String values) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    assertThat(acls.define("a", AclType.of(type), List.of((values + " 5").split(" ", -1))))
        .filteredOn(AclProblem::error)
        .extracting(AclProblem::valueIndex)
        .contains(0);
  }

  @Test
  void dstWithoutLookUpsComparesAnAddressInTheUrlOnly() {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    acls.define("a", AclType.DST, List.of("-n", "10.0.0.0/8"));
    acls.define("either", AclType.ANY_OF, List.of("a", "to_localhost"));
    assertThat(acls.needsDestination("a")).isFalse();
    assertThat(acls.needsDestination("either")).isTrue();
    assertThat(matches(get("10.1.2.3", 80, "/"), "dst", "-n", "10.0.0.0/8")).isTrue();
    assertThat(matches(get("11.1.2.3", 80, "/"), "dst", "-n", "10.0.0.0/8")).isFalse();
    assertThat(matches(get("ten.test", 80, "/"), "dst", "-n", "10.0.0.0/8")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"1/2", "1:1", "0.5", "0.50"})
  void randomMatchesItsShareOfRequests(String chance) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    assertThat(acls.define("a", AclType.RANDOM, List.of(chance))).isEmpty();
    AclRule rule = new AclRule(true, List.of("a"), "http_access allow a", "f:1");
    AclList list = acls.compile(List.of(rule), AclList.denyAll(), false);
    int matches = 0;
    for (int i = 0; i < 10_000; i++) {
      matches += list.evaluate(new FakeRequest()).allowed() ? 1 : 0;
    }
    // twenty standard deviations on either side
    assertThat(matches).isBetween(4_000, 6_000);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "1.5", "-0.5", "0/2", "1/0", "1:0", "half", "1/2/3"})
  void randomNeedsAShare(String chance) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    assertThat(acls.define("a", AclType.RANDOM, List.of("--", chance))).hasSize(1);
  }

  @Test
  void fieldsOfTheRequest() {
    FakeRequest request =
        new FakeRequest()
            .fields(
                Map.of(
                    "User-Agent", "curl/8",
                    "Referer", "http://r/",
                    "Content-Type", "text/plain",
                    "X-Foo", "Bar"));
    assertThat(matches(request, "browser", "^curl")).isTrue();
    assertThat(matches(request, "referer_regex", "//r/")).isTrue();
    assertThat(matches(request, "req_mime_type", "^text/")).isTrue();
    assertThat(matches(request, "req_header", "x-foo", "-i", "^bar$")).isTrue();
    assertThat(matches(request, "req_header", "x-foo", "^bar$")).isFalse();
    assertThat(matches(request, "req_header", "X-Other", ".")).isFalse();
    assertThat(matches(new FakeRequest(), "browser", ".")).isFalse();
  }

  @Test
  void fieldsOfTheReply() {
    FakeRequest request = new FakeRequest();
    assertThat(matches(request, "rep_mime_type", ".")).isFalse();
    assertThat(matches(request, "http_status", "200")).isFalse();
    request.reply(404, Map.of("Content-Type", "video/mp4"));
    assertThat(matches(request, "rep_mime_type", "^video/")).isTrue();
    assertThat(matches(request, "rep_header", "Content-Type", "mp4")).isTrue();
    assertThat(matches(request, "http_status", "200", "400-")).isTrue();
    assertThat(matches(request, "http_status", "200-399")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    // 2026-11-21 is a Saturday
    "2026-11-21T09:59:59Z, 10:00-12:00, false",
    "2026-11-21T10:00:00Z, 10:00-12:00, true",
    "2026-11-21T12:00:59Z, 10:00-12:00, true",
    "2026-11-21T12:01:00Z, 10:00-12:00, false",
    "2026-11-21T11:00:00Z, A 10:00-12:00, true",
    "2026-11-21T11:00:00Z, MTWHF 10:00-12:00, false",
    "2026-11-20T11:00:00Z, D 10:00-12:00, true",
    "2026-11-22T11:00:00Z, D, false",
    "2026-11-22T23:59:00Z, S, true",
    "2026-11-19T11:00:00Z, H, true",
    "2026-11-21T11:00:00Z, 8:00-9:00 A 10:00-24:00, true",
    "2026-11-20T11:00:00Z, M T W H F 10:00-12:00, true",
    "2026-11-16T11:00:00Z, M T W H F 10:00-12:00, true",
    "2026-11-16T09:00:00Z, M T W H F 10:00-12:00, false",
    "2026-11-21T11:00:00Z, M T W H F 10:00-12:00, false",
    "2026-11-21T11:00:00Z, MT A 10:00-12:00 S 13:00-14:00, true",
    "2026-11-22T11:00:00Z, MT A 10:00-12:00 S 13:00-14:00, false",
    "2026-11-22T13:30:00Z, MT A 10:00-12:00 S 13:00-14:00, true",
    "2026-11-22T11:00:00Z, A 10:00-12:00 S M, true",
    "2026-11-21T13:00:00Z, A 10:00-12:00 S M, false",
    "2026-11-17T11:00:00Z, SM-W 10:00-12:00, false",
    "2026-11-18T11:00:00Z, SM-W 10:00-12:00, true",
  })
  void time(Instant now, String values, boolean expected) {
    FakeRequest request = new FakeRequest().now(now.toEpochMilli());
    assertThat(matches(request, "time", values.split(" ", -1))).isEqualTo(expected);
  }

  @Test
  void maxconnMatchesAboveItsNumber() {
    assertThat(matches(new FakeRequest().connections(4), "maxconn", "4")).isFalse();
    assertThat(matches(new FakeRequest().connections(5), "maxconn", "4")).isTrue();
  }

  @Test
  void groupsCombineOthers() {
    FakeRequest request = new FakeRequest().client("127.0.0.1").method("CONNECT");
    assertThat(matches(request, "any-of", "to_localhost", "localhost")).isTrue();
    assertThat(matches(request, "all-of", "localhost", "!CONNECT")).isFalse();
    assertThat(matches(request, "all-of", "localhost", "CONNECT")).isTrue();
  }

  @Test
  void managerIsThePathOfTheManagerPages() {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    AclRule rule = new AclRule(false, List.of("manager"), "", "");
    AclList list = acls.compile(List.of(rule), AclList.denyAll(), false);
    assertThat(list.evaluate(get("h", 80, "/squid-internal-mgr/info")).denied()).isTrue();
    assertThat(list.evaluate(get("h", 80, "/%73quid-internal-mgr%2finfo")).denied()).isTrue();
    assertThat(list.evaluate(get("h", 80, "/x/squid-internal-mgr/")).denied()).isFalse();
  }

  @Test
  void hostNamesInAddressesAreResolvedWhileReading() {
    Acls acls =
        new Acls(
            host -> host.equals("me.test") ? List.of(new byte[] {10, 0, 0, 9}) : List.of(),
            ZoneOffset.UTC);
    assertThat(acls.define("a", AclType.SRC, List.of("me.test"))).isEmpty();
    assertThat(acls.define("b", AclType.SRC, List.of("you.test"))).hasSize(1);
    AclRule rule = new AclRule(true, List.of("a"), "", "");
    AclList list = acls.compile(List.of(rule), AclList.denyAll(), false);
    assertThat(list.evaluate(new FakeRequest().client("10.0.0.9")).allowed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "1.2.3.4, 01020304",
    "0.0.0.0, 00000000",
    "1.2.3, ''",
    "1.2.3.4.5, ''",
    "1.2.3.256, ''",
    "1..3.4, ''",
    "1.2.3.4x, ''",
    "::, 00000000000000000000000000000000",
    "::1, 00000000000000000000000000000001",
    "1::, 00010000000000000000000000000000",
    "1:2:3:4:5:6:7:8, 00010002000300040005000600070008",
    "1:2:3:4:5:6:1.2.3.4, 00010002000300040005000601020304",
    "::ffff:1.2.3.4, 01020304",
    "1:2:3:4:5:6:7, ''",
    "1:2:3:4:5:6:7:8:9, ''",
    "1::2::3, ''",
    "::12345, ''",
    "1:2:3:4::5:6:7:8, ''",
    ":1, ''",
    "fe80::1%eth0, ''",
  })
  void textOfAddresses(String text, String hex) {
    byte[] bytes = IpText.parse(text);
    StringBuilder got = new StringBuilder();
    if (bytes != null) {
      for (byte one : bytes) {
        got.append(String.format("%02x", one));
      }
    }
    assertThat(got.toString()).as(Arrays.toString(bytes)).isEqualTo(hex);
  }
}
