package io.loligo.store.disk.medium;

import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.function.LongSupplier;

/** The slabs of a directory, whose reads and writes a {@link DiskWatch} sees. Thread-safe. */
final class WatchedSlab implements Slab {
  private final Slab slab;
  private final DiskWatch watch;
  private final LongSupplier clock;

  /**
   * Takes {@code slab}.
   *
   * @param clock nanoseconds
   */
  WatchedSlab(Slab slab, DiskWatch watch, LongSupplier clock) {
    this.slab = slab;
    this.watch = watch;
    this.clock = clock;
  }

  @Override
  public void prepare() {
    slab.prepare();
  }

  /** Not seen: it never waits for a disk. */
  @Override
  public boolean readNow(long position, ByteBuf into, int length) {
    return slab.readNow(position, into, length);
  }

  @Override
  public void expect(long position, long length) {
    slab.expect(position, length);
  }

  @Override
  public void read(long position, ByteBuf into, int length) throws IOException {
    watch.began(DiskOperation.READ);
    long begin = clock.getAsLong();
    try {
      slab.read(position, into, length);
    } finally {
      watch.ended(DiskOperation.READ, clock.getAsLong() - begin, length);
    }
  }

  @Override
  public void write(long position, ByteBuf from) throws IOException {
    int bytes = from.readableBytes();
    watch.began(DiskOperation.WRITE);
    long begin = clock.getAsLong();
    try {
      slab.write(position, from);
    } finally {
      watch.ended(DiskOperation.WRITE, clock.getAsLong() - begin, bytes);
    }
  }

  @Override
  public void close() throws IOException {
    slab.close();
  }
}
