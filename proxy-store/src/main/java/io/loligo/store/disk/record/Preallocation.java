package io.loligo.store.disk.record;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.constants.platform.Errno;
import net.openhft.posix.OpenFlag;
import net.openhft.posix.PosixAPI;

/**
 * Reserves space on a disk before it is used: a write to a sparse file fails when the disk is full,
 * and a write to a mapped sparse file fails as a fault in the middle of any operation. Stateless;
 * blocks.
 *
 * <p>The first use for a file beyond {@value #ZEROS} bytes loads the library that makes the system
 * call, some tenths of a second. A smaller file gets zeros: it is made before the ports are open.
 */
public final class Preallocation {
  private static final int ZEROS = 1 << 20;

  /** The system's call that reserves space, such as {@code fallocate}. */
  @FunctionalInterface
  interface Reservation {
    /**
     * Reserves the first {@code bytes} of {@code file}, which exists.
     *
     * @return 0, or the system's error number
     * @throws RuntimeException the system has no such call
     */
    int reserve(Path file, long bytes);
  }

  private Preallocation() {}

  /**
   * Makes a file at least {@code bytes} bytes long, with all of its space allocated; creates it.
   * Its content stays. Zeros are written if the file is small, or if the system or the file system
   * has no call that reserves space.
   *
   * @throws IOException there is not enough space, with the number of missing bytes; or the system
   *     refused, with its reason; or the file cannot be written. The file is then unchanged
   */
  public static void allocate(Path file, long bytes) throws IOException {
    allocate(file, bytes, Preallocation::fallocate);
  }

  /** The same with another call. */
  static void allocate(Path file, long bytes, Reservation system) throws IOException {
    boolean isNew = !Files.exists(file);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      long before = open.length();
      try {
        checkSpace(
            file,
            bytes - before,
            bytes); // an allocation that does not fit is not begun, because others write too
        if (bytes <= ZEROS || !reserved(file, bytes, system) || open.length() < bytes) {
          checkSpace(file, bytes - before, bytes);
          writeZeros(open, bytes);
        }
      } catch (IOException e) {
        try {
          open.setLength(before);
          if (isNew) {
            Files.deleteIfExists(file);
          }
        } catch (IOException again) {
          e.addSuppressed(again);
        }
        throw e;
      }
    }
  }

  /** False if the system or the file system has no such call. */
  private static boolean reserved(Path file, long bytes, Reservation system) throws IOException {
    int error;
    try {
      do {
        error = system.reserve(file, bytes);
      } while (error == Errno.EINTR.intValue());
    } catch (RuntimeException | LinkageError e) {
      return false; // a system that the library does not know, or a missing symbol
    }
    if (error == Errno.ENOSYS.intValue()
        || error == Errno.EOPNOTSUPP.intValue()
        || error == Errno.ENOTSUP.intValue()) {
      return false;
    }
    if (error != 0) {
      Errno reason = Errno.valueOf(error);
      throw new IOException(
          "no space reserved for "
              + file
              + ": "
              + reason.name()
              + " ("
              + reason
              + ") for "
              + bytes
              + " bytes");
    }
    return true;
  }

  private static int fallocate(Path file, long bytes) {
    PosixAPI posix = PosixAPI.posix();
    int descriptor = posix.open(file.toString(), OpenFlag.O_RDWR.value(), 0);
    if (descriptor < 0) {
      return posix.lastError();
    }
    try {
      // the first call of a process links the function, which may overwrite its error number
      for (int call = 0; call < 2; call++) {
        if (posix.fallocate(descriptor, 0, 0, bytes) == 0) {
          return 0;
        }
      }
      return posix.lastError();
    } finally {
      posix.close(descriptor);
    }
  }

  private static void checkSpace(Path file, long more, long bytes) throws IOException {
    long usable = Files.getFileStore(file).getUsableSpace();
    if (usable < more) {
      throw new IOException(
          "no space for "
              + file
              + ": "
              + bytes
              + " bytes are needed and "
              + (more - usable)
              + " are missing on that file system");
    }
  }

  private static void writeZeros(RandomAccessFile open, long bytes) throws IOException {
    byte[] zeros = new byte[ZEROS];
    open.seek(open.length());
    for (long left = bytes - open.length(); left > 0; left -= zeros.length) {
      open.write(zeros, 0, (int) Math.min(left, zeros.length));
    }
    open.getFD().sync(); // a failed write must be known now
  }
}
