package io.loligo.store.disk.record;

import com.kenai.jffi.ArrayFlags;
import com.kenai.jffi.Function;
import com.kenai.jffi.HeapInvocationBuffer;
import com.kenai.jffi.Invoker;
import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import com.kenai.jffi.Type;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.constants.platform.Errno;

/**
 * Reserves space on a disk before it is used: a write to a sparse file fails when the disk is full,
 * and a write to a mapped sparse file fails as a fault in the middle of any operation. Stateless;
 * blocks.
 *
 * <p>The call is made without an interface of jnr-ffi, whose first use takes a tenth of a second: a
 * new directory has its first file before the ports are open.
 */
public final class Preallocation {
  private static final int ZEROS = 1 << 20;

  // of Linux
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;

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
   * Its content stays. Zeros are written only if the system or the file system has no call that
   * reserves space.
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
        if (!reserved(file, bytes, system) || open.length() < bytes) {
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

  /** Calls Linux's {@code fallocate}. */
  private static int fallocate(Path file, long bytes) {
    if (Type.POINTER.size() != Long.BYTES) {
      throw new UnsupportedOperationException("offsets have another width");
    }
    Function fallocate = function("fallocate", Type.SINT32, Type.SINT32, Type.SINT64, Type.SINT64);
    int descriptor = open(file);
    if (descriptor < 0) {
      return LastError.getInstance().get();
    }
    try {
      HeapInvocationBuffer arguments = new HeapInvocationBuffer(fallocate);
      arguments.putInt(descriptor);
      arguments.putInt(0);
      arguments.putLong(0);
      arguments.putLong(bytes);
      return Invoker.getInstance().invokeInt(fallocate, arguments) == 0
          ? 0
          : LastError.getInstance().get();
    } finally {
      Function close = function("close", Type.SINT32);
      HeapInvocationBuffer arguments = new HeapInvocationBuffer(close);
      arguments.putInt(descriptor);
      Invoker.getInstance().invokeInt(close, arguments);
    }
  }

  private static int open(Path file) {
    Function open = function("open", Type.POINTER, Type.SINT32, Type.SINT32);
    HeapInvocationBuffer arguments = new HeapInvocationBuffer(open);
    byte[] name = file.toString().getBytes(Charset.defaultCharset());
    arguments.putArray(name, 0, name.length, ArrayFlags.IN | ArrayFlags.NULTERMINATE);
    arguments.putInt(O_RDWR | O_CLOEXEC);
    arguments.putInt(0);
    return Invoker.getInstance().invokeInt(open, arguments);
  }

  /** A function of the C library that returns an int. */
  private static Function function(String name, Type... arguments) {
    Library system = Library.openLibrary(null, Library.LAZY);
    long address = system == null ? 0 : system.getSymbolAddress(name);
    if (address == 0) {
      throw new UnsupportedOperationException("this system has no " + name);
    }
    return new Function(address, Type.SINT32, arguments);
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
