package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclVerdict.Kind;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ACLs about the user. The verdicts are those that Squid 5.7 gave. */
class UserAclTest {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};

  private static AclList compile(String... lines) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    acls.define("users", AclType.PROXY_AUTH, List.of("REQUIRED"));
    acls.define("bob", AclType.PROXY_AUTH, List.of("bob", "REQUIRED"));
    acls.define("anycase", AclType.PROXY_AUTH, List.of("-i", "Bob"));
    acls.define("regex", AclType.PROXY_AUTH_REGEX, List.of("^b"));
    acls.define("many", AclType.MAX_USER_IP, List.of("1"));
    acls.define("few", AclType.MAX_USER_IP, List.of("-s", "2"));
    acls.define("lan", AclType.SRC, List.of("10.0.0.0/8"));
    acls.define("loop", AclType.DST, List.of("127.0.0.0/8"));
    acls.define("lanorbob", AclType.ANY_OF, List.of("lan", "bob"));
    acls.define("bobandlan", AclType.ALL_OF, List.of("bob", "lan"));
    List<AclRule> rules = new ArrayList<>();
    for (String line : lines) {
      List<String> words = List.of(line.split(" ", -1));
      rules.add(
          new AclRule(words.get(0).equals("allow"), words.subList(1, words.size()), line, "f:1"));
    }
    return acls.compile(rules, AclList.denyAll(), false);
  }

  @ParameterizedTest
  @CsvSource({
    "users, bob, true",
    "users, -, false",
    "bob, bob, true",
    "bob, Bob, false",
    "bob, alice, false",
    "bob, REQUIRED, true", // as a value that is not the first, it is a name
    "anycase, bOB, true",
    "regex, bert, true",
    "regex, alice, false",
    "many, bob, true",
    "few, bob, false",
  })
  void aKnownUserMatchesOrNot(String acl, String user, boolean matches) {
    AclList list = compile("allow " + acl);
    assertThat(list.asksForUser()).isTrue();
    assertThat(list.evaluate(new FakeRequest().user(user)).allowed()).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({"NO_LOGIN, DENIED", "UNCHECKED, NEEDS_LOGIN", "CHALLENGE, CHALLENGE"})
  void withoutAUserTheListEndsAtTheAcl(LoginState login, Kind expected) {
    FakeRequest request = new FakeRequest().login(login);
    assertThat(compile("allow users", "deny all").evaluate(request).kind()).isEqualTo(expected);
    assertThat(compile("deny users", "deny all").evaluate(request).kind()).isEqualTo(expected);
    assertThat(compile("allow lanorbob").evaluate(request).kind()).isEqualTo(expected);
    assertThat(compile("allow many").evaluate(request).kind()).isEqualTo(expected);
    if (login != LoginState.NO_LOGIN) {
      assertThat(compile("deny !users", "deny all").evaluate(request).kind()).isEqualTo(expected);
    }
    // an ACL before it decides
    assertThat(compile("allow lan users", "allow all").evaluate(request).allowed()).isTrue();
    assertThat(compile("allow users lan", "allow all").evaluate(request).allowed())
        .isEqualTo(login == LoginState.NO_LOGIN);
  }

  @Test
  void theDestinationIsLookedUpBeforeALaterUserIsAskedFor() {
    FakeRequest request = new FakeRequest().login(LoginState.CHALLENGE);
    AclList list = compile("deny loop users", "allow all");
    assertThat(list.evaluate(request).kind()).isEqualTo(Kind.NEEDS_DESTINATION);
    assertThat(list.evaluate(request, LOOPBACK).kind()).isEqualTo(Kind.CHALLENGE);
    assertThat(list.evaluate(request, new byte[] {9, 9, 9, 9}).allowed()).isTrue();
    assertThat(compile("deny users loop").evaluate(request).kind()).isEqualTo(Kind.CHALLENGE);
  }

  @ParameterizedTest
  @CsvSource({
    "allow bob, true",
    "allow bob; deny all, false",
    "deny !bob; allow all, true",
    "deny users, true",
    "deny users all, false",
    "allow bob lan, true",
    "allow users lan, false",
    "allow lan bob, false",
    "allow regex, true",
    "deny many, false",
    "deny few; deny all, false",
    "allow lanorbob, true",
    "allow bobandlan, true",
    "deny !bobandlan, true",
  })
  void theLastAclThatWasLookedAtDecidesAboutAnotherChallenge(String lines, boolean challenge) {
    AclList list = compile(lines.split("; ", -1));
    FakeRequest alice = new FakeRequest().user("alice");
    assertThat(list.evaluate(alice).denied()).isTrue();
    assertThat(list.endsWithUser(alice, null)).isEqualTo(challenge);
  }

  @Test
  void aListWithoutUsersAsksForNone() {
    AclList list = compile("deny lan", "deny all");
    assertThat(list.asksForUser()).isFalse();
    assertThat(list.endsWithUser(new FakeRequest(), null)).isFalse();
    assertThat(compile("allow lanorbob").asksForUser()).isTrue();
  }
}
