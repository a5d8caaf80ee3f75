package io.loligo.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The journals of directories, on a disk that fails or stalls when told. Thread-safe. */
public final class FaultyJournals {
  private final AtomicInteger forces = new AtomicInteger();
  private final AtomicReference<Hold> behindNextForce = new AtomicReference<>();
  private volatile boolean failsForces;
  private volatile boolean failsWrites;

  /** A thread that waits after its force. */
  public static final class Hold {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    public boolean isReached() {
      return reached.getCount() == 0;
    }

    public void release() {
      released.countDown();
    }

    private void pass() throws IOException {
      reached.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  /** Times one was forced to the disk. */
  int forces() {
    return forces.get();
  }

  void failForces() {
    failsForces = true;
  }

  void failWrites() {
    failsWrites = true;
  }

  /** Nothing fails any more. */
  void mend() {
    failsForces = false;
    failsWrites = false;
  }

  /** The next thread that forces waits after its force. */
  public Hold holdNextForce() {
    Hold next = new Hold();
    behindNextForce.set(next);
    return next;
  }

  /** Takes {@code file}. */
  FileChannel wrap(FileChannel file) {
    return new Wrapped(file);
  }

  /** As far as a journal is used. */
  private final class Wrapped extends FileChannel {
    private final FileChannel file;

    Wrapped(FileChannel file) {
      this.file = file;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
      if (failsWrites) {
        throw new IOException("Input/output error");
      }
      return file.write(from, position);
    }

    @Override
    public void force(boolean metaData) throws IOException {
      forces.incrementAndGet();
      if (failsForces) {
        throw new IOException("Input/output error");
      }
      file.force(metaData);
      Hold hold = behindNextForce.getAndSet(null);
      if (hold != null) {
        hold.pass();
      }
    }

    @Override
    protected void implCloseChannel() throws IOException {
      file.close();
    }

    @Override
    public int read(ByteBuffer into) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer into, long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long size() {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel from, long position, long count) {
      throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
      throw new UnsupportedOperationException();
    }
  }
}
