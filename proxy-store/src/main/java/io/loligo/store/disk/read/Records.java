package io.loligo.store.disk.read;

import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heads and tiny responses that were requested lately, in memory beside the index: {@link #SHARE}
 * of the responses that the directory may hold; the oldest are replaced. It answers without the
 * disk if a record suffices. Nothing depends on it: it begins empty, and after a failure it is
 * dropped. Thread-safe: disk threads.
 */
public final class Records {
  /** Responses per record. */
  static final int SHARE = 16;

  private static final int MIN_RECORDS = 64;
  private static final Logger LOG = LoggerFactory.getLogger(Records.class);

  private final ByteBufAllocator allocator;
  private final long[] keys;
  private int next;
  private int filled;
  private volatile @Nullable RecordMap map;
  private boolean closed;

  /** Begins without a map; {@link #use} provides it. */
  public Records(int capacity, ByteBufAllocator allocator) {
    this.allocator = allocator;
    this.keys = new long[2 * capacity(capacity)];
  }

  /** Records of a directory for {@code responses}. */
  public static int capacity(int responses) {
    return Math.max(MIN_RECORDS, responses / SHARE);
  }

  /** Takes {@code empty}, which has room for all. */
  public void use(RecordMap empty) {
    synchronized (this) {
      if (!closed) {
        map = empty;
        return;
      }
    }
    close(empty);
  }

  /** All of the first block of {@code stored}, if a record holds it. Returns owned, or null. */
  @Nullable ByteBuf whole(IndexedResponse stored) {
    if (stored.length() > StoredHead.COPY_BYTES) {
      return null;
    }
    ByteBuf block = head(stored);
    if (block != null && !(Block.isWhole(block, Block.FIRST) && FirstBlock.isSound(block))) {
      block.release();
      return null;
    }
    return block;
  }

  /** The head of {@code stored}, if a record holds it. Returns owned, or null. */
  @Nullable ByteBuf head(IndexedResponse stored) {
    RecordMap now = map;
    if (now == null) {
      return null;
    }
    ByteBuf record = allocator.directBuffer(RecordMap.RECORD_BYTES, RecordMap.RECORD_BYTES);
    try {
      ByteBuf copy = now.get(stored.high(), stored.low(), record) ? StoredHead.block(record) : null;
      if (copy == null || !stored.isSame(copy)) {
        return null;
      }
      return allocator.directBuffer(copy.readableBytes(), copy.readableBytes()).writeBytes(copy);
    } catch (IOException e) {
      failed(e);
      return null;
    } finally {
      record.release();
    }
  }

  /**
   * Remembers the head of {@code stored} soon, if there is room for it. Borrows {@code block}. Any
   * thread.
   */
  void offer(IndexedResponse stored, ByteBuf block, DiskThreads threads) {
    if (map == null || !StoredHead.fits(block)) {
      return;
    }
    ByteBuf record = allocator.directBuffer(RecordMap.RECORD_BYTES, RecordMap.RECORD_BYTES);
    StoredHead.write(record, block);
    boolean queued =
        threads.write(
            () -> {
              try {
                put(stored, record);
              } finally {
                record.release();
              }
            },
            RecordMap.RECORD_BYTES,
            false);
    if (!queued) {
      record.release();
    }
  }

  private void put(IndexedResponse stored, ByteBuf record) {
    RecordMap now = map;
    try {
      synchronized (this) {
        if (now == null || closed) {
          return;
        }
        boolean known = now.contains(stored.high(), stored.low());
        if (!known) {
          if (filled == keys.length / 2) {
            now.remove(keys[2 * next], keys[2 * next + 1]);
          } else {
            filled++;
          }
          keys[2 * next] = stored.high();
          keys[2 * next + 1] = stored.low();
          next = (next + 1) % (keys.length / 2);
        }
        now.put(stored.high(), stored.low(), record);
      }
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException why) {
    if (map != null) {
      LOG.warn(
          "heads are read from the disk: {}, which is slower; next: start again if the rate of hits"
              + " suffers",
          why.toString());
    }
    map = null;
  }

  private static void close(RecordMap map) {
    try {
      map.close();
    } catch (IOException e) {
      LOG.warn("records were not closed; next: report this defect, with the trace", e);
    }
  }

  /** Releases everything. */
  public void close() {
    RecordMap last;
    synchronized (this) {
      closed = true;
      last = map;
      map = null;
    }
    if (last != null) {
      close(last);
    }
  }
}
