package io.loligo.store.disk.read;

import static io.loligo.store.StoreFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.loligo.core.caching.StoredForm;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.record.ChronicleRecordMap;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Heads in memory: the oldest gives way, and nothing is found that is not stored any more. */
final class RecordsTest {
  private static final int RESPONSES = 1600;
  private static final int CAPACITY = RESPONSES / Records.SHARE;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final Records records = new Records(RESPONSES, allocator);
  private RecordMap map;

  @BeforeEach
  void begin() throws IOException {
    map = ChronicleRecordMap.create(CAPACITY);
    records.use(map);
  }

  @AfterEach
  void end() {
    records.close();
    assertThat(allocator.metric().usedDirectMemory()).as("buffers").isZero();
  }

  /** Does everything at once, or nothing. */
  private static final class Threads implements DiskThreads {
    private boolean refuses;

    @Override
    public boolean write(Runnable task, long bytes, boolean now) {
      if (!refuses) {
        task.run();
      }
      return !refuses;
    }

    @Override
    public boolean read(Runnable task, EventExecutor loop) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean urgent(Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Lock newLock() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isClosed() {
      return false;
    }

    @Override
    public boolean isCrowded() {
      return refuses;
    }

    @Override
    public int waitingReads() {
      return 0;
    }

    @Override
    public long waitingWriteBytes() {
      return 0;
    }

    @Override
    public void stop() {}

    @Override
    public boolean close(long millis) {
      return true;
    }
  }

  private final Threads threads = new Threads();

  /** A first block with {@code fields} bytes of field lines and {@code content}. */
  private static ByteBuf block(long number, long version, int fields, int content) {
    ByteBuf meta = Unpooled.buffer();
    StoredForm.writeMeta(StoreFixture.meta(), meta);
    ByteBuf block = Unpooled.buffer();
    FirstBlock.begin(
        block,
        number,
        number,
        -number,
        key("http://a/" + number),
        meta,
        new Layout(content, content, 1),
        Contents.NO_PIECES,
        Unpooled.buffer().writeZero(fields));
    block.writeZero(content);
    FirstBlock.version(block, version);
    Block.seal(block, 0, 5);
    return block;
  }

  private static IndexedResponse stored(ByteBuf block) {
    return new IndexedResponse(
        0,
        FirstBlock.high(block),
        FirstBlock.low(block),
        FirstBlock.version(block),
        0,
        Block.length(block),
        null,
        false);
  }

  private IndexedResponse offer(long number) {
    ByteBuf block = block(number, 1, 20, 20);
    records.offer(stored(block), block, threads);
    return stored(block);
  }

  private boolean has(IndexedResponse stored) {
    ByteBuf head = records.head(stored);
    if (head != null) {
      head.release();
    }
    return head != null;
  }

  @Test
  void theOldestGivesWay() {
    IndexedResponse[] offered = new IndexedResponse[3 * CAPACITY];
    for (int i = 0; i < offered.length; i++) {
      offered[i] = offer(i + 1);
      assertThat(map.size()).isEqualTo(Math.min(i + 1, CAPACITY));
      assertThat(has(offered[i])).isTrue();
    }
    for (int i = 0; i < offered.length; i++) {
      assertThat(has(offered[i])).as("%d", i).isEqualTo(i >= 2 * CAPACITY);
    }
  }

  @Test
  void aRepeatedHeadReplacesNoOther() {
    IndexedResponse first = offer(1);
    for (int i = 0; i < 3 * CAPACITY; i++) {
      offer(2);
    }
    assertThat(has(first)).isTrue();
    assertThat(map.size()).isEqualTo(2);
  }

  @Test
  void aHeadIsOfTheResponseThatIsStored() {
    ByteBuf older = block(1, 1, 20, 20);
    ByteBuf newer = block(1, 2, 30, 30);
    records.offer(stored(older), older, threads);
    assertThat(has(stored(newer))).isFalse();
    records.offer(stored(newer), newer, threads);
    assertThat(has(stored(older))).isFalse();
    ByteBuf head = records.head(stored(newer));
    assertThat(head).isEqualTo(newer);
    head.release();
  }

  @Test
  void aTinyResponseIsThereAsAWholeAndOfALargerOneTheHead() {
    ByteBuf tiny = block(1, 1, 20, 100);
    ByteBuf large = block(2, 1, 20, 3000);
    records.offer(stored(tiny), tiny, threads);
    records.offer(stored(large), large, threads);
    ByteBuf whole = records.whole(stored(tiny));
    assertThat(whole).isEqualTo(tiny);
    whole.release();
    assertThat(records.whole(stored(large))).isNull();
    ByteBuf head = records.head(stored(large));
    assertThat(head).isEqualTo(large.slice(0, head.readableBytes()));
    assertThat(head.readableBytes())
        .isGreaterThanOrEqualTo(FirstBlock.fieldsStart(head) + FirstBlock.fieldsLength(head));
    head.release();
  }

  @Test
  void aHeadThatDoesNotFitIsNotKept() {
    ByteBuf block = block(1, 1, 480, 0);
    records.offer(stored(block), block, threads);
    assertThat(map.size()).isZero();
  }

  @Test
  void anOfferThatHasToWaitIsLeftOut() {
    threads.refuses = true;
    assertThat(has(offer(1))).isFalse();
  }

  @Test
  void aMapThatFailsIsGone() throws IOException {
    IndexedResponse stored = offer(1);
    map.close();
    assertThat(has(stored)).isFalse();
    assertThat(has(offer(2))).isFalse();
  }

  @Test
  void aMapThatComesTooLateIsClosed() throws IOException {
    records.close();
    RecordMap late = ChronicleRecordMap.create(CAPACITY);
    records.use(late);
    assertThat(has(offer(1))).isFalse();
    assertThatIOException().isThrownBy(() -> late.contains(1, 1));
  }
}
