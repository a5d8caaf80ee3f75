package io.loligo.store.memory;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.ManualLoops;
import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.InFlight;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3.3: incomplete responses")
class IncompleteTest {
  private static final String URL = "http://a/";
  private static final byte[] WHOLE = bytes(200_000);

  @Test
  void keepsBytesOfAnInterruptedResponse() {
    try (StoreFixture fixture = new StoreFixture()) {
      breakOff(fixture, meta("\"1\""), 150_000);
      Entry entry = fixture.store.find(probe(URL), noFields());
      assertThat(entry.meta().part()).isEqualTo(new ContentPart(0, 150_000));
      assertThat(entry.contentLength()).isEqualTo(WHOLE.length);
      assertThat(read(entry, 0, 150_000)).isEqualTo(Arrays.copyOf(WHOLE, 150_000));
      assertThatThrownBy(() -> entry.retainedContent(150_000, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      entry.release();
    }
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"W/\"1\"", "no-tag"})
  void keepsNothingThatCannotBeContinued(String tag) {
    try (StoreFixture fixture = new StoreFixture()) {
      breakOff(fixture, meta(tag), 150_000);
      assertThat(fixture.store.holds(probe(URL))).isFalse();
    }
  }

  @Test
  void keepsNothingOfAPurgedFetch() {
    try (StoreFixture fixture = new StoreFixture()) {
      ManualLoops.Loop loop = new ManualLoops().add();
      loop.call(
          () -> {
            InFlight flight = begin(fixture, loop, meta("\"1\""));
            flight.content(fixture.buffer(WHOLE, 0, 100));
            fixture.store.remove(key(URL));
            flight.fail("broken");
          });
      assertThat(fixture.store.holds(probe(URL))).isFalse();
    }
  }

  @Test
  void aPartKnowsItsPlace() {
    try (StoreFixture fixture = new StoreFixture()) {
      StoredMeta part = meta("\"1\"").withPart(new ContentPart(50_000, 200_000));
      fixture.fill(URL, part, Arrays.copyOfRange(WHOLE, 50_000, 200_000));
      Entry entry = fixture.store.find(probe(URL), noFields());
      assertThat(entry.meta().part()).isEqualTo(new ContentPart(50_000, 200_000));
      assertThat(read(entry, 60_000, 200_000))
          .isEqualTo(Arrays.copyOfRange(WHOLE, 60_000, 200_000));
      assertThat(entry.isResident(199_999)).isTrue();
      assertThatThrownBy(() -> entry.retainedContent(49_999, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      entry.release();
    }
  }

  @Test
  void aPartDisplacesNoWholeButAnotherPart() {
    try (StoreFixture fixture = new StoreFixture()) {
      StoredMeta part = meta("\"1\"").withPart(new ContentPart(0, 10));
      fixture.fill(URL, part, bytes(10));
      fixture.fill(URL, meta("\"2\"").withPart(new ContentPart(5, 10)), bytes(5));
      Entry other = fixture.store.find(probe(URL), noFields());
      assertThat(other.meta().part()).isEqualTo(new ContentPart(5, 10));
      other.release();
      fixture.fill(URL, meta("\"2\""), WHOLE);
      fixture.fill(URL, part, bytes(10));
      Entry whole = fixture.store.find(probe(URL), noFields());
      assertThat(whole.meta().part()).isNull();
      assertThat(StoreFixture.content(whole)).isEqualTo(WHOLE);
      whole.release();
      assertThat(fixture.store.stats().entries()).isEqualTo(1);
    }
  }

  @Test
  void staysAPartWhenItIsFreshened() {
    try (StoreFixture fixture = new StoreFixture()) {
      StoredMeta part = meta("\"1\"").withPart(new ContentPart(50_000, 200_000));
      fixture.fill(URL, part, Arrays.copyOfRange(WHOLE, 50_000, 200_000));
      Entry old = fixture.store.find(probe(URL), noFields());
      Entry fresh = fixture.store.freshen(key(URL), old, old.meta(), fixture.fields("\r\n"));
      old.release();
      assertThat(read(fresh, 50_000, 200_000))
          .isEqualTo(Arrays.copyOfRange(WHOLE, 50_000, 200_000));
      fresh.release();
    }
  }

  private static void breakOff(StoreFixture fixture, StoredMeta meta, int bytes) {
    ManualLoops.Loop loop = new ManualLoops().add();
    loop.call(
        () -> {
          InFlight flight = begin(fixture, loop, meta);
          flight.content(fixture.buffer(WHOLE, 0, bytes));
          flight.fail("broken");
        });
  }

  private static InFlight begin(StoreFixture fixture, ManualLoops.Loop loop, StoredMeta meta) {
    InFlight flight = fixture.store.begin(key(URL), true, loop, new StoreFixture.SilentWriter());
    flight.head(StoreFixture.head(), meta, true, fixture.fields("A: b\r\n\r\n"), WHOLE.length);
    return flight;
  }

  private static byte[] read(Entry entry, int from, int to) {
    byte[] bytes = new byte[to - from];
    for (int at = from; at < to; ) {
      ByteBuf slice = entry.retainedContent(at, to - at);
      int length = slice.readableBytes();
      slice.readBytes(bytes, at - from, length);
      slice.release();
      at += length;
    }
    return bytes;
  }

  private static StoredMeta meta(String tag) {
    byte[] etag = tag == null ? null : tag.getBytes(StandardCharsets.ISO_8859_1);
    return StoredMeta.builder(200)
        .lifetimeSeconds(60)
        .etag(etag)
        .contentLength(WHOLE.length)
        .build();
  }
}
