package io.loligo.store.disk.medium;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import jnr.constants.platform.Errno;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Platform;
import jnr.ffi.Pointer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second access to a slab file. It reads only bytes in the system's page cache, straight into the
 * caller's buffer, and never reads ahead by itself. Thread-safe: any thread; blocking methods say
 * so.
 *
 * <p>{@code preadv2} with {@code RWF_NOWAIT} alone may block: if a page is missing, Linux begins to
 * read it before it returns, and for that it may wait for metadata of the file system, or for room
 * in the queue of the device. So {@code cachestat} (Linux 6.5), which only counts pages, is called
 * first. The flag covers pages that are dropped between the two calls. A page that the system has
 * read ahead, and marked, triggers further read-ahead, with the same danger. So all reads take this
 * way, because this file is never read ahead.
 */
final class PageCacheFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageCacheFile.class);
  private static final int RWF_NOWAIT = 8;
  private static final int O_RDONLY = 0;
  private static final int O_CLOEXEC = 0x80000;

  /** Without it a read may write the access time, and wait for the file system's journal. */
  private static final int O_NOATIME = 0x40000;

  private static final int POSIX_FADV_RANDOM = 1;
  private static final int POSIX_FADV_WILLNEED = 3;
  private static final long SYS_CACHESTAT = 451;

  // struct iovec, struct cachestat_range, and struct cachestat, which begins with the pages cached
  private static final int IOVEC = 0;
  private static final int RANGE = 2 * Long.BYTES;
  private static final int CACHED = 4 * Long.BYTES;
  private static final int STRUCTS_BYTES = 9 * Long.BYTES;

  /** The functions of the C library that are called; a {@code long} is as wide as an address. */
  public interface LibC {
    int open(String path, int flags);

    long preadv2(int fd, Pointer iov, int count, long offset, int flags);

    long syscall(long number, long fd, Pointer range, Pointer cached, long flags);

    int posix_fadvise(int fd, long offset, long length, int advice);

    int getpagesize();

    int close(int fd);
  }

  /** The arguments of the calls, per thread. */
  private static final FastThreadLocal<Structs> STRUCTS =
      new FastThreadLocal<>() {
        @Override
        protected Structs initialValue() {
          return new Structs();
        }
      };

  private static final class Structs {
    private final ByteBuffer bytes =
        ByteBuffer.allocateDirect(STRUCTS_BYTES).order(ByteOrder.nativeOrder());
    private final Pointer vector = Pointer.wrap(jnr.ffi.Runtime.getSystemRuntime(), bytes);
    private final Pointer range = vector.slice(RANGE);
    private final Pointer cached = vector.slice(CACHED);
  }

  /** Loaded once; null if there is none. */
  private static final class Library {
    private static final @Nullable LibC LIBC = load();

    private static @Nullable LibC load() {
      try {
        Platform platform = Platform.getNativePlatform();
        return platform.getOS() == Platform.OS.LINUX && platform.is64Bit()
            ? LibraryLoader.create(LibC.class).failImmediately().load("c")
            : null;
      } catch (RuntimeException | LinkageError e) {
        LOG.debug("the page cache cannot be queried", e);
        return null;
      }
    }
  }

  private final LibC libc;
  private final int fd;
  private final long pageBytes;

  /** One more than the number of readers, until it is closed. */
  private final AtomicInteger users = new AtomicInteger(1);

  private volatile boolean unsupported;

  private PageCacheFile(LibC libc, int fd) {
    this.libc = libc;
    this.fd = fd;
    this.pageBytes = libc.getpagesize();
  }

  /**
   * Opens {@code path}; null if that is not possible on this system, or for a process that does not
   * own the file. Blocks.
   */
  static @Nullable PageCacheFile open(String path) {
    LibC libc = Library.LIBC;
    if (libc == null) {
      return null;
    }
    try {
      int fd = libc.open(path, O_RDONLY | O_CLOEXEC | O_NOATIME);
      if (fd < 0) {
        return null;
      }
      PageCacheFile file = new PageCacheFile(libc, fd);
      if (file.cachedPages(STRUCTS.get(), 0, 1) >= 0) {
        libc.posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
        return file;
      }
      LOG.debug("the page cache cannot be queried: no cachestat");
      file.close();
      return null;
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("the page cache cannot be queried", e);
      return null;
    }
  }

  /**
   * Reads {@code length} bytes from {@code position} to index 0 of {@code into}, borrowed, if all
   * of them are in the page cache; returns whether they are. Never blocks.
   */
  boolean readNow(long position, ByteBuf into, int length) {
    return read(position, into, length, RWF_NOWAIT);
  }

  /** The same whether they are cached or not; false if this access fails. Blocks. */
  boolean read(long position, ByteBuf into, int length) {
    return read(position, into, length, 0);
  }

  private boolean read(long position, ByteBuf into, int length, int flags) {
    if (unsupported || !into.hasMemoryAddress() || !hold()) {
      return false;
    }
    try {
      Structs structs = STRUCTS.get();
      if (flags == RWF_NOWAIT && !isCached(structs, position, length)) {
        return false;
      }
      structs.bytes.putLong(IOVEC, into.memoryAddress()).putLong(IOVEC + Long.BYTES, length);
      long read = libc.preadv2(fd, structs.vector, 1, position, flags);
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
      LOG.debug("the page cache cannot be queried", e);
      return false;
    } finally {
      letGo();
    }
  }

  /** These bytes will be read soon: the system begins to read them. Blocks. */
  void expect(long position, long length) {
    if (!unsupported && hold()) {
      try {
        libc.posix_fadvise(fd, position, length, POSIX_FADV_WILLNEED);
      } finally {
        letGo();
      }
    }
  }

  /** Whether all pages of this stretch are in the page cache. */
  private boolean isCached(Structs structs, long position, long length) {
    long pages = (position + length - 1) / pageBytes - position / pageBytes + 1;
    return cachedPages(structs, position, length) == pages;
  }

  /** Pages of this stretch that are in the page cache; -1 if the system does not tell. */
  private long cachedPages(Structs structs, long position, long length) {
    structs.bytes.putLong(RANGE, position).putLong(RANGE + Long.BYTES, length);
    return libc.syscall(SYS_CACHESTAT, fd, structs.range, structs.cached, 0) == 0
        ? structs.bytes.getLong(CACHED)
        : -1;
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

  /** No further read begins; those in progress end. Call once. */
  @Override
  public void close() {
    unsupported = true;
    letGo();
  }
}
