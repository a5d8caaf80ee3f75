package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclVerdict.Kind;
import io.loligo.core.acl.ExternalAcl.Answer;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** ACLs that a helper decides. */
class HelperConditionTest {
  private static AclList compile(String... lines) {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    acls.defineExternal("member", /* asksForUser= */ true);
    acls.defineExternal("hours", /* asksForUser= */ false);
    acls.define("group", AclType.EXTERNAL, List.of("member", "staff", "all"));
    acls.define("open", AclType.EXTERNAL, List.of("hours"));
    acls.define("lan", AclType.SRC, List.of("10.0.0.0/8"));
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
    "MATCH, ALLOWED",
    "NO_MATCH, DENIED",
    "NEEDS_HELPER, NEEDS_HELPER",
    "NEEDS_LOGIN, NEEDS_LOGIN",
    "CHALLENGE, CHALLENGE",
  })
  void theAnswerDecides(Answer answer, Kind expected) {
    FakeRequest request = new FakeRequest().answer(answer);
    assertThat(compile("allow group").evaluate(request).kind()).isEqualTo(expected);
    assertThat(compile("allow open").evaluate(request).kind()).isEqualTo(expected);
  }

  @Test
  void withoutAnAnswerTheListEndsAndNothingIsAllowed() {
    FakeRequest request = new FakeRequest().answer(Answer.UNDECIDED);
    AclList list = compile("deny !group", "allow all");
    assertThat(list.evaluate(request).allowed()).isFalse();
    assertThat(compile("allow group", "allow all").evaluate(request).allowed()).isFalse();
  }

  @Test
  void aHelperIsToldItsAclAndWords() {
    List<ExternalAcl> asked = new ArrayList<>();
    ExternalAcl acl = new ExternalAcl("group", "member", List.of("staff", "all"));
    FakeRequest request = new FakeRequest().answer(Answer.MATCH).asking(asked);
    assertThat(compile("allow group").evaluate(request).allowed()).isTrue();
    assertThat(asked).containsExactly(acl);
  }

  @ParameterizedTest
  @CsvSource({
    "allow group; deny all, false",
    "allow group, true",
    "allow open, false",
    "deny !group; allow all, true",
    "deny !open; allow all, false",
    "allow lan group, false",
    "allow group lan, true",
    "deny lan group; allow open, false",
  })
  void aUserWhomAHelperDeniesMayLogInAsAnother(String lines, boolean challenge) {
    AclList list = compile(lines.split("; ", -1));
    FakeRequest alice = new FakeRequest().user("alice").answer(Answer.NO_MATCH);
    assertThat(list.evaluate(alice).denied()).isTrue();
    assertThat(list.endsWithUser(alice, null)).isEqualTo(challenge);
  }

  @ParameterizedTest
  @EnumSource
  void onlyHelpersThatAreToldTheUserAskForOne(Answer answer) {
    FakeRequest request = new FakeRequest().answer(answer);
    assertThat(compile("allow open").asksForUser()).isFalse();
    assertThat(compile("allow open").endsWithUser(request, null)).isFalse();
    assertThat(compile("allow group").asksForUser()).isTrue();
    assertThat(compile("allow group").endsWithUser(request, null)).isTrue();
  }
}
