package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The matches of types about notes, clients, ways and servers. */
class FurtherAclTypesTest {
  private static final String DIGEST =
      "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33";

  private Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);

  private AclVerdict verdict(FakeRequest request, String type, String... values) {
    acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    assertThat(problems("a", type, values)).noneMatch(AclProblem::error);
    AclRule rule = new AclRule(true, List.of("a"), "http_access allow a", "f:1");
    return acls.compile(List.of(rule), AclList.denyAll(), false).evaluate(request);
  }

  private List<AclProblem> problems(String name, String type, String... values) {
    return acls.define(name, AclType.of(type), List.of(values));
  }

  private boolean matches(FakeRequest request, String type, String... values) {
    return verdict(request, type, values).allowed();
  }

  // ---- notes

  @ParameterizedTest
  @CsvSource({
    "group, true",
    "group staff, true",
    "group guests staff, true",
    "group guests, false",
    "Group, false",
    "other, false",
    "list b, true",
    "list a;b, false",
    "-m list b, true",
    "-m=; commas a, false",
    "-m=; list a, false",
    "-m=; semicolons y, true",
    "semicolons x;y, true",
    "-m=;: semicolons z, true",
    "empty, false",
  })
  void noteComparesEachTokenOfAValue(String values, boolean expected) {
    FakeRequest request =
        new FakeRequest()
            .note("group", "staff")
            .note("list", "a,b")
            .note("semicolons", "x;y")
            .note("semicolons", "v:z")
            .note("empty", "");
    String[] words = values.split(" ", -1);
    assertThat(matches(request, "note", words)).isEqualTo(expected);
  }

  @Test
  void aNoteHasOneNameOnAllItsLines() {
    assertThat(problems("n", "note", "x", "1")).isEmpty();
    assertThat(problems("n", "note", "x", "2")).isEmpty();
    assertThat(problems("n", "note", "y", "2")).anyMatch(AclProblem::error);
    assertThat(problems("m", "note")).anyMatch(AclProblem::error);
  }

  @Test
  void annotationsReplaceOrAdd() {
    FakeRequest request = new FakeRequest().note("x", "old").note("y", "old").note("z", "old");
    assertThat(matches(request, "annotate_transaction", "x=new", "y+=new", "w+=a,b")).isTrue();
    assertThat(request.notes().all())
        .containsExactly(
            new Notes.Note("y", "old"),
            new Notes.Note("z", "old"),
            new Notes.Note("x", "new"),
            new Notes.Note("y", "new"),
            new Notes.Note("w", "a"),
            new Notes.Note("w", "b"));
    // a list that is evaluated again after a wait adds nothing
    Notes before = request.notes();
    AclList again =
        acls.compile(List.of(new AclRule(true, List.of("a"), "", "f:1")), AclList.denyAll(), false);
    again.evaluate(request);
    assertThat(request.notes().values("y")).isEqualTo(before.values("y")).isEqualTo("old,new");
  }

  @Test
  void annotationsTakeDelimitersAndQuotes() {
    FakeRequest request = new FakeRequest();
    assertThat(matches(request, "annotate_transaction", "-m=;", "x=a,b;c", "y=\"two", "words\""))
        .isTrue();
    assertThat(request.notes().all())
        .containsExactly(
            new Notes.Note("x", "a,b"), new Notes.Note("x", "c"), new Notes.Note("y", "two words"));
  }

  @Test
  void aNegatedAnnotationAnnotatesAndDoesNotMatch() {
    FakeRequest request = new FakeRequest();
    problems("mark", "annotate_transaction", "x=1");
    AclRule rule = new AclRule(true, List.of("!mark"), "", "f:1");
    AclList list = acls.compile(List.of(rule), AclList.denyAll(), false);
    assertThat(list.evaluate(request).allowed()).isFalse();
    assertThat(request.notes().values("x")).isEqualTo("1");
  }

  @Test
  void annotateClientKeepsTheNoteForTheConnection() {
    FakeRequest request = new FakeRequest().connected();
    assertThat(matches(request, "annotate_client", "x=1")).isTrue();
    assertThat(request.notes().values("x")).isEqualTo("1");
    assertThat(request.clientNotes().values("x")).isEqualTo("1");
    assertThat(matches(new FakeRequest(), "annotate_client", "x=1")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "=1", "x=", "user=x", "rewrite-url=x"})
  void annotationsWithoutANameOrAValueAreWrong(String value) {
    assertThat(problems("a", "annotate_transaction", value)).anyMatch(AclProblem::error);
  }

  // ---- hosts that operators add

  private boolean isAdded(String added, String host, int port, long atMillis) {
    acls = new Acls(name -> List.of(), ZoneOffset.UTC);
    assertThat(problems("Opened", "loligo_added")).isEmpty();
    assertThat(acls.isEmpty("opened")).isFalse();
    acls.added().get("opened").set(List.of(AddedHost.of(added, 1_000)));
    AclRule rule = new AclRule(true, List.of("opened"), "http_access allow opened", "f:1");
    FakeRequest request = new FakeRequest().connect(host, port).now(atMillis);
    return acls.compile(List.of(rule), AclList.denyAll(), false).evaluate(request).allowed();
  }

  @ParameterizedTest
  @CsvSource({
    "a.test, a.test, 443, true",
    "A.Test., a.test, 443, true",
    "a.test:443, a.test, 443, true",
    "a.test:443, a.test, 80, false",
    "a.test, b.a.test, 443, false",
    "a.test, ba.test, 443, false",
    ".a.test, b.a.test, 443, true",
    ".a.test, a.test, 443, true",
    ".a.test, ba.test, 443, false",
    ".a.test, test, 443, false",
    "192.0.2.1:22, 192.0.2.1, 22, true",
    "2001:DB8::0:1, 2001:db8::1, 443, true",
    "[2001:db8::1]:443, 2001:db8::1, 443, true",
    "[2001:db8::1]:443, 2001:db8::1, 80, false",
  })
  void anAddedHostMatchesItsNameAndPort(String added, String host, int port, boolean expected) {
    assertThat(isAdded(added, host, port, 0)).isEqualTo(expected);
  }

  @Test
  void anAddedHostExpires() {
    assertThat(isAdded("a.test", "a.test", 443, 999)).isTrue();
    assertThat(isAdded("a.test", "a.test", 443, 1_000)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "*",
        "*.a.test",
        "a..test",
        "-a.test",
        "a.test:",
        "a.test:0",
        "a.test:65536",
        "a.test:x",
        "a.test/x",
        "http://a.test",
        "[a.test]",
        "[::1",
        "[::1]x",
        "a b",
        "user@a.test"
      })
  void otherTextIsNoHost(String text) {
    assertThatThrownBy(() -> AddedHost.of(text, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAddedHostIsShownAsItIsRead() {
    for (String text : List.of("a.test", ".a.test:80", "[2001:db8::1]:443", "192.0.2.1")) {
      assertThat(AddedHost.of(text, 0).text()).isEqualTo(text);
    }
  }

  @Test
  void addedHostsAndServerNamesTakeNoValue() {
    assertThat(problems("a", "loligo_added", "x")).anyMatch(AclProblem::error);
    assertThat(problems("b", "loligo_other_server_name", "x")).anyMatch(AclProblem::error);
  }

  // ---- the client

  @Test
  void srcdomainWaitsForTheNameOfTheClient() {
    assertThat(verdict(new FakeRequest(), "srcdomain", ".example.com").kind())
        .isEqualTo(AclVerdict.Kind.NEEDS_CLIENT);
    assertThat(matches(new FakeRequest().clientName("pc.example.com"), "srcdomain", ".example.com"))
        .isTrue();
    assertThat(matches(new FakeRequest().clientName("example.org"), "srcdomain", ".example.com"))
        .isFalse();
    assertThat(matches(new FakeRequest().clientName("none"), "srcdomain", "none")).isTrue();
  }

  @Test
  void srcdomRegexSearchesTheNameOfTheClient() {
    FakeRequest known = new FakeRequest().clientName("pc7.example.com");
    assertThat(matches(known, "srcdom_regex", "-i", "^PC[0-9]+[.]")).isTrue();
    assertThat(matches(new FakeRequest().clientName("none"), "srcdom_regex", "x")).isFalse();
    assertThat(verdict(new FakeRequest(), "srcdom_regex", "x").kind())
        .isEqualTo(AclVerdict.Kind.NEEDS_CLIENT);
  }

  @ParameterizedTest
  @CsvSource({
    "0x10, 16, true",
    "16, 16, true",
    "020, 16, true",
    "0x10, 0x11, false",
    "0x10/0xf0, 0x1f, true",
    "0x10/0xf0, 0x2f, false",
    "0x1f/0xf0, 0x1f, false",
    "0, 0, true",
    "0xffffffff, 0xffffffff, true",
    "1 0x10/0x10, 0x30, true",
  })
  void marksOfConnectionsAreComparedUnderTheirMask(String values, String mark, boolean expected) {
    for (String type : List.of("clientside_mark", "client_connection_mark")) {
      String[] words = values.split(" ", -1);
      assertThat(matches(new FakeRequest().connectionMark(Long.decode(mark)), type, words))
          .isEqualTo(expected);
      assertThat(verdict(new FakeRequest(), type, words).kind())
          .isEqualTo(AclVerdict.Kind.NEEDS_CLIENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "-1", "0x1/", "/1", "1/2/3", "0x100000000", "1/-1", "08", "#1"})
  void otherTextIsNoMark(String value) {
    assertThat(problems("a", "client_connection_mark", value)).anyMatch(AclProblem::error);
  }

  @Test
  void arpWaitsForTheMacAddress() {
    assertThat(verdict(new FakeRequest(), "arp", "0:A:b:1:2:03").kind())
        .isEqualTo(AclVerdict.Kind.NEEDS_CLIENT);
    assertThat(
            matches(new FakeRequest().clientHardware("00:0a:0b:01:02:03"), "arp", "0:A:b:1:2:03"))
        .isTrue();
    assertThat(
            matches(new FakeRequest().clientHardware("00:0a:0b:01:02:04"), "arp", "0:A:b:1:2:03"))
        .isFalse();
    assertThat(matches(new FakeRequest().clientHardware(""), "arp", "0:A:b:1:2:03")).isFalse();
    assertThat(problems("a", "arp", "0:1:2:3:4")).anyMatch(AclProblem::error);
  }

  @ParameterizedTest
  @CsvSource({
    "fd00::211:22ff:fe33:4455, 02-11-22-ff-fe-33-44-55, true",
    "fd00::211:22ff:fe33:4455, 02:11:22:FF:FE:33:44:55, true",
    "fd00::211:22ff:fe33:4455, 02:11:22:33:44:55, true",
    "fd00::211:22ff:fe33:4456, 02:11:22:33:44:55, false",
    "2001:db8::211:22ff:fe33:4455, 02:11:22:33:44:55, false",
    "fd00::211:22ff:fd33:4455, 02:11:22:ff:fd:33:44:55, false",
    "10.0.0.1, 02:11:22:33:44:55, false",
  })
  void eui64IsInsideTheAddress(String client, String value, boolean expected) {
    assertThat(matches(new FakeRequest().client(client), "eui64", value)).isEqualTo(expected);
  }

  @Test
  void urlloginSearchesTheDecodedUserInformation() {
    FakeRequest request = new FakeRequest().urlLogin("a%40b:c");
    assertThat(matches(request, "urllogin", "^a@b:")).isTrue();
    assertThat(matches(request.urlLogin("x"), "urllogin", "^a@b:")).isFalse();
    assertThat(matches(request.urlLogin(null), "urllogin", "x*")).isFalse();
  }

  // ---- the way and the server

  @Test
  void peernameAndHierCodeTellTheWay() {
    FakeRequest request = new FakeRequest().way("CARP", "one");
    assertThat(matches(request, "peername", "two", "one")).isTrue();
    assertThat(matches(request.way("CARP", "three"), "peername", "two", "one")).isFalse();
    assertThat(matches(request.way("HIER_NONE", null), "peername", "one")).isFalse();
  }

  @Test
  void peernameRegexSearchesTheName() {
    FakeRequest request = new FakeRequest().way("CARP", "one");
    assertThat(matches(request, "peername_regex", "^o")).isTrue();
    assertThat(matches(request.way("CARP", "two"), "peername_regex", "^o")).isFalse();
  }

  @Test
  void hierCodeComparesTheCode() {
    assertThat(matches(new FakeRequest().way("CARP", "one"), "hier_code", "CARP")).isTrue();
    assertThat(matches(new FakeRequest(), "hier_code", "CARP")).isFalse();
    assertThat(matches(new FakeRequest(), "hier_code", "HIER_NONE")).isTrue();
    assertThat(problems("b", "hier_code", "DIRECT")).anyMatch(AclProblem::error);
  }

  @Test
  void squidErrorComparesThePage() {
    FakeRequest request = new FakeRequest().errorPage("ERR_DNS_FAIL");
    assertThat(matches(request, "squid_error", "ERR_DNS_FAIL")).isTrue();
    assertThat(matches(new FakeRequest(), "squid_error", "ERR_DNS_FAIL")).isFalse();
    assertThat(problems("b", "squid_error", "DNS")).anyMatch(AclProblem::error);
  }

  @Test
  void serverCertFingerprintComparesTheDigest() {
    FakeRequest request = new FakeRequest().serverFingerprint(DIGEST);
    String lower = DIGEST.toLowerCase(Locale.ROOT);
    assertThat(matches(request, "server_cert_fingerprint", "-sha1", lower)).isTrue();
    assertThat(matches(new FakeRequest(), "server_cert_fingerprint", DIGEST)).isFalse();
    assertThat(problems("b", "server_cert_fingerprint", "AA:BB")).anyMatch(AclProblem::error);
  }
}
