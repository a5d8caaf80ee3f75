package io.loligo.store.memory;

import io.loligo.core.caching.ContentPart;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Content of several parts of one response, each of which is read from its own place. It may have
 * gaps, which are never requested. Thread-safe: any thread.
 */
final class JoinedContent implements FurtherContent {
  private final List<Entry> parts;
  private final long start;
  private final AtomicInteger count = new AtomicInteger(1);

  /**
   * Takes {@code parts}.
   *
   * @param start offset in the whole of the first byte of all of them
   */
  JoinedContent(List<Entry> parts, long start) {
    this.parts = List.copyOf(parts);
    this.start = start;
  }

  /** Borrowed. */
  List<Entry> parts() {
    return parts;
  }

  @Override
  public FurtherContent retain() {
    int before = count.getAndIncrement();
    assert before > 0 : "retained after release";
    return this;
  }

  @Override
  public void release() {
    if (count.decrementAndGet() == 0) {
      parts.forEach(Entry::release);
    }
  }

  @Override
  public long bytes() {
    long bytes = 0;
    for (Entry part : parts) {
      bytes += part.bytes();
    }
    return bytes;
  }

  /** It belongs to its reader, and never goes to memory. */
  @Override
  public boolean moveTo(MemoryLedger other) {
    return false;
  }

  @Override
  public boolean isResident() {
    return false;
  }

  @Override
  public ByteBuf retainedContent(long offset, int max) {
    throw new IllegalStateException("joined parts, requested as if they were in memory");
  }

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    long at = start + offset;
    Entry best = null;
    for (Entry part : parts) {
      ContentPart place = part.meta().part();
      boolean holds = place != null && place.holds(at, at);
      if (holds && (best == null || part.meta().contentEnd() > best.meta().contentEnd())) {
        best = part;
      }
    }
    if (best == null) {
      throw new IndexOutOfBoundsException("offset: " + at + " (expected: one that is stored)");
    }
    int most = (int) Math.min(max, best.meta().contentEnd() - at);
    retain();
    best.read(
        at,
        most,
        loop,
        content -> {
          try {
            then.content(content);
          } finally {
            release();
          }
        });
  }
}
