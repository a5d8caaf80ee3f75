package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclVerdict.Kind;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Rule lists, line by line, and against a slow model. */
class AclListTest {
  private static final byte[] LOOPBACK = {127, 0, 0, 1};
  private static final byte[] PUBLIC = {9, 9, 9, 9};

  private static Acls acls() {
    Acls acls = new Acls(host -> List.of(), ZoneOffset.UTC);
    acls.define("lan", AclType.SRC, List.of("10.0.0.0/8"));
    acls.define("safe", AclType.PORT, List.of("80", "443"));
    acls.define("get", AclType.METHOD, List.of("GET"));
    acls.define("site", AclType.DSTDOMAIN, List.of(".example.com"));
    acls.define("loop", AclType.DST, List.of("127.0.0.0/8"));
    acls.define("group", AclType.ANY_OF, List.of("site", "loop"));
    return acls;
  }

  private static AclRule rule(String text) {
    List<String> words = List.of(text.split(" ", -1));
    return new AclRule(words.get(0).equals("allow"), words.subList(1, words.size()), text, "f:1");
  }

  private static AclList compile(String... lines) {
    List<AclRule> rules = new ArrayList<>();
    for (String line : lines) {
      rules.add(rule(line));
    }
    return acls().compile(rules, AclList.denyAll(), false);
  }

  @Test
  void theFirstLineThatMatchesDecidesAndIsNamed() {
    AclList list = compile("deny get lan", "allow get", "deny all");
    AclVerdict verdict = list.evaluate(new FakeRequest());
    assertThat(verdict.allowed()).isTrue();
    assertThat(verdict.rule()).isEqualTo("allow get");
    assertThat(verdict.source()).isEqualTo("f:1");
    assertThat(verdict.lastAcl()).isEqualTo("get");
    assertThat(list.evaluate(new FakeRequest())).isSameAs(verdict);
    assertThat(list.evaluate(new FakeRequest().client("10.0.0.1")).lastAcl()).isEqualTo("lan");
  }

  @Test
  void withoutAMatchTheOppositeOfTheLastLineHolds() {
    assertThat(compile("deny lan").evaluate(new FakeRequest()).allowed()).isTrue();
    assertThat(compile("allow lan").evaluate(new FakeRequest()).denied()).isTrue();
    assertThat(compile().evaluate(new FakeRequest()).denied()).isTrue();
  }

  @Test
  void asksForTheDestinationOnlyWhereItDecides() {
    AclList list = compile("deny lan loop", "allow all");
    assertThat(list.needsDestination()).isTrue();
    assertThat(list.evaluate(new FakeRequest()).allowed()).isTrue();
    FakeRequest inside = new FakeRequest().client("10.0.0.1");
    assertThat(list.evaluate(inside).kind()).isEqualTo(Kind.NEEDS_DESTINATION);
    assertThat(compile("deny loop lan", "allow all").evaluate(new FakeRequest()).allowed())
        .isTrue();
    assertThat(compile("allow lan", "deny all").needsDestination()).isFalse();
    assertThat(compile("deny group").needsDestination()).isTrue();
  }

  @Test
  void judgesEachAddressByItself() {
    AclList list = compile("deny loop", "allow all");
    FakeRequest request = new FakeRequest().destinations(List.of(PUBLIC, LOOPBACK));
    assertThat(list.evaluate(request).denied()).isTrue();
    assertThat(list.evaluate(request, PUBLIC).allowed()).isTrue();
    assertThat(list.evaluate(request, LOOPBACK).denied()).isTrue();
    assertThat(list.evaluate(new FakeRequest().destinations(List.of())).allowed()).isTrue();
  }

  @Test
  void aGroupKnowsWithoutTheDestinationWhereAnotherMemberMatches() {
    AclList list = compile("deny group", "allow all");
    FakeRequest site = new FakeRequest().target("http", "www.example.com", 80, "/");
    assertThat(list.evaluate(site).denied()).isTrue();
    FakeRequest other = new FakeRequest().target("http", "other.org", 80, "/");
    assertThat(list.evaluate(other).kind()).isEqualTo(Kind.NEEDS_DESTINATION);
  }

  /** A request by its traits, for the model. */
  record Traits(boolean lan, boolean safe, boolean get, boolean site, Boolean loop) {
    FakeRequest request() {
      FakeRequest request =
          new FakeRequest()
              .client(lan ? "10.2.3.4" : "192.0.2.1")
              .method(get ? "GET" : "POST")
              .target("http", site ? "a.example.com" : "other.org", safe ? 443 : 25, "/");
      return loop == null ? request : request.destinations(List.of(loop ? LOOPBACK : PUBLIC));
    }

    /** 0 no, 1 yes, 2 unknown. */
    int holds(String term) {
      if (term.startsWith("!")) {
        int positive = holds(term.substring(1));
        return positive == 2 ? 2 : 1 - positive;
      }
      return switch (term) {
        case "lan" -> lan ? 1 : 0;
        case "safe" -> safe ? 1 : 0;
        case "get" -> get ? 1 : 0;
        case "site" -> site ? 1 : 0;
        case "loop" -> loop == null ? 2 : loop ? 1 : 0;
        case "group" -> site ? 1 : holds("loop");
        default -> 1;
      };
    }
  }

  private static Kind model(List<String> lines, Traits traits) {
    for (String line : lines) {
      List<String> words = List.of(line.split(" ", -1));
      List<Integer> outcomes = words.subList(1, words.size()).stream().map(traits::holds).toList();
      if (outcomes.contains(0)) {
        continue;
      }
      if (outcomes.contains(2)) {
        return Kind.NEEDS_DESTINATION;
      }
      return words.get(0).equals("allow") ? Kind.ALLOWED : Kind.DENIED;
    }
    String last = lines.get(lines.size() - 1);
    return last.startsWith("allow") ? Kind.DENIED : Kind.ALLOWED;
  }

  @Provide
  Arbitrary<List<String>> lines() {
    Arbitrary<String> name = Arbitraries.of("lan", "safe", "get", "site", "loop", "group", "all");
    Arbitrary<String> term =
        Combinators.combine(Arbitraries.of("", "!"), name).as((not, acl) -> not + acl);
    Arbitrary<String> line =
        Combinators.combine(Arbitraries.of("allow", "deny"), term.list().ofMinSize(1).ofMaxSize(3))
            .as((action, terms) -> action + " " + String.join(" ", terms));
    return line.list().ofMinSize(1).ofMaxSize(6);
  }

  @Provide
  Arbitrary<Traits> traits() {
    Arbitrary<Boolean> flag = Arbitraries.of(true, false);
    return Combinators.combine(flag, flag, flag, flag, flag.injectNull(0.4)).as(Traits::new);
  }

  @Property(tries = 600)
  void agreesWithTheModel(@ForAll("lines") List<String> lines, @ForAll("traits") Traits traits) {
    AclVerdict verdict = compile(lines.toArray(new String[0])).evaluate(traits.request());
    assertThat(verdict.kind()).isEqualTo(model(lines, traits));
  }
}
