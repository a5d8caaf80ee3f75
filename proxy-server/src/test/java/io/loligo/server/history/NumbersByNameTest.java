package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.counts.Counts;
import io.loligo.server.login.LoginCount;
import io.loligo.server.metrics.ProxyMetrics;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NumbersByNameTest {
  private record Scheme(String name, Map<LoginCount, Long> values) implements Counts<LoginCount> {
    @Override
    public boolean has(LoginCount count) {
      return count != LoginCount.CONTINUED;
    }

    @Override
    public long value(LoginCount count) {
      return values.getOrDefault(count, 0L);
    }
  }

  private final List<Scheme> schemes = new ArrayList<>();
  private final HistorySources sources = new HistorySources(new ProxyMetrics(1));

  private Scheme scheme(String name) {
    Scheme scheme = new Scheme(name, new EnumMap<>(LoginCount.class));
    schemes.add(scheme);
    return scheme;
  }

  private Sampler sampler() {
    sources.things("login", LoginCount.values(), () -> schemes);
    return new Sampler(sources);
  }

  private long sum(Interval sample, String name) {
    Series series = sources.series().named(name);
    assertThat(series).as(name).isNotNull();
    return series.kind() == Series.Kind.COUNTER ? sample.sum(series) : sample.maximum(series);
  }

  @Test
  void eachThingHasASeriesForEachCount() {
    Scheme basic = scheme("basic");
    basic.values.put(LoginCount.CHECKS, 100L);
    Sampler sampler = sampler();
    basic.values.put(LoginCount.CHECKS, 103L);
    basic.values.put(LoginCount.CHECK_NANOS, 5_000_000L);
    basic.values.put(LoginCount.PENDING, 2L);
    basic.values.put(LoginCount.CONTINUED, 9L);
    Interval sample = sampler.sample(1, 1000);
    assertThat(sum(sample, "login_checks.basic")).isEqualTo(3);
    assertThat(sum(sample, "login_check_microseconds.basic")).isEqualTo(5_000);
    assertThat(sum(sample, "login_pending.basic")).isEqualTo(2);
    assertThat(sum(sample, "login_continued.basic")).as("it has none").isZero();
  }

  @Test
  void aThingThatAReloadAddsIsSeenFromItsBegin() {
    Sampler sampler = sampler();
    History history = new History(sources.series(), UnpooledByteBufAllocator.DEFAULT, 1 << 20);
    history.add(sampler.sample(1, 1000), 0);
    scheme("digest").values.put(LoginCount.CHECKS, 7L);
    history.add(sampler.sample(2, 1000), 0);
    assertThat(sum(history.last(300), "login_checks.digest")).isEqualTo(7);
    history.close();
  }

  @Test
  void aThingThatIsGoneIsKeptWithoutAnIncrease() {
    Scheme basic = scheme("basic");
    basic.values.put(LoginCount.CHECKS, 7L);
    basic.values.put(LoginCount.PENDING, 2L);
    Sampler sampler = sampler();
    schemes.clear();
    Interval sample = sampler.sample(1, 1000);
    assertThat(sum(sample, "login_checks.basic")).isZero();
    assertThat(sum(sample, "login_pending.basic")).isZero();
    schemes.add(basic);
    basic.values.put(LoginCount.CHECKS, 9L);
    assertThat(sum(sampler.sample(2, 1000), "login_checks.basic")).isEqualTo(2);
  }

  @Test
  void furtherThingsAreCountedTogether() {
    int before = sources.series().room(Series.Kind.COUNTER);
    Sampler sampler = sampler();
    for (int i = 0; i < 40; i++) {
      Scheme one = scheme("scheme" + i);
      one.values.put(LoginCount.CHECKS, 1L);
      one.values.put(LoginCount.PENDING, 2L);
    }
    Interval sample = sampler.sample(1, 1000);
    assertThat(sum(sample, "login_checks.scheme31")).isEqualTo(1);
    assertThat(sources.series().named("login_checks.scheme32")).isNull();
    assertThat(sum(sample, "login_checks.others")).isEqualTo(8);
    assertThat(sum(sample, "login_pending.others")).isEqualTo(16);
    assertThat(sources.series().room(Series.Kind.COUNTER) - before)
        .isEqualTo(6 * (NumbersByName.MAX_NAMES + 1));
  }

  @Test
  void aThingNamedOthersIsOneOfThem() {
    for (int i = 0; i < 33; i++) {
      scheme(i == 0 ? NumbersByName.OTHERS : "scheme" + i).values.put(LoginCount.PENDING, 1L);
    }
    Interval sample = sampler().sample(1, 1000);
    assertThat(sum(sample, "login_pending.others")).isEqualTo(2);
    assertThat(sum(sample, "login_pending.scheme31")).isEqualTo(1);
  }
}
