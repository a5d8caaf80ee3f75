package io.loligo.store.disk.record;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.posix.OpenFlag;
import net.openhft.posix.PosixAPI;

/**
 * Space on a disk that is had before it is used: a write to a file that only seems to be long fails
 * when the disk is full, and a write to such a file that is mapped fails as a fault in the middle
 * of whatever it was for. Stateless; blocks.
 *
 * <p>The first use loads the library that makes the system call, some tenths of a second.
 */
public final class Preallocation {
  private static final int ZEROS = 1 << 20;

  private Preallocation() {}

  /**
   * Makes a file at least {@code bytes} octets long, with all of its space allocated; creates it.
   * What is in it stays. Where the file system cannot reserve space, zeros are written.
   *
   * @throws IOException there is not enough space, with what is missing, or the file cannot be
   *     written; it is then as it was
   */
  public static void allocate(Path file, long bytes) throws IOException {
    boolean isNew = !Files.exists(file);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      long before = open.length();
      try {
        checkSpace(file, bytes - before, bytes); // what does not fit is not begun: others write too
        if (!reserved(file, bytes) || open.length() < bytes) {
          checkSpace(file, bytes - before, bytes);
          writeZeros(open, bytes);
        }
      } catch (IOException e) {
        open.setLength(before);
        if (isNew) {
          Files.deleteIfExists(file);
        }
        throw e;
      }
    }
  }

  private static boolean reserved(Path file, long bytes) throws IOException {
    PosixAPI posix = PosixAPI.posix();
    int descriptor;
    try {
      descriptor = posix.open(file.toString(), OpenFlag.O_RDWR.value(), 0);
    } catch (RuntimeException e) {
      return false; // a system the library does not know
    }
    if (descriptor < 0) {
      return false;
    }
    try {
      return posix.fallocate(descriptor, 0, 0, bytes) == 0;
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
              + " octets are needed and "
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
    open.getFD().sync(); // what was not really written must be known now
  }
}
