package io.loligo.server.shaping;

import io.loligo.server.time.LoopTimer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one stream that wait until an {@link Allowance} lets them pass, in their order. Waiting
 * costs a timeout of the loop, which is looked at ten times a second, and no thread. Confined to
 * one event loop.
 *
 * <p>It takes the next bytes from the buckets before they are there, and passes them when they are.
 * So each stream of a bucket has at most one step of bytes under way, and gets its turn.
 */
public final class PacedBytes extends LoopTimer.Timeout {
  /** Longest time between two looks at the buckets, milliseconds. */
  private static final long MOST_MILLIS = 1_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Takes the bytes. */
  public interface Outlet {
    /** The buckets to take the next bytes from; null: no limit. */
    @Nullable Allowance allowance();

    /** Takes {@code piece}, the next bytes. */
    void pass(ByteBuf piece);

    /** Some bytes have passed, and others wait. */
    default void paused() {}

    /** Everything that was added has passed. */
    void passedAll();
  }

  private final LoopPaces loop;
  private final Outlet outlet;
  private final ArrayDeque<ByteBuf> queue = new ArrayDeque<>(4);
  private long queuedBytes;
  private boolean pumping;
  private boolean closed;

  /** Whose bytes were taken, and not passed yet; null: none. */
  private @Nullable Allowance from;

  private int reserved;

  /** Whether they may pass. */
  private boolean due;

  /** Whether the pools count it as a stream that waits. */
  private boolean counted;

  private long dueNanos;

  /** Nothing waits. */
  public PacedBytes(LoopPaces loop, Outlet outlet) {
    this.loop = loop;
    this.outlet = outlet;
  }

  /** Adds {@code bytes}, taken. {@link #pump} follows. */
  public void add(ByteBuf bytes) {
    if (closed || !bytes.isReadable()) {
      bytes.release();
      return;
    }
    queue.add(bytes);
    queuedBytes += bytes.readableBytes();
  }

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Bytes that wait. */
  public long queuedBytes() {
    return queuedBytes;
  }

  /** Passes the bytes that may pass now. The rest follows by itself. */
  public void pump() {
    if (pumping || queue.isEmpty()) {
      return;
    }
    pumping = true;
    boolean passed = false;
    try {
      while (!queue.isEmpty()) {
        Allowance now = loop.isOver() ? null : outlet.allowance();
        if (!mayPass(now)) {
          if (passed) {
            outlet.paused();
          }
          return;
        }
        passed = true;
        ByteBuf piece = next(now == null ? Integer.MAX_VALUE : reserved);
        if (now != null) {
          reserved -= piece.readableBytes();
          now.passed(piece.readableBytes());
        }
        outlet.pass(piece);
      }
    } finally {
      pumping = false;
    }
    if (!closed) {
      loop.forget(this);
      outlet.passedAll();
    }
  }

  @Override
  protected void expired() {
    pump();
  }

  /** Whether reserved bytes may pass now; if not, a timeout is armed. */
  private boolean mayPass(@Nullable Allowance now) {
    if (from != null && (now != from || reserved == 0)) {
      giveBack();
    }
    if (now == null) {
      return true;
    }
    long nowNanos = loop.nanos();
    if (from == null) {
      from = now;
      reserved = now.reserve(queuedBytes, nowNanos);
      long left = now.nanosLeft(nowNanos);
      due = left == 0;
      dueNanos = nowNanos + Math.min(left, Long.MAX_VALUE / 2);
      if (!due) {
        now.waited();
      }
    }
    // those before it may have left
    due |= dueNanos - nowNanos <= 0 || now.nanosLeft(nowNanos) == 0;
    count(from, !due);
    if (!due) {
      long millis = (dueNanos - nowNanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
      loop.await(this, Math.min(MOST_MILLIS, millis));
    }
    return due;
  }

  private void count(Allowance taken, boolean waits) {
    if (counted != waits) {
      counted = waits;
      taken.waiting(waits ? 1 : -1);
    }
  }

  private void giveBack() {
    if (from != null) {
      count(from, false);
      from.giveBack(reserved);
    }
    from = null;
    reserved = 0;
    due = false;
  }

  private ByteBuf next(int most) {
    ByteBuf first = queue.peek();
    assert first != null : "it is not empty";
    int bytes = Math.min(most, first.readableBytes());
    queuedBytes -= bytes;
    if (bytes < first.readableBytes()) {
      return first.readRetainedSlice(bytes);
    }
    queue.poll();
    return first;
  }

  /** Drops the bytes that wait. The terminal method. */
  public void close() {
    closed = true;
    loop.forget(this);
    giveBack();
    queuedBytes = 0;
    for (ByteBuf piece = queue.poll(); piece != null; piece = queue.poll()) {
      piece.release();
    }
  }
}
