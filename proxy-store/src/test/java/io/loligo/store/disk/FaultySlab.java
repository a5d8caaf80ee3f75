package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SlabFile;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The slabs of a directory, on a disk that fails or stalls when told. Thread-safe. */
public final class FaultySlab implements Slab {
  static final int PAGE_BYTES = 4096;

  private final SlabFile file;
  private final AtomicInteger readsToFail = new AtomicInteger();
  private final AtomicInteger readsLeft = new AtomicInteger();
  private final AtomicInteger stalled = new AtomicInteger();
  private final AtomicInteger movesLeft = new AtomicInteger(Integer.MAX_VALUE);
  private volatile String failsWrites;
  private final AtomicReference<CountDownLatch> behindNextRead = new AtomicReference<>();
  private final AtomicReference<Hold> behindNextFirstBlock = new AtomicReference<>();
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private final Set<Long> badPages;

  public FaultySlab(Path path) throws IOException {
    this(path, ConcurrentHashMap.newKeySet());
  }

  /**
   * On a disk with {@code badPages}, their first bytes: none can be read, nor written in part,
   * until all of it was written.
   */
  FaultySlab(Path path, Set<Long> badPages) throws IOException {
    file = new SlabFile(path);
    this.badPages = badPages;
  }

  private void touch(long position, int length, boolean writes) throws IOException {
    for (long page : badPages) {
      boolean whole = position <= page && page + PAGE_BYTES <= position + length;
      if (position < page + PAGE_BYTES && page < position + length && !(writes && whole)) {
        throw new IOException("Input/output error");
      }
    }
    if (writes) {
      badPages.removeIf(page -> position <= page && page + PAGE_BYTES <= position + length);
    }
  }

  public void failReads(int count) {
    readsToFail.set(count);
  }

  /** The {@code nth} read from now on fails. */
  void failRead(int nth) {
    readsLeft.set(nth);
  }

  void failWrites() {
    failWrites("Input/output error");
  }

  /** All writes fail as the system says it with {@code why}. */
  void failWrites(String why) {
    failsWrites = why;
  }

  /** All writes fail from the {@code nth} block on that is written to the main lane. */
  void failAtMove(int nth) {
    movesLeft.set(nth);
  }

  /** Every operation that begins from now on waits for {@link #resume}. */
  public void stall() {
    gate = new CountDownLatch(1);
  }

  public void resume() {
    gate.countDown();
  }

  /** The next read waits, when it has read, until this is counted down. */
  public CountDownLatch holdNextRead() {
    CountDownLatch held = new CountDownLatch(1);
    behindNextRead.set(held);
    return held;
  }

  /** A thread that waits after its write or force. */
  static final class Hold {
    private final String url;
    private final Lane lane;
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    private Hold(String url, Lane lane) {
      this.url = url;
      this.lane = lane;
    }

    private boolean isOf(ByteBuf bytes) {
      return Block.isWhole(bytes, Block.FIRST)
          && Block.lane(bytes) == lane.ordinal()
          && FirstBlock.key(bytes).toString().equals(url);
    }

    boolean isReached() {
      return reached.getCount() == 0;
    }

    void release() {
      released.countDown();
    }
  }

  /**
   * The thread that writes the next first block of {@code url} to {@code lane} waits after the
   * write.
   */
  Hold holdNextFirstBlock(String url, Lane lane) {
    Hold next = new Hold(url, lane);
    behindNextFirstBlock.set(next);
    return next;
  }

  /** Threads that wait. */
  public int stalled() {
    return stalled.get();
  }

  private void pass(CountDownLatch gate) throws IOException {
    stalled.incrementAndGet();
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    } finally {
      stalled.decrementAndGet();
    }
  }

  @Override
  public void read(long position, ByteBuf into, int length) throws IOException {
    pass(gate);
    if (readsToFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        || readsLeft.getAndUpdate(left -> Math.max(0, left - 1)) == 1) {
      throw new IOException("Input/output error");
    }
    touch(position, length, false);
    file.read(position, into, length);
    CountDownLatch held = behindNextRead.getAndSet(null);
    if (held != null) {
      pass(held);
    }
  }

  @Override
  public void write(long position, ByteBuf from) throws IOException {
    pass(gate);
    if (isOfMainLane(from) && movesLeft.decrementAndGet() <= 0) {
      failWrites();
    }
    if (failsWrites != null) {
      throw new IOException(failsWrites);
    }
    touch(position, from.readableBytes(), true);
    file.write(position, from);
    Hold hold = behindNextFirstBlock.get();
    if (hold != null && hold.isOf(from.slice()) && behindNextFirstBlock.compareAndSet(hold, null)) {
      hold(hold);
    }
  }

  /** Whether {@code bytes} begin with a block of the main lane, or a segment that does. */
  private static boolean isOfMainLane(ByteBuf bytes) {
    for (int at : new int[] {0, Geometry.SEGMENT_HEADER_BYTES}) {
      ByteBuf block =
          bytes.slice(Math.min(at, bytes.readableBytes()), Math.max(0, bytes.readableBytes() - at));
      if (block.readableBytes() > Block.HEADER_BYTES && block.getInt(0) == Block.MAGIC) {
        return Block.lane(block) == Lane.MAIN.ordinal();
      }
    }
    return false;
  }

  private void hold(Hold hold) throws IOException {
    hold.reached.countDown();
    pass(hold.released);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
