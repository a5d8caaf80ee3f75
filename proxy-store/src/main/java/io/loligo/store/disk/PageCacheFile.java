package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import jnr.constants.platform.Errno;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Platform;
import jnr.ffi.Pointer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second way into a slab file, which reads only what the system has in its page cache: {@code
 * preadv2} with {@code RWF_NOWAIT} (Linux 4.14), straight into the caller's buffer. Thread-safe:
 * any thread; never blocks, but for {@link #open}, which loads a library at its first use.
 */
final class PageCacheFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageCacheFile.class);
  private static final int RWF_NOWAIT = 8;
  private static final int O_RDONLY = 0;
  private static final int O_CLOEXEC = 0x80000;

  /** Without it a read may write the time of access, and wait for the file system's journal. */
  private static final int O_NOATIME = 0x40000;

  private static final int IOVEC_BYTES = 16;

  /** What is called of the C library, where a {@code long} is as wide as an address. */
  public interface LibC {
    int open(String path, int flags);

    long preadv2(int fd, Pointer iov, int count, long offset, int flags);

    int close(int fd);
  }

  /** One array of one buffer for each thread. */
  private static final FastThreadLocal<Vector> VECTORS =
      new FastThreadLocal<>() {
        @Override
        protected Vector initialValue() {
          return new Vector();
        }
      };

  private static final class Vector {
    private final ByteBuffer bytes =
        ByteBuffer.allocateDirect(IOVEC_BYTES).order(ByteOrder.nativeOrder());
    private final Pointer pointer = Pointer.wrap(jnr.ffi.Runtime.getSystemRuntime(), bytes);
  }

  /** Loaded once; null where there is none. */
  private static final class Library {
    private static final LibC LIBC = load();

    private static LibC load() {
      try {
        Platform platform = Platform.getNativePlatform();
        return platform.getOS() == Platform.OS.LINUX && platform.is64Bit()
            ? LibraryLoader.create(LibC.class).failImmediately().load("c")
            : null;
      } catch (RuntimeException | LinkageError e) {
        LOG.debug("the page cache cannot be asked", e);
        return null;
      }
    }
  }

  private final LibC libc;
  private final int fd;

  /** One more than there are readers, until it is closed. */
  private final AtomicInteger users = new AtomicInteger(1);

  private volatile boolean unsupported;

  private PageCacheFile(LibC libc, int fd) {
    this.libc = libc;
    this.fd = fd;
  }

  /**
   * Opens {@code path}; null where that is not possible on this system, or for a process that does
   * not own the file. Blocks.
   */
  static PageCacheFile open(String path) {
    LibC libc = Library.LIBC;
    if (libc == null) {
      return null;
    }
    try {
      int fd = libc.open(path, O_RDONLY | O_CLOEXEC | O_NOATIME);
      return fd < 0 ? null : new PageCacheFile(libc, fd);
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("the page cache cannot be asked", e);
      return null;
    }
  }

  /**
   * Reads {@code length} bytes from {@code position} to index 0 of {@code into}, borrowed, if all
   * of them are in the page cache; whether they are.
   */
  boolean read(long position, ByteBuf into, int length) {
    if (unsupported || !into.hasMemoryAddress() || !hold()) {
      return false;
    }
    try {
      Vector vector = VECTORS.get();
      vector.bytes.putLong(0, into.memoryAddress()).putLong(Long.BYTES, length);
      long read = libc.preadv2(fd, vector.pointer, 1, position, RWF_NOWAIT);
      if (read == length) {
        into.setIndex(0, length);
        return true;
      }
      if (read < 0 && isUnsupported(jnr.ffi.Runtime.getSystemRuntime().getLastError())) {
        unsupported = true;
      }
      return false;
    } catch (RuntimeException | LinkageError e) {
      unsupported = true;
      LOG.debug("the page cache cannot be asked", e);
      return false;
    } finally {
      letGo();
    }
  }

  private static boolean isUnsupported(int errno) {
    return errno == Errno.EOPNOTSUPP.intValue()
        || errno == Errno.ENOSYS.intValue()
        || errno == Errno.EINVAL.intValue();
  }

  private boolean hold() {
    int before;
    do {
      before = users.get();
      if (before == 0) {
        return false;
      }
    } while (!users.compareAndSet(before, before + 1));
    return true;
  }

  private void letGo() {
    if (users.decrementAndGet() == 0) {
      libc.close(fd);
    }
  }

  /** No read begins any more; those under way end. Once. */
  @Override
  public void close() {
    unsupported = true;
    letGo();
  }
}
