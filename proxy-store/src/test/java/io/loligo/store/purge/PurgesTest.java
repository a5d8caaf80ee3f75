package io.loligo.store.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Purges.Table;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PurgesTest {
  private static final CacheKey KEY = CacheKeys.of("http://a.example/x?q");

  private long now = 1_000;
  private final Purges purges = new Purges(() -> now);
  private final MemoryLedger ledger = new MemoryLedger(1 << 20);
  private final List<Entry> entries = new ArrayList<>();

  @AfterEach
  void release() {
    entries.forEach(Entry::release);
  }

  private Entry entry(long requestMillis, String... lines) {
    String text = String.join("\r\n", lines) + (lines.length == 0 ? "\r\n" : "\r\n\r\n");
    ByteBuf block = Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    StoredMeta meta =
        StoredMeta.builder(200)
            .requestTimeMillis(requestMillis)
            .responseTimeMillis(requestMillis)
            .lastModifiedMillis(0)
            .lifetimeSeconds(60)
            .contentLength(0)
            .build();
    int length = block.readableBytes();
    assertThat(ledger.tryReserve(length)).isTrue();
    Entry entry = Entry.loaded(KEY, meta, block, length, length, length, null, ledger);
    entries.add(entry);
    return entry;
  }

  private static long[] key(String key) {
    return new long[] {CacheGroups.ofKey(key)};
  }

  @Test
  void nothingIsLookedAtBeforeTheFirstPurge() {
    assertThat(purges.isSettled(entry(0, "xkey: a"))).isTrue();
  }

  @Test
  void dropsResponsesRequestedUntilThePurgeAndNoneLater() {
    purges.mark(Table.GROUP, key("a"), 1_000);
    assertThat(purges.judge(entry(999, "xkey: a"))).isEqualTo(Purges.GONE);
    assertThat(purges.judge(entry(1_000, "xkey: a"))).isEqualTo(Purges.GONE);
    assertThat(purges.judge(entry(1_001, "xkey: a"))).isEqualTo(Purges.KEPT);
    assertThat(purges.judge(entry(0, "xkey: b"))).isEqualTo(Purges.KEPT);
    assertThat(purges.judge(entry(0))).isEqualTo(Purges.KEPT);
  }

  /** Loads that waited together are given one entry, and each judges it. */
  @Test
  void aPurgedResponseIsGoneForEveryRequest() {
    Entry shared = entry(0, "xkey: a");
    purges.mark(Table.GROUP, key("a"), 1_000);
    for (int i = 0; i < 2; i++) {
      assertThat(purges.isSettled(shared)).isFalse();
      assertThat(purges.judge(shared)).isEqualTo(Purges.GONE);
    }
  }

  @Test
  void everythingRequestedUntilThenIsValidatedAndNothingLater() {
    Entry stored = entry(900);
    purges.judge(stored);
    purges.validateUntil(1_000);
    purges.validateUntil(950);
    Entry same = entry(1_000);
    Entry later = entry(1_001);
    for (Entry each : List.of(stored, same, later)) {
      assertThat(purges.isSettled(each)).isFalse();
      assertThat(purges.judge(each)).isEqualTo(Purges.KEPT);
    }
    assertThat(stored.meta().isFreshAt(0)).isFalse();
    assertThat(same.meta().has(StoredMeta.NO_CACHE)).isTrue();
    assertThat(later.meta().isFreshAt(0)).isTrue();
    assertThat(purges.requestMoment(1_000)).isEqualTo(1_001);
  }

  @Test
  void whilePurgesMayBeMissingWhatWasRequestedBeforeIsValidated() {
    Entry stored = entry(900);
    Entry other = entry(900);
    purges.judge(stored);
    purges.doubt();
    now = 1_100;
    Entry later = entry(1_001);
    assertThat(purges.isSettled(stored)).isFalse();
    purges.judge(stored);
    purges.judge(later);
    purges.trust();
    purges.judge(other);
    assertThat(stored.meta().isFreshAt(0)).isFalse();
    assertThat(later.meta().isFreshAt(0)).isTrue();
    assertThat(other.meta().isFreshAt(0)).isTrue();
    assertThat(purges.validateUntil()).isZero();
  }

  /** On disk its place is one of those of the patterns. */
  @Test
  void theMomentOfEverythingTakesThePlaceOfAPattern() {
    purges.validateUntil(1);
    for (int i = 1; i < Purges.MAX_BANS; i++) {
      assertThat(purges.ban(new Ban(1, UrlPattern.of("", "x" + i)))).isTrue();
    }
    assertThat(purges.ban(new Ban(1, UrlPattern.of("", "y")))).isFalse();
  }

  @Test
  void aJudgedEntryIsJudgedAgainOnlyAfterTheNextPurge() {
    Entry entry = entry(0, "xkey: b");
    purges.mark(Table.GROUP, key("a"), 1_000);
    assertThat(purges.isSettled(entry)).isFalse();
    purges.judge(entry);
    assertThat(purges.isSettled(entry)).isTrue();
    purges.mark(Table.GROUP, key("b"), 1_000);
    assertThat(purges.isSettled(entry)).isFalse();
    assertThat(purges.judge(entry)).isEqualTo(Purges.GONE);
  }

  @Test
  void anOlderPurgeDoesNotUndoANewerOne() {
    purges.mark(Table.GROUP, key("a"), 1_000);
    purges.mark(Table.GROUP, key("a"), 500);
    assertThat(purges.judge(entry(700, "xkey: a"))).isEqualTo(Purges.GONE);
  }

  @Test
  void softPurgesTellSinceWhenItIsStale() {
    purges.mark(Table.SOFT_GROUP, key("a"), 700);
    purges.mark(Table.SOFT_URL, new long[] {CacheGroups.ofUrl(KEY)}, 800);
    assertThat(purges.judge(entry(600, "xkey: a"))).isEqualTo(800);
    assertThat(purges.judge(entry(750, "xkey: a"))).isEqualTo(800);
    assertThat(purges.judge(entry(801, "xkey: a"))).isEqualTo(Purges.KEPT);
    purges.mark(Table.GROUP, key("a"), 700);
    assertThat(purges.judge(entry(600, "xkey: a"))).isEqualTo(Purges.GONE);
  }

  @Test
  void staleIsStaleFromTheMomentOn() {
    Entry entry = entry(1_000);
    entry.becomeStale(11_000);
    assertThat(entry.meta().lifetimeSeconds()).isEqualTo(10);
    assertThat(entry.meta().ageSeconds(11_000)).isEqualTo(10);
    entry.becomeStale(21_000);
    assertThat(entry.meta().lifetimeSeconds()).isEqualTo(10);
  }

  @Test
  void aResponseInTooManyGroupsIsPurgedWithAny() {
    StringBuilder line = new StringBuilder("xkey:");
    for (int i = 0; i <= CacheGroups.MAX; i++) {
      line.append(" k").append(i);
    }
    purges.mark(Table.GROUP, key("other"), 1_000);
    assertThat(purges.judge(entry(1_000, line.toString()))).isEqualTo(Purges.GONE);
    assertThat(purges.judge(entry(1_001, line.toString()))).isEqualTo(Purges.KEPT);
  }

  @Test
  void aPurgeIsNotOlderThanAStoredResponse() {
    purges.stored(5_000);
    now = 2_000; // the clock was set back
    assertThat(purges.now()).isEqualTo(5_000);
  }

  /** The clock is set back while the response is under way. */
  @Test
  void aPurgeIsNotOlderThanARequestUnderWay() {
    long requested = purges.requestMoment(now);
    now -= 500;
    assertThat(purges.now()).isEqualTo(requested);
  }

  @Test
  void patternsAreBoundedAndTheSameOneCountsOnce() {
    for (int i = 0; i < Purges.MAX_BANS; i++) {
      assertThat(purges.ban(new Ban(1, UrlPattern.of("", "p" + i)))).isTrue();
    }
    assertThat(purges.ban(new Ban(1, UrlPattern.of("", "more")))).isFalse();
    assertThat(purges.ban(new Ban(2, UrlPattern.of("", "p0")))).isTrue();
    assertThat(purges.bans()).hasSize(Purges.MAX_BANS);
    purges.retire(ban -> ban.millis() == 1);
    assertThat(purges.bans()).containsExactly(new Ban(2, UrlPattern.of("", "p0")));
  }

  @Test
  void aSoftPatternTellsSinceWhenItIsStale() {
    UrlPattern all = UrlPattern.of("", "example");
    purges.ban(new Ban(1_000, all, true));
    assertThat(purges.judge(entry(1_000))).isEqualTo(1_000);
    assertThat(purges.judge(entry(1_001))).isEqualTo(Purges.KEPT);
    purges.mark(Table.SOFT_URL, new long[] {CacheGroups.ofUrl(KEY)}, 900);
    assertThat(purges.judge(entry(800))).isEqualTo(1_000);
    purges.ban(new Ban(700, all));
    assertThat(purges.judge(entry(700))).as("hard beats soft").isEqualTo(Purges.GONE);
    assertThat(purges.judge(entry(701))).isEqualTo(1_000);
    purges.ban(new Ban(1_100, all, true));
    assertThat(purges.bans()).as("a soft one does not replace a hard one").hasSize(2);
    purges.ban(new Ban(1_200, all));
    assertThat(purges.bans()).containsExactly(new Ban(1_200, all));
  }

  @ParameterizedTest
  @CsvSource({
    "'',example/x,true",
    "A.example,^http://a.example/x.q$,true",
    "b.example,x,false",
    "'',^/x,false",
  })
  void patternsAreFoundInTheUrlOfTheirHost(String host, String regex, boolean covered) {
    purges.ban(new Ban(1_000, UrlPattern.of(host, regex)));
    assertThat(purges.judge(entry(1_000)) == Purges.GONE).isEqualTo(covered);
    assertThat(purges.judge(entry(1_001))).isEqualTo(Purges.KEPT);
  }

  @Test
  void takesTheHostOutOfAnyAuthority() {
    for (String url : List.of("http://a.example:81/", "http://[::1]:81/", "http://[::1]/x")) {
      CacheKey key = CacheKeys.of(url);
      assertThat(UrlPattern.ofHostOf(key, ".").matches(key)).as(url).isTrue();
    }
    assertThat(UrlPattern.ofHostOf(KEY, ".").host()).isEqualTo("a.example");
  }

  @Test
  void refusesPatternsThatAreNone() {
    assertThatThrownBy(() -> UrlPattern.of("", "(")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> UrlPattern.of("h", "x".repeat(UrlPattern.MAX_BYTES)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("961");
  }
}
