package io.loligo.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.store.StoreFixture;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.IllegalReferenceCountException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stored responses that many event loops serve at the same time. */
@Tag("races")
final class SpreadTest {
  private static final int LOOPS = 64;
  private static final int FIELDS = 8;
  private static final String URL = "http://a/";
  private static final KeyProbe PROBE = StoreFixture.probe(URL);
  private static final CacheKey KEY = StoreFixture.key(URL);

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private ByteBufAllocator blocks = allocator;
  private final Stripes stripes = new Stripes(LOOPS);
  private final MemoryLedger transit = new MemoryLedger(64 << 20, stripes);
  private final MemoryTier tier = new MemoryTier(allocator, 64 << 20, transit, Runnable::run);

  @AfterEach
  void nothingIsLeft() {
    tier.close();
    assertThat(tier.usedBytes()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new Random(count).nextBytes(bytes);
    return bytes;
  }

  /** Stores {@code content}: the first block, and further blocks. */
  private void store(CacheKey key, byte[] content) {
    int inFirst = Math.min(content.length, Entry.BLOCK_BYTES - FIELDS);
    ByteBuf first = blocks.directBuffer(FIELDS + inFirst, FIELDS + inFirst);
    first.writeZero(FIELDS).writeBytes(content, 0, inFirst);
    List<ByteBuf> rest = new ArrayList<>();
    int last = 0;
    for (int at = inFirst; at < content.length; at += last) {
      last = Math.min(content.length - at, Entry.BLOCK_BYTES);
      rest.add(blocks.directBuffer(last, last).writeBytes(content, at, last));
    }
    tier.add(
            key,
            StoreFixture.meta().withContentLength(content.length),
            null,
            first,
            FIELDS,
            FIELDS + inFirst,
            rest.toArray(new ByteBuf[0]),
            last,
            () -> true)
        .release();
    first.release();
    rest.forEach(ByteBuf::release);
  }

  private Entry find() {
    return tier.find(PROBE, StoreFixture.noFields());
  }

  /** Lets loops collide at the entry as often as is needed. */
  private void heat(String url) {
    KeyProbe probe = StoreFixture.probe(url);
    Entry entry = tier.find(probe, StoreFixture.noFields());
    for (int i = 0; i < 100; i++) {
      entry.collided();
    }
    entry.release();
    tier.find(probe, StoreFixture.noFields()).release();
  }

  private boolean isSpread(String url) {
    Entry entry = tier.retainAll(StoreFixture.key(url)).get(0);
    boolean spread = entry.isSpread();
    entry.release();
    return spread;
  }

  /** The count that all threads share: each change of it is a write to a line that others read. */
  private static int sharedCount(Entry entry) {
    try {
      Field count = Entry.class.getDeclaredField("count");
      count.setAccessible(true);
      return count.getInt(entry);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Changes of the count that all share, by 64 loops with 100 hits each. */
  private int writesOfHits() {
    int writes = 0;
    for (int hit = 0; hit < 100 * LOOPS; hit++) {
      stripes.enter(hit % LOOPS);
      Entry entry = tier.retainAll(KEY).get(0);
      int before = sharedCount(entry);
      assertThat(entry.tryRetain()).isTrue();
      int retained = sharedCount(entry);
      entry.hit();
      entry.release();
      writes += (before == retained ? 0 : 1) + (retained == sharedCount(entry) ? 0 : 1);
      entry.release();
    }
    return writes;
  }

  @Test
  void hitsOfAHotEntryWriteNothingThatLoopsShare() {
    store(KEY, bytes(100));
    assertThat(writesOfHits()).isEqualTo(2 * 100 * LOOPS);
    heat(URL);
    assertThat(isSpread(URL)).isTrue();
    assertThat(writesOfHits()).isZero();
    assertThat(tier.peek(KEY, StoreFixture.noFields()).get(0).hits()).isEqualTo(2 * 100 * LOOPS);
  }

  @Test
  void contentOfAHotEntryIsHeldByTheEntry() {
    byte[] content = bytes(200_000);
    store(KEY, content);
    heat(URL);
    Entry entry = find();
    List<ByteBuf> parts = new ArrayList<>();
    for (int at = 0; at < content.length; at += parts.get(parts.size() - 1).readableBytes()) {
      parts.add(entry.retainedContent(at, 50_000));
    }
    ByteBuf head = entry.firstBlock().retainedSlice(0, FIELDS);
    assertThat(entry.firstBlock().refCnt()).as("of the block itself").isOne();
    entry.release();
    tier.remove(KEY);
    assertThat(tier.usedBytes()).as("pinned").isGreaterThan(200_000);
    assertThat(Unpooled.wrappedBuffer(parts.toArray(new ByteBuf[0])))
        .isEqualTo(Unpooled.wrappedBuffer(content));
    parts.forEach(ByteBuf::release);
    assertThat(tier.usedBytes()).as("pinned").isGreaterThan(200_000);
    head.release();
    assertThat(tier.usedBytes()).isZero();
    assertThat(entry.tryRetain()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBlockOfAHotEntryIsABufferAsAnyOther(boolean packed) {
    blocks = packed ? new PackedAllocator(allocator) : allocator;
    byte[] content = bytes(30_000);
    store(KEY, content);
    Entry entry = find();
    ByteBuf plain = entry.firstBlock();
    heat(URL);
    ByteBuf hot = entry.firstBlock();
    assertThat(hot).isNotSameAs(plain);
    assertThat(hot.capacity()).isEqualTo(plain.capacity());
    assertThat(hot.isDirect()).isTrue();
    assertThat(hot.refCnt()).isEqualTo(1);
    assertThat(hot.hasMemoryAddress()).isTrue();
    assertThat(hot.memoryAddress()).isEqualTo(plain.memoryAddress());
    byte[] bytes = new byte[content.length];
    hot.getBytes(FIELDS, bytes);
    assertThat(bytes).isEqualTo(content);
    assertThat(hot.nioBuffer(FIELDS, content.length)).isEqualTo(ByteBuffer.wrap(content));
    ByteBuf slice = hot.slice(FIELDS, content.length).retain(2);
    assertThat(slice.release(2)).isFalse();
    ByteBuf copy = hot.copy(FIELDS, 10);
    assertThat(copy).isEqualTo(Unpooled.wrappedBuffer(content, 0, 10));
    copy.release();
    tier.remove(KEY);
    entry.release();
    assertThatThrownBy(hot::retain).isInstanceOf(IllegalReferenceCountException.class);
    assertThatThrownBy(entry::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anEntryThatLeftIsFreedWithTheLastReference() {
    store(KEY, bytes(100));
    heat(URL);
    stripes.enter(1);
    Entry one = find();
    stripes.enter(2);
    Entry other = find();
    tier.remove(KEY);
    assertThat(one.isSpread()).isFalse();
    one.release(); // by another loop than found it
    stripes.enter(3);
    assertThat(tier.usedBytes()).isPositive();
    assertThat(other.tryRetain()).isTrue();
    other.release();
    other.release();
    assertThat(tier.usedBytes()).isZero();
    assertThat(other.tryRetain()).isFalse();
  }

  @Test
  void anEntryThatLeftBeforeIsNotSpreadForGood() {
    store(KEY, bytes(100));
    Entry entry = find();
    tier.remove(KEY);
    HotEntries hot = new HotEntries(stripes);
    hot.spread(entry, tier::holds);
    assertThat(entry.isSpread()).isFalse();
    entry.release();
    assertThat(tier.usedBytes()).isZero();
  }

  @Test
  void aColdEntryIsGatheredAndMayBecomeHotAgain() {
    store(KEY, bytes(100));
    heat(URL);
    tier.tick();
    assertThat(isSpread(URL)).as("few hits").isFalse();
    assertThat(tier.peek(KEY, StoreFixture.noFields()).get(0).hits()).isZero();
    heat(URL);
    writesOfHits();
    tier.tick();
    assertThat(isSpread(URL)).as("many hits").isTrue();
    tier.tick();
    assertThat(isSpread(URL)).as("none since").isFalse();
    assertThat(tier.peek(KEY, StoreFixture.noFields()).get(0).hits()).isEqualTo(100 * LOOPS);
    assertThat(writesOfHits()).isEqualTo(2 * 100 * LOOPS);
  }

  @Test
  void noMoreThanSomeAreSpread() {
    for (int i = 0; i <= HotEntries.MOST; i++) {
      store(StoreFixture.key(URL + i), bytes(100));
      heat(URL + i);
    }
    IntPredicate spread = i -> isSpread(URL + i);
    assertThat(IntStream.rangeClosed(0, HotEntries.MOST).filter(spread)).hasSize(HotEntries.MOST);
    tier.tick();
    assertThat(IntStream.rangeClosed(0, HotEntries.MOST).filter(spread)).isEmpty();
  }

  @Test
  void withoutStripesNothingIsSpread() {
    MemoryTier alone = new MemoryTier(allocator, 1 << 20, new MemoryLedger(1 << 20), Runnable::run);
    ByteBuf first = allocator.directBuffer(64, 64).writeZero(64);
    Entry entry =
        alone.add(
            KEY,
            StoreFixture.meta().withContentLength(64 - FIELDS),
            null,
            first,
            FIELDS,
            64,
            new ByteBuf[0],
            0,
            () -> true);
    first.release();
    for (int i = 0; i < 100; i++) {
      entry.collided();
    }
    alone.find(PROBE, StoreFixture.noFields()).release();
    assertThat(entry.isSpread() || entry.isContended()).isFalse();
    entry.release();
    alone.close();
  }

  /** Loops find and hold it, it is spread and gathered, stored anew and removed, all at once. */
  @Test
  void survivesEverythingAtOnce() throws Exception {
    int loops = 3;
    int rounds = 30_000;
    byte[] content = bytes(100_000);
    store(KEY, content);
    ExecutorService threads = Executors.newFixedThreadPool(loops);
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int loop = 0; loop < loops; loop++) {
        int number = loop;
        all.add(threads.submit(() -> hitOften(number, rounds, content)));
      }
      for (int i = 0; !all.stream().allMatch(Future::isDone); i++) {
        if (i % 3 == 0) {
          store(KEY, content);
        } else if (i % 3 == 1) {
          tier.tick();
        } else if (i % 30 == 2) {
          tier.remove(KEY);
        }
      }
      for (Future<?> one : all) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void hitOften(int loop, int rounds, byte[] content) {
    stripes.enter(loop);
    Random random = new Random(loop);
    KeyProbe probe = StoreFixture.probe(URL);
    for (int i = 0; i < rounds; i++) {
      Entry entry = tier.find(probe, StoreFixture.noFields());
      if (entry == null) {
        continue;
      }
      entry.hit();
      if (i % 10 == 0) {
        entry.collided();
      }
      int at = random.nextInt(content.length);
      ByteBuf part = entry.retainedContent(at, 100);
      entry.release();
      byte[] bytes = new byte[part.readableBytes()];
      part.readBytes(bytes);
      part.release();
      assertThat(bytes).isEqualTo(Arrays.copyOfRange(content, at, at + bytes.length));
    }
  }
}
