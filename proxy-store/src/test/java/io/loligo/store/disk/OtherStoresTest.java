package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.StoreFixture;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.OtherStores;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.Reach;
import io.loligo.store.purge.UrlPattern;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Purges that go to the stores of other nodes, and that come from them. */
final class OtherStoresTest {
  private static final String URL = "http://h/a";

  /** A message to the others; {@code keys} and {@code groups} are those of an invalidation. */
  private record Told(
      Purge what, List<CacheKey> keys, long[] groups, boolean confirmed, Consumer<Reach> then) {}

  private static final class Others implements OtherStores {
    private final LinkedBlockingQueue<Told> told = new LinkedBlockingQueue<>();

    /** Purges that have begun here and were neither told nor refused. */
    private final AtomicInteger begun = new AtomicInteger();

    /** Runs when one begins. */
    private Runnable beginning = () -> {};

    @Override
    public void requestBegins(long nanos, long millis) {}

    @Override
    public void begins() {
      begun.incrementAndGet();
      beginning.run();
    }

    @Override
    public void refused() {
      begun.decrementAndGet();
    }

    @Override
    public void purge(Purge what, boolean confirmed, Consumer<Reach> then) {
      begun.decrementAndGet();
      told.add(new Told(what, List.of(), new long[0], confirmed, then));
    }

    @Override
    public void invalidate(List<CacheKey> keys, long[] groups, boolean confirmed, Runnable then) {
      begun.decrementAndGet();
      told.add(
          new Told(
              new Purge.Everything(), List.copyOf(keys), groups, confirmed, nodes -> then.run()));
    }

    Told next() throws InterruptedException {
      Told next = told.poll(60, TimeUnit.SECONDS);
      assertThat(next).isNotNull();
      return next;
    }
  }

  private final Others others = new Others();
  private final DiskFixture fixture = new DiskFixture(new StoreFixture());

  @AfterEach
  void close() {
    fixture.close();
  }

  private CompletableFuture<Purged> purge(Purge what) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(what, fixture.loop, purged::complete);
    return purged;
  }

  private boolean invalidate(List<CacheKey> keys, CompletableFuture<Boolean> told, long... groups) {
    return fixture.store.store.invalidate(
        keys, key(URL), groups, null, fixture.loop, told::complete);
  }

  private boolean take(Purge what) {
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    fixture.store.store.take(what, fixture.loop, taken::complete);
    return DiskFixture.get(taken);
  }

  private void fill(String url, String lines) {
    StoredMeta meta =
        StoredMeta.builder(200)
            .requestTimeMillis(System.currentTimeMillis())
            .responseTimeMillis(System.currentTimeMillis())
            .lifetimeSeconds(1_000)
            .build();
    fixture.store.put(url, meta, lines, bytes(10)).release();
  }

  /** Null: there is nothing. */
  private Boolean isFresh(String url) {
    Entry entry = fixture.store.store.find(probe(url), noFields());
    if (entry == null) {
      return null;
    }
    boolean fresh = entry.meta().isFreshAt(entry.meta().ageSeconds(System.currentTimeMillis()));
    entry.release();
    return fresh;
  }

  @Test
  void thePurgeIsAnsweredWhenTheOthersAre() throws Exception {
    fixture.store.store.alsoIn(others);
    fill(URL, "");
    Purge what = new Purge.Url(key(URL), false);
    Boolean[] found = new Boolean[1];
    others.beginning = () -> found[0] = isFresh(URL);
    CompletableFuture<Purged> purged = purge(what);
    Told told = others.next();
    assertThat(found[0]).as("announced before it has an effect").isTrue();
    assertThat(others.begun).hasValue(0);
    assertThat(told.what()).isSameAs(what);
    assertThat(told.confirmed()).isTrue();
    assertThat(isFresh(URL)).as("removed here first").isNull();
    assertThat(purged).isNotDone();
    told.then().accept(new Reach(2, 3));
    assertThat(DiskFixture.get(purged).text()).isEqualTo("memory=1, disk=0, nodes 2/3");
  }

  @Test
  void withoutOthersNothingIsSaidOfThem() {
    assertThat(DiskFixture.get(purge(new Purge.Url(key(URL), false))).text())
        .isEqualTo("memory=0, disk=0");
  }

  @Test
  void whatIsRefusedHereGoesNowhere() {
    fixture.store.store.alsoIn(others);
    for (int i = 0; i < 200; i++) {
      take(new Purge.Matching(UrlPattern.of("", "x" + i)));
    }
    Purge more = new Purge.Matching(UrlPattern.of("", "more"));
    assertThat(DiskFixture.get(purge(more)).outcome()).isEqualTo(Purged.Outcome.REFUSED);
    assertThat(others.begun).hasValue(0);
    assertThat(take(more)).isFalse();
    assertThat(others.told).isEmpty();
  }

  @Test
  void anInvalidationWaitsForTheOthers() throws Exception {
    fixture.store.store.alsoIn(others);
    fill(URL, "");
    CompletableFuture<Boolean> invalidated = new CompletableFuture<>();
    long group = CacheGroups.ofKey("g");
    Boolean[] found = new Boolean[1];
    others.beginning = () -> found[0] = isFresh(URL);
    assertThat(invalidate(List.of(key(URL)), invalidated, group)).isTrue();
    Told told = others.next();
    assertThat(found[0]).as("announced before it has an effect").isTrue();
    assertThat(others.begun).hasValue(0);
    assertThat(told.keys()).containsExactly(key(URL));
    assertThat(told.groups()).containsExactly(group);
    assertThat(isFresh(URL)).isNull();
    assertThat(invalidated).isNotDone();
    told.then().accept(new Reach(1, 3));
    assertThat(DiskFixture.get(invalidated)).isTrue();
  }

  @Test
  void anInvalidationOfNothingWaitsForNobody() {
    fixture.store.store.alsoIn(others);
    assertThat(invalidate(List.of(), new CompletableFuture<>())).isFalse();
    assertThat(others.told).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void purgesOfOthersAreCarriedOutAndGoNoFurther(boolean soft) {
    fixture.store.store.alsoIn(others);
    for (String path : new String[] {"a", "b", "c", "d"}) {
      fill("http://h/" + path, "Surrogate-Key: " + path + "\r\n");
    }
    assertThat(take(new Purge.Url(key(URL), soft))).isTrue();
    assertThat(take(new Purge.Groups(new long[] {CacheGroups.ofKey("b")}, soft))).isTrue();
    assertThat(take(new Purge.Matching(UrlPattern.of("h", "/c$"), soft))).isTrue();
    Boolean expected = soft ? Boolean.FALSE : null;
    assertThat(isFresh("http://h/a")).isEqualTo(expected);
    assertThat(isFresh("http://h/b")).isEqualTo(expected);
    assertThat(isFresh("http://h/c")).isEqualTo(expected);
    assertThat(isFresh("http://h/d")).isTrue();
    assertThat(take(new Purge.Everything())).isTrue();
    assertThat(isFresh("http://h/d")).isFalse();
    assertThat(others.told).isEmpty();
  }

  /** A response under another key of the URL, as of QUERY. */
  @Test
  void aUrlTakenFromOthersCoversItsOtherKeys() {
    String other = URL + " QUERY " + "0".repeat(64);
    fill(other, "");
    fixture.store.store.alternatives().left(OptionalInt.empty());
    assertThat(take(new Purge.Url(key(URL), false))).isTrue();
    assertThat(isFresh(other)).isNull();
  }
}
