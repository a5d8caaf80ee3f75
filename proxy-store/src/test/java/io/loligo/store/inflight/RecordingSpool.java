package io.loligo.store.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.ManualLoops;
import io.loligo.store.memory.FurtherContent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * A disk that does everything on command, may do it wrong, and checks that its calls are legal. It
 * holds its content as buffers until that is "written".
 */
final class RecordingSpool implements Spool {
  private enum Phase {
    OPEN,
    ENDING,
    ENDED,
    FAILED,
    CLOSED
  }

  private record Read(long offset, int max, FurtherContent.Listener then) {}

  private final ByteBufAllocator allocator;
  private final ManualLoops.Loop loop;
  private final Listener listener;
  private final long announced;
  private final ArrayDeque<ByteBuf> unwritten = new ArrayDeque<>();
  private final ArrayDeque<Read> reads = new ArrayDeque<>();
  private final ByteArrayOutputStream disk = new ByteArrayOutputStream();
  private Phase phase = Phase.OPEN;
  private long credit;
  private boolean committed;
  private boolean failed;
  long taken;
  long readable;
  int largestRead;
  int readsDone;
  StoredMeta meta;

  /** Whether it would be found now. */
  boolean found;

  RecordingSpool(
      ByteBufAllocator allocator, ManualLoops.Loop loop, Listener listener, long announced) {
    this.allocator = allocator;
    this.loop = loop;
    this.listener = listener;
    this.announced = announced;
  }

  // Spool

  @Override
  public void content(ByteBuf content) {
    assertCalled();
    assertThat(phase).isEqualTo(Phase.OPEN);
    int bytes = content.readableBytes();
    assertThat(bytes).isPositive();
    credit -= bytes;
    assertThat(credit).as("credit").isNotNegative();
    taken += bytes;
    if (announced >= 0) {
      assertThat(taken).isLessThanOrEqualTo(announced);
    }
    unwritten.add(content);
  }

  @Override
  public void end(StoredMeta meta) {
    assertCalled();
    assertThat(phase).isEqualTo(Phase.OPEN);
    assertThat(meta.storedLength()).isEqualTo(taken);
    this.meta = meta;
    phase = Phase.ENDING;
  }

  @Override
  public void read(long offset, int max, FurtherContent.Listener then) {
    assertCalled();
    assertThat(phase).isIn(Phase.OPEN, Phase.ENDING, Phase.ENDED);
    assertThat(max).isPositive();
    assertThat(offset + max).isLessThanOrEqualTo(readable);
    largestRead = Math.max(largestRead, max);
    reads.add(new Read(offset, max, then));
  }

  @Override
  public void close() {
    assertCalled();
    assertThat(phase).isNotEqualTo(Phase.CLOSED);
    assertThat(reads).as("reads under way").isEmpty();
    release();
    phase = Phase.CLOSED;
  }

  private void assertCalled() {
    assertThat(loop.inEventLoop()).as("on the writer's loop").isTrue();
  }

  private void release() {
    unwritten.forEach(ByteBuf::release);
    unwritten.clear();
  }

  // The steps of the disk

  boolean isOpen() {
    return phase == Phase.OPEN;
  }

  boolean isEnding() {
    return phase == Phase.ENDING;
  }

  boolean isClosed() {
    return phase == Phase.CLOSED;
  }

  boolean hasFailed() {
    return failed;
  }

  int readsUnderWay() {
    return reads.size();
  }

  byte[] written() {
    return disk.toByteArray();
  }

  /** Takes {@code bytes} more. */
  void grant(long bytes) {
    if (phase == Phase.OPEN) {
      credit += bytes;
      loop.call(() -> listener.credit(bytes));
    }
  }

  /** Writes the oldest buffer it took, and tells; whether there was one. */
  boolean writeOne() {
    boolean any = write();
    if (any) {
      loop.call(() -> listener.readable(readable));
    }
    return any;
  }

  private boolean write() {
    ByteBuf content = unwritten.poll();
    if (content == null) {
      return false;
    }
    byte[] bytes = new byte[content.readableBytes()];
    content.readBytes(bytes);
    content.release();
    disk.writeBytes(bytes);
    readable += bytes.length;
    return true;
  }

  /** Answers the oldest read with at most {@code max} bytes; whether there was one. */
  boolean answer(int max) {
    Read read = reads.poll();
    if (read == null) {
      return false;
    }
    if (phase == Phase.FAILED) {
      loop.call(() -> read.then.content(null));
      return true;
    }
    int from = (int) read.offset;
    int bytes = Math.min(max, read.max);
    ByteBuf content = allocator.directBuffer(bytes, bytes);
    content.writeBytes(Arrays.copyOfRange(disk.toByteArray(), from, from + bytes));
    readsDone++;
    loop.call(() -> read.then.content(content));
    return true;
  }

  /** Answers the oldest read with nothing. */
  boolean answerNothing() {
    Read read = reads.poll();
    if (read == null) {
      return false;
    }
    loop.call(() -> read.then.content(null));
    return true;
  }

  /** Makes it findable if it is all there and may be; not told yet. */
  void commit() {
    if (phase == Phase.ENDING && !committed) {
      committed = true;
      found = listener.mayStore();
    }
  }

  /** Stores it if it is all there; whether it was. */
  boolean land() {
    if (phase != Phase.ENDING) {
      return false;
    }
    commit();
    while (write()) {}
    phase = Phase.ENDED;
    loop.call(listener::ended);
    return true;
  }

  void fail() {
    if (phase != Phase.CLOSED && phase != Phase.FAILED) {
      found &= phase == Phase.ENDED;
      phase = Phase.FAILED;
      failed = true;
      release();
      loop.call(listener::failed);
    }
  }

  /** Does all there is to do; whether there was anything. */
  boolean flow() {
    boolean any = false;
    if (credit == 0 && phase == Phase.OPEN) {
      long before = taken;
      grant(128 << 10);
      any = taken > before;
    }
    any |= writeOne();
    any |= answer(Integer.MAX_VALUE);
    any |= land();
    return any;
  }

  /** All pending steps, with their consequences elsewhere. */
  void flowAll(ManualLoops loops) {
    do {
      loops.runAll();
    } while (flow());
    loops.runAll();
  }
}
