package io.loligo.store.keys;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class AlternativeKeysTest {
  private static final long NOW = 1_000_000;
  private static final Fields RULE = fields("No-Vary-Search: params=(\"utm\")");
  private static final Fields OTHER = fields("No-Vary-Search: key-order");
  private static final Fields NONE = fields("X: y");

  private final AlternativeKeys keys = new AlternativeKeys(false);
  private final KeyProbe probe = new KeyProbe();

  private static RequestHead head(String start, String... lines) {
    String text = start + " HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    byte[] bytes = text.getBytes(ISO_8859_1);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return head;
  }

  private static Fields fields(String... lines) {
    return head("GET /", lines.length == 0 ? new String[] {"X: y"} : lines).fields();
  }

  private static RequestTarget target(String path) {
    RequestHead head = head("GET " + path, "Host: a.example");
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(head, "http", null, true)).isNull();
    return target;
  }

  private CacheKey queried(String path, String content, String... lines) {
    RequestTarget target = target(path);
    byte[] bytes = content.getBytes(ISO_8859_1);
    ContentDigest digest = new ContentDigest(fields(lines)).update(bytes, bytes.length);
    keys.keyByContent(target, digest, probe);
    CacheKey key = probe.toKey();
    assertThat(CacheKeys.seal(new KeyProbe(), target).toKey()).isEqualTo(key);
    return key;
  }

  private CacheKey ruled(String path) {
    RequestTarget target = target(path);
    keys.keyByRule(target, probe);
    return CacheKeys.seal(probe, target).toKey();
  }

  private boolean learn(String path, Fields response, long now) {
    RequestTarget target = target(path);
    keys.keyByRule(target, probe);
    return keys.fits(target, response, probe, now);
  }

  @Test
  void contentAndItsDescriptionArePartOfTheKey() {
    CacheKey key = queried("/a?b", "one", "Content-Type: text/plain");
    assertThat(key).isEqualTo(queried("/a?b", "one", "Content-Type: text/plain"));
    assertThat(key).isNotEqualTo(queried("/a?b", "two", "Content-Type: text/plain"));
    assertThat(key).isNotEqualTo(queried("/a?b", "one", "Content-Type: text/html"));
    assertThat(key).isNotEqualTo(queried("/a?b", "one"));
    assertThat(key).isNotEqualTo(queried("/a?c", "one", "Content-Type: text/plain"));
    assertThat(queried("/", "b", "Content-Type: a")).isNotEqualTo(queried("/", "ab"));
  }

  @Test
  void noUrlHasSuchAKey() {
    assertThat(queried("/a", "one").toString()).startsWith("http://a.example/a QUERY ");
    learn("/a?utm=1", RULE, NOW);
    assertThat(ruled("/a?utm=1").toString()).startsWith("http://a.example/a NVS ");
  }

  private boolean mayBeAny(String url) {
    return keys.mayBeAny(CacheKeys.of("http://a.example" + url));
  }

  @Test
  void aRequestedPathMayHaveKeysUnderAnyQuery() {
    assertThat(keys.mayBeAny()).isFalse();
    assertThat(mayBeAny("/a")).isFalse();
    queried("/a?x", "one");
    learn("/b?utm=1", RULE, NOW);
    assertThat(mayBeAny("/b")).as("keyed by its URL yet").isFalse();
    ruled("/b?x=1");
    assertThat(keys.mayBeAny()).isTrue();
    for (int i = 0; i < 2; i++) {
      assertThat(mayBeAny("/a?y=2")).as("what was asked for may come at any time").isTrue();
      assertThat(mayBeAny("/b")).isTrue();
      assertThat(mayBeAny("/c")).isFalse();
    }
  }

  /** A purge of one path says nothing of another, nor that the next purge of it finds nothing. */
  @Test
  void keysLeftByAnEarlierProcessMayRemainAfterPurges() {
    AlternativeKeys later = new AlternativeKeys(true);
    assertThat(later.mayBeAny()).isTrue();
    for (int i = 0; i < 2; i++) {
      for (String path : new String[] {"/a", "/b"}) {
        CacheKey url = CacheKeys.of("http://a.example" + path);
        assertThat(later.askedFor(url)).isFalse();
        assertThat(later.mayBeAny(url)).isTrue();
      }
    }
    later.keyByContent(target("/a?b"), new ContentDigest(fields()), probe);
    assertThat(later.askedFor(CacheKeys.of("http://a.example/a"))).isTrue();
  }

  private static boolean mayBeAny(AlternativeKeys keys, String path) {
    return keys.mayBeAny(CacheKeys.of("http://a.example" + path));
  }

  @Test
  void keysLeftByAnEarlierProcessAreKnownWhenAllWereTold() {
    AlternativeKeys later = new AlternativeKeys(true);
    later.left(OptionalInt.of(CacheKeys.of("http://a.example/a?b").pathHash()));
    assertThat(mayBeAny(later, "/b")).isTrue();
    later.allAreTold();
    assertThat(mayBeAny(later, "/b")).isFalse();
    assertThat(mayBeAny(later, "/a?c")).isTrue();
    assertThat(later.askedFor(CacheKeys.of("http://a.example/a?c"))).isFalse();
    assertThat(later.mayBeAny()).isTrue();
    later.left(OptionalInt.empty());
    assertThat(mayBeAny(later, "/b")).as("of a path that is not known").isTrue();
  }

  @Test
  void nothingIsLeftWhereNothingWasTold() {
    AlternativeKeys later = new AlternativeKeys(true);
    later.allAreTold();
    assertThat(later.mayBeAny()).isFalse();
    assertThat(mayBeAny(later, "/a")).isFalse();
  }

  /** A removal looks for alternatives while it is not known that there are none, and not later. */
  @Test
  void aRemovalWithNothingLeftIsNotUndoneByAnEarlierRequest() {
    AlternativeKeys later = new AlternativeKeys(true);
    long asOf = later.asOf(CacheKeys.of("http://a.example/a?utm=1"));
    later.allAreTold();
    assertThat(later.fits(target("/a?utm=1"), RULE, probe, NOW)).isTrue();
    later.removing();
    assertThat(later.learnt(target("/a?utm=1"), RULE, probe, asOf)).isNull();
  }

  @Test
  void everyProcessHasTheSameKeys() {
    CacheKey key = queried("/a", "one");
    RequestTarget target = target("/a");
    byte[] bytes = "one".getBytes(ISO_8859_1);
    ContentDigest digest = new ContentDigest(fields()).update(bytes, bytes.length);
    new AlternativeKeys(true).keyByContent(target, digest, probe);
    assertThat(probe.toKey()).isEqualTo(key);
  }

  @Test
  void theyAreAGroupOfTheirPath() {
    learn("/a?utm=1", RULE, NOW);
    long number = CacheGroups.ofAlternatives(CacheKeys.of("http://a.example/a?z"));
    for (CacheKey key : new CacheKey[] {queried("/a?x", "one"), ruled("/a?x=1"), ruled("/a")}) {
      assertThat(key.isAlternative()).isTrue();
      assertThat(CacheGroups.of(key, NONE)).containsExactly(CacheGroups.ALTERNATIVES, number);
    }
    CacheKey plain = CacheKeys.of("http://a.example/a?" + "x".repeat(100));
    assertThat(plain.isAlternative()).isFalse();
    assertThat(CacheGroups.of(plain, NONE)).isEmpty();
    assertThat(CacheGroups.of(queried("/b", "one"), NONE)).doesNotContain(number);
  }

  @Test
  void irrelevantParametersAreLeftOut() {
    CacheKey plain = ruled("/a?x=1&utm=1");
    assertThat(plain).isEqualTo(CacheKeys.of("http://a.example/a?x=1&utm=1"));
    assertThat(learn("/a?x=1&utm=1", RULE, NOW)).isTrue();
    CacheKey key = ruled("/a?x=1&utm=1");
    assertThat(key).isNotEqualTo(plain).isEqualTo(ruled("/a?utm=2&x=1"));
    assertThat(key).isNotEqualTo(ruled("/a?x=2")).isNotEqualTo(ruled("/a?x=1&y"));
    assertThat(ruled("/a")).isEqualTo(ruled("/a?utm=1"));
    assertThat(ruled("/b?x=1&utm=1")).isEqualTo(CacheKeys.of("http://a.example/b?x=1&utm=1"));
    assertThat(learn("/a?x=3", RULE, NOW)).isTrue();
  }

  @Test
  void firstResponseIsFoundByItsRule() {
    CacheKey url = CacheKeys.of("http://a.example/a?x=1&utm=1");
    RequestTarget target = target("/a?x=1&utm=1");
    long asOf = keys.asOf(url);
    assertThat(keys.learnt(target, RULE, probe, asOf)).as("nothing is known").isNull();
    learn("/a?x=1&utm=1", RULE, NOW);
    CacheKey learnt = keys.learnt(target, RULE, probe, asOf);
    assertThat(learnt).isNotNull().isEqualTo(ruled("/a?x=1&utm=2"));
    assertThat(target.keySuffix()).as("keyed by its URL still").isNull();
    keys.keyByRule(target, probe);
    assertThat(keys.learnt(target, RULE, probe, asOf)).as("keyed so before").isNull();
  }

  /** Another response of the path may have taught a rule meanwhile. */
  @Test
  void aResponseWithAnotherRuleIsNotFoundByThatOfThePath() {
    long asOf = keys.asOf(CacheKeys.of("http://a.example/a?utm=1"));
    learn("/a?utm=2", RULE, NOW);
    for (Fields response : new Fields[] {NONE, OTHER}) {
      RequestTarget target = target("/a?utm=1");
      assertThat(keys.learnt(target, response, probe, asOf)).isNull();
      assertThat(target.keySuffix()).isNull();
    }
    assertThat(keys.learnt(target("/a?utm=1"), RULE, probe, asOf)).isNotNull();
  }

  /** A removal of another spelling did not look for this one, unless it had been requested. */
  @Test
  void aResponseRemovedMeanwhileIsNotFoundByTheRule() {
    CacheKey url = CacheKeys.of("http://a.example/a?utm=1");
    long asOf = keys.asOf(url);
    learn("/a?utm=1", RULE, NOW);
    keys.removing();
    assertThat(keys.learnt(target("/a?utm=1"), RULE, probe, asOf)).isNull();
    long later = keys.asOf(url);
    keys.removing();
    assertThat(keys.learnt(target("/a?utm=1"), RULE, probe, later))
        .as("was looked for")
        .isNotNull();
  }

  @Test
  void aResponseWithAnotherRuleDoesNotFitAndTheRuleRests() {
    learn("/a?utm=1", RULE, NOW);
    assertThat(learn("/a?utm=2", OTHER, NOW)).isFalse();
    assertThat(ruled("/a?utm=1")).isEqualTo(CacheKeys.of("http://a.example/a?utm=1"));
    long soon = NOW + AlternativeKeys.REST_MILLIS - 1;
    assertThat(learn("/a?utm=2", RULE, soon)).as("under the key of the URL").isTrue();
    assertThat(ruled("/a?utm=1")).isEqualTo(CacheKeys.of("http://a.example/a?utm=1"));
    assertThat(learn("/a?utm=2", OTHER, soon + 1)).isTrue();
    assertThat(ruled("/a?b&a")).isEqualTo(ruled("/a?a&b"));
    assertThat(learn("/a?utm=2", NONE, soon + 1)).isFalse();
    assertThat(ruled("/a?b&a")).isNotEqualTo(ruled("/a?a&b"));
  }
}
