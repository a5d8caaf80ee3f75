package io.loligo.store.memory;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Store;
import io.loligo.store.StoreFixture;
import io.loligo.store.StoredObject;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class PackedEntryTest {
  private static final String URL = "http://a/path?query";
  private static final String FIELDS = "Age: 5\r\nContent-Type: text/x-packed\r\nA: b\r\n\r\n";
  private static final byte[] CONTENT = bytes(1000);
  private static final int MAX = PackedHead.MAX_BYTES;

  private final PackedAllocator allocator = new PackedAllocator(PooledByteBufAllocator.DEFAULT);
  private final MemoryLedger ledger = new MemoryLedger(1 << 20);

  private Entry packed(StoredMeta meta) {
    ByteBuf all = Unpooled.copiedBuffer(FIELDS, StandardCharsets.ISO_8859_1).writeBytes(CONTENT);
    int fields = FIELDS.length();
    assertThat(Entry.isPackable(key(URL), meta, fields, all.readableBytes())).isTrue();
    assertThat(ledger.tryReserve(Entry.packedBytes(key(URL), meta, all.readableBytes()))).isTrue();
    return Entry.packed(allocator, key(URL), meta, all, fields, all, fields, ledger);
  }

  private static StoredMeta.Builder meta() {
    return StoredMeta.builder(200).contentLength(CONTENT.length);
  }

  @Test
  void readsFromItsBlockWhatWasStored() {
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      long now = random.nextLong() >> 8;
      StoredMeta meta =
          StoredMeta.builder(100 + random.nextInt(900))
              .requestTimeMillis(now - random.nextInt())
              .responseTimeMillis(now)
              .dateMillis(now - random.nextInt())
              .lastModifiedMillis(i % 3 == 0 ? StoredMeta.NO_TIME : random.nextLong())
              .initialAgeSeconds(random.nextInt())
              .lifetimeSeconds(random.nextInt())
              .staleWhileRevalidateSeconds(random.nextInt())
              .staleIfErrorSeconds(i % 2 == 0 ? -1 : random.nextInt())
              .flags(random.nextInt() & ~StoredMeta.HIDES_FIELDS)
              .etag(i % 4 == 0 ? null : bytes(random.nextInt(40)))
              .contentLength(CONTENT.length)
              .build();
      Entry entry = packed(meta);
      assertThat(entry.meta()).isSameAs(entry);
      assertThat(entry.meta().kept()).usingRecursiveComparison().isEqualTo(meta);
      assertThat(entry.meta().hasEtag()).isEqualTo(meta.etag() != null);
      assertThat(entry.key()).isEqualTo(key(URL)).hasToString(URL);
      assertThat(entry.isUnder(probe(URL))).isTrue();
      assertThat(entry.isUnder(probe(URL + "x"))).isFalse();
      assertThat(entry.isUnder(probe("http://a/path?querz"))).isFalse();
      assertThat(new String(entry.storedLines(), StandardCharsets.ISO_8859_1)).isEqualTo(FIELDS);
      assertThat(StoreFixture.content(entry)).isEqualTo(CONTENT);
      assertThat(entry.contentType()).isEqualTo("text/x-packed").isSameAs(entry.contentType());
      entry.release();
    }
    assertThat(ledger.used()).isZero();
  }

  @Test
  void knowsTheLinesThatNoClientGets() {
    Entry entry = packed(meta().flags(StoredMeta.HIDES_FIELDS).build());
    assertThat(entry.hiddenLength()).isEqualTo("Age: 5\r\n".length());
    assertThat(new String(entry.visibleLines(), StandardCharsets.ISO_8859_1))
        .isEqualTo(FIELDS.substring("Age: 5\r\n".length()));
    entry.release();
  }

  @Test
  void keepsWhatTheTiersNote() {
    Entry entry = packed(meta().build());
    assertThat(entry.diskId()).isZero();
    assertThat(entry.judgedAt()).isZero();
    entry.diskId(Long.MAX_VALUE - 1);
    entry.judgedAt(Long.MIN_VALUE + 1);
    assertThat(entry.diskId()).isEqualTo(Long.MAX_VALUE - 1);
    assertThat(entry.judgedAt()).isEqualTo(Long.MIN_VALUE + 1);
    entry.release();
  }

  @Test
  void becomesStale() {
    Entry entry = packed(meta().responseTimeMillis(1_000).lifetimeSeconds(60).build());
    entry.becomeStale(11_000);
    assertThat(entry.meta().lifetimeSeconds()).isEqualTo(10);
    assertThat(entry.meta().status()).isEqualTo(200);
    entry.release();
  }

  @Test
  void leavesToOthersWhatDoesNotFit() {
    int fields = FIELDS.length();
    StoredMeta full = StoredMeta.builder(200).contentLength(MAX - fields).build();
    assertThat(Entry.isPackable(key(URL), full, fields, MAX)).isTrue();
    StoredMeta larger = full.withContentLength(MAX - fields + 1);
    assertThat(Entry.isPackable(key(URL), larger, fields, MAX + 1)).isFalse();
    assertThat(Entry.isPackable(key(URL), full, fields, MAX - 1)).isFalse(); // not whole
    StoredMeta old = full.toBuilder().responseTimeMillis(1L << 40).build();
    assertThat(Entry.isPackable(key(URL), old, fields, MAX)).isFalse(); // without Date
    StoredMeta eternal = full.toBuilder().lifetimeSeconds(1L << 31).build();
    assertThat(Entry.isPackable(key(URL), eternal, fields, MAX)).isFalse();
    StoredMeta tagged = full.toBuilder().etag(new byte[MAX]).build();
    assertThat(Entry.isPackable(key(URL), tagged, fields, MAX)).isFalse();
    String path = "x".repeat(MAX);
    assertThat(Entry.isPackable(key("http://a/" + path), full, fields, MAX)).isFalse();
  }

  /** The block of the first entry is free after the second came. */
  @Test
  void makesWayForItsSuccessors() {
    try (StoreFixture fixture = new StoreFixture()) {
      Entry old = fixture.put(URL, CONTENT);
      Entry fresh =
          fixture.store.freshen(key(URL), old, StoreFixture.meta(), fixture.fields("B: c\r\n\r\n"));
      assertThat(fresh.isPacked()).isTrue();
      old.release();
      assertThat(old.tryRetain()).isFalse();
      assertThat(fixture.store.stats().memoryBytes()).isEqualTo(fresh.bytes());
      fixture.fill("http://a/another", bytes(990)); // where the old one was
      Entry found = fixture.store.find(probe(URL), noFields());
      assertThat(found).isSameAs(fresh);
      assertThat(StoreFixture.content(found)).isEqualTo(CONTENT);
      found.release();
      fresh.release();
      fixture.store.remove(key(URL));
      assertThat(fixture.store.find(probe(URL), noFields())).isNull();
    }
  }

  @Test
  void aSliceOfItsContentKeepsItAlive() {
    Entry entry = packed(meta().build());
    ByteBuf slice = entry.retainedContent(10, 20);
    entry.release();
    assertThat(ledger.used()).isPositive();
    assertThat(slice.getByte(0)).isEqualTo(CONTENT[10]);
    assertThat(slice.readableBytes()).isEqualTo(20);
    slice.release();
    assertThat(ledger.used()).isZero();
  }

  @Test
  void itsSmallBlockIsOnlyLent() {
    Entry entry = packed(meta().build());
    ByteBuf block = entry.firstBlock();
    int index = entry.firstIndex(block);
    assertThat(block.getByte(index)).isEqualTo((byte) 'A');
    assertThatThrownBy(block::retain).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(block::release).isInstanceOf(UnsupportedOperationException.class);
    ByteBuf copy = block.retainedSlice(index, 3);
    entry.release();
    assertThat(copy.toString(StandardCharsets.ISO_8859_1)).isEqualTo("Age");
    copy.release();
  }

  @Test
  void isCountedByEachThreadWhileItIsSpread() {
    Entry entry = packed(meta().build());
    assertThat(entry.spread(Stripes.ONE)).isTrue();
    assertThat(entry.isSpread()).isTrue();
    ByteBuf slice = entry.retainedContent(0, 10);
    entry.hit();
    entry.gather();
    assertThat(entry.hits()).isEqualTo(1);
    entry.release();
    assertThat(ledger.used()).isPositive();
    slice.release();
    assertThat(ledger.used()).isZero();
    assertThat(entry.tryRetain()).isFalse();
  }

  @Test
  void isNotReadWithoutAReference() {
    Entry entry = packed(meta().build());
    entry.keepMeta();
    StoredMeta kept = entry.meta();
    entry.release();
    assertThat(kept.status()).isEqualTo(200);
    assertThatThrownBy(entry::status).isInstanceOf(AssertionError.class);
    assertThatThrownBy(entry::key).isInstanceOf(AssertionError.class);
  }

  @Test
  void whatIsOnlyInspectedOutlivesIt() {
    try (StoreFixture fixture = new StoreFixture()) {
      fixture.fill(URL, CONTENT);
      List<Store.Peek> seen = new ArrayList<>();
      fixture.store.peek(key(URL), noFields(), ImmediateEventExecutor.INSTANCE, seen::add);
      StoredObject listed = fixture.store.objects(1).get(0);
      fixture.store.remove(key(URL));
      assertThat(seen.get(0).variants().get(0).meta().status()).isEqualTo(200);
      assertThat(listed.meta().status()).isEqualTo(200);
    }
  }
}
