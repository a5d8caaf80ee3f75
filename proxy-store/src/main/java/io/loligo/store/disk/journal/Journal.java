package io.loligo.store.disk.journal;

import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The changes since a checkpoint began, in order: opened and emptied segments, and removals. One of
 * {@value FileSizes#JOURNALS} files of constant size, used in turn; see {@code
 * docs/disk-format.md}.
 *
 * <p>Thread-safe. Appending takes a short lock and writes nothing; any thread may do it. {@link
 * #flush}, {@link #force}, {@link #mark} and {@link #close} write, and belong to disk threads.
 * Three locks, taken in this order: {@code forcing} is held while waiting for the disk, {@code
 * writing} during a write, and the monitor guards pending records.
 */
public final class Journal implements AutoCloseable {
  /** Bytes of a record. */
  public static final int RECORD_BYTES = 32;

  /** Bytes in front of the records. */
  public static final int HEADER_BYTES = 64;

  private static final long MAGIC = 0x4C4F4C49474F4A4CL;
  private static final int FIRST_BYTES = 4096;

  /** The meaning of a record. */
  public enum Type {
    /** Segment a begins life b, of lane and kind. */
    OPEN,
    /** Segment a, in life b, was emptied. */
    FREE,
    /** Under hash a and b, nothing up to version c is stored any more. */
    DROP,
    /** Under all hashes that begin with a, nothing up to version c is stored any more. */
    DROP_ALL,
    /** Nothing up to version c is stored any more. */
    CLEAR,
    /** Everything below byte a of journal b was on the disk when this record was appended. */
    FORCED,
    /** The first block of version c, pending while a checkpoint was begun, is stored. */
    KEEP
  }

  /** Takes records in their order. */
  public interface Visitor {
    void record(Type type, int lane, int kind, long a, long b, long c);
  }

  private final Marks marks;
  private final Medium medium;
  private final long directory;
  private final Lock forcing;
  private final Lock writing;
  private FileChannel file;
  private long number;
  private long position;
  private ByteBuffer waiting = ByteBuffer.allocate(FIRST_BYTES);
  private volatile long bytes;
  private volatile int opened;

  /** Number of writes of news. */
  private volatile long flushes;

  /** Number of these that are on the disk. */
  private volatile long forced;

  /** Whether a pending record says more than {@link Type#FORCED}. Guarded by this. */
  private boolean news;

  /** Whether news were taken from there and are not written yet. Guarded by this. */
  private boolean flushing;

  /** Why a write or a force failed; null: none failed. Set under this. */
  private volatile @Nullable Throwable failure;

  /**
   * Continues journal {@code number}.
   *
   * @param directory tells it from journals of other directories
   * @param position after its last record
   */
  public Journal(
      Marks marks, Medium medium, long directory, long number, long position, Supplier<Lock> locks)
      throws IOException {
    this.marks = marks;
    this.medium = medium;
    this.directory = directory;
    this.forcing = locks.get();
    this.writing = locks.get();
    use(medium.journal(marks.journal(number)), number, position);
  }

  /** Returns owned: an open file with a header, on the disk. */
  private static FileChannel begin(Path path, Medium medium, long directory, long next)
      throws IOException {
    FileChannel begun = medium.journal(path);
    try {
      writeHeader(begun, directory, next);
      return begun;
    } catch (IOException e) {
      begun.close();
      throw e;
    }
  }

  private static void writeHeader(FileChannel file, long directory, long number)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putInt(Marks.VERSION).putInt(0).putLong(number).putLong(directory);
    header.putInt(12, crc(header, 16, HEADER_BYTES - 16)).rewind();
    write(file, header, 0);
    file.force(true);
  }

  /** Creates {@code path}, allocated, as the file of a journal without records. */
  public static void create(Path path, Medium medium, long directory, long number)
      throws IOException {
    begin(path, medium, directory, number).close();
  }

  private synchronized void use(FileChannel begun, long next, long end) {
    file = begun;
    number = next;
    position = end;
    bytes = end - HEADER_BYTES;
    opened = 0;
  }

  /** Segments opened since the present file was begun. */
  public int openedSegments() {
    return opened;
  }

  /** Bytes of records in the present file, pending ones included. */
  public long bytes() {
    return bytes;
  }

  /** Whether all news appended so far are written. */
  public synchronized boolean isFlushed() {
    return !news && !flushing && failure == null;
  }

  /** Whether a write or a force has failed; none is possible after that. */
  public boolean isIncomplete() {
    return failure != null;
  }

  /** Whether all news appended so far are on the disk. */
  public boolean isForced() {
    return forced == flushes && isFlushed();
  }

  /** {@code segment} begins a life, of lane and kind. Guarded by the segments. */
  public void opened(int segment, int lane, int kind, long generation) {
    int more = opened + 1;
    opened = more;
    append(Type.OPEN, lane, kind, segment, generation, 0);
  }

  public void freed(int segment, long generation) {
    append(Type.FREE, 0, 0, segment, generation, 0);
  }

  public void dropped(long high, long low, long version) {
    append(Type.DROP, 0, 0, high, low, version);
  }

  public void droppedAll(long high, long version) {
    append(Type.DROP_ALL, 0, 0, high, 0, version);
  }

  public void kept(long version) {
    append(Type.KEEP, 0, 0, 0, 0, version);
  }

  public void cleared(long version) {
    append(Type.CLEAR, 0, 0, 0, 0, version);
  }

  /** The checksum, which depends on the number of the journal, is added when it is written. */
  private synchronized void append(Type type, int lane, int kind, long a, long b, long c) {
    if (waiting.remaining() < RECORD_BYTES) {
      ByteBuffer more = ByteBuffer.allocate(waiting.capacity() * 2);
      waiting.flip();
      waiting = more.put(waiting);
    }
    waiting.put((byte) (type.ordinal() + 1)).put((byte) lane).put((byte) kind).put((byte) 0);
    waiting.putInt(0).putLong(a).putLong(b).putLong(c);
    news |= type != Type.FORCED;
    long more = bytes + RECORD_BYTES;
    bytes = more;
  }

  /** Writes all records appended so far. */
  public void flush() throws IOException {
    writing.lock();
    try {
      flushNow();
    } finally {
      writing.unlock();
    }
  }

  private void flushNow() throws IOException {
    if (failure != null) {
      throw new IOException("a removal could not be written", failure);
    }
    ByteBuffer some;
    synchronized (this) {
      if (!news) {
        return;
      }
      some = waiting;
      waiting = ByteBuffer.allocate(FIRST_BYTES);
      news = false;
      flushing = true;
      long more = flushes + 1;
      flushes = more; // before anybody can assume that everything is on the disk
    }
    try {
      writeRecords(some);
    } catch (IOException | RuntimeException | Error e) {
      failed(e);
      throw e;
    } finally {
      synchronized (this) {
        flushing = false;
      }
    }
  }

  private void writeRecords(ByteBuffer some) throws IOException {
    some.flip();
    int length = some.remaining();
    for (int at = 0; at < length; at += RECORD_BYTES) {
      some.putInt(at + 4, recordCrc(some, at, number));
    }
    write(file, some, position);
    position += length;
  }

  /** Writes all records appended so far and forces them to the disk. Others write meanwhile. */
  public void force() throws IOException {
    forcing.lock();
    try {
      long end = forceWritten();
      if (end >= 0) {
        append(Type.FORCED, 0, 0, end, number, 0);
        writeForced();
      }
    } finally {
      forcing.unlock();
    }
  }

  /**
   * Writes all records appended so far and forces them to the disk, while others write.
   *
   * @return the position after them; -1 if all was on the disk already
   */
  private long forceWritten() throws IOException {
    long written;
    long end;
    writing.lock();
    try {
      flushNow();
      written = flushes;
      end = position;
    } finally {
      writing.unlock();
    }
    if (forced >= written) {
      return -1;
    }
    forceFile(file);
    forced = written;
    return end;
  }

  /**
   * Writes the FORCED record, by which a start notices damage to the records before it. Does
   * nothing if other records are waiting too: the next write takes it along.
   */
  private void writeForced() throws IOException {
    writing.lock();
    try {
      ByteBuffer some;
      synchronized (this) {
        if (news || failure != null) {
          return;
        }
        some = waiting;
        waiting = ByteBuffer.allocate(FIRST_BYTES);
      }
      try {
        writeRecords(some);
      } catch (IOException | RuntimeException | Error e) {
        failed(e);
        throw e;
      }
    } finally {
      writing.unlock();
    }
  }

  private void forceFile(FileChannel written) throws IOException {
    try {
      written.force(false);
    } catch (IOException | RuntimeException | Error e) {
      failed(e); // a system reports only once that it failed
      throw e;
    }
  }

  private synchronized void failed(Throwable why) {
    if (failure == null) {
      failure = why;
    }
  }

  /** The place from which a checkpoint counts on a journal. */
  public record Mark(long number, long position) {}

  /**
   * Writes all records appended so far; later ones count from the returned mark on.
   *
   * @param needed number of the oldest journal that is still needed: if there is a file that is
   *     not, the next journal begins in it
   */
  public Mark mark(long needed) throws IOException {
    forcing.lock();
    try {
      forceWritten();
      long next = number + 1;
      boolean begins = next - FileSizes.JOURNALS < needed;
      return begins
          ? goOnIn(begin(marks.journal(next), medium, directory, next), next)
          : markHere();
    } finally {
      forcing.unlock();
    }
  }

  private Mark markHere() throws IOException {
    writing.lock();
    try {
      flushNow();
      return new Mark(number, position);
    } finally {
      writing.unlock();
    }
  }

  /** Continues in {@code begun}, taken. Earlier writes to the file are on the disk then. */
  private Mark goOnIn(FileChannel begun, long next) throws IOException {
    FileChannel before = file;
    long written;
    boolean used = false;
    writing.lock();
    try {
      flushNow();
      written = flushes;
      use(begun, next, HEADER_BYTES);
      used = true;
    } finally {
      writing.unlock();
      if (!used) {
        begun.close();
      }
    }
    try (before) {
      if (forced < written) {
        forceFile(before); // later confirmations do not force this file any more
        forced = written;
      }
    }
    return new Mark(next, HEADER_BYTES);
  }

  @Override
  public void close() throws IOException {
    forcing.lock();
    writing.lock();
    try {
      flushNow();
      file.close();
    } finally {
      writing.unlock();
      forcing.unlock();
    }
  }

  /** The number of the journal of {@code directory} at {@code path}; -1 if there is none. */
  public static long number(Path path, long directory) throws IOException {
    if (!Files.exists(path)) {
      return -1;
    }
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    try (FileChannel open = FileChannel.open(path, StandardOpenOption.READ)) {
      while (header.hasRemaining() && open.read(header, header.position()) > 0) {
        // on
      }
    }
    boolean good =
        !header.hasRemaining()
            && header.getLong(0) == MAGIC
            && header.getInt(8) == Marks.VERSION
            && header.getInt(12) == crc(header, 16, HEADER_BYTES - 16)
            && header.getLong(24) == directory;
    return good ? header.getLong(16) : -1;
  }

  /**
   * Reads the records of journal {@code number} of {@code directory} at {@code path} from {@code
   * from} on. A gap consists of records that a power failure kept from the disk; none of them was
   * confirmed.
   *
   * @return the position after the last record; -1 if a record that was on the disk is damaged, or
   *     it is another journal
   */
  public static long read(Path path, long directory, long number, long from, Visitor visitor)
      throws IOException {
    if (number(path, directory) != number) {
      return -1;
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path));
    int firstGap = bytes.capacity();
    long forced = 0;
    int end = HEADER_BYTES;
    for (int at = HEADER_BYTES; at + RECORD_BYTES <= bytes.capacity(); at += RECORD_BYTES) {
      int type = bytes.get(at) - 1;
      boolean whole =
          type >= 0
              && type < Type.values().length
              && bytes.getInt(at + 4) == recordCrc(bytes, at, number);
      if (!whole) {
        firstGap = Math.min(firstGap, at);
        continue;
      }
      end = at + RECORD_BYTES;
      if (Type.values()[type] == Type.FORCED) {
        // a pending one may have gone to a later file
        forced =
            bytes.getLong(at + 16) == number ? Math.max(forced, bytes.getLong(at + 8)) : forced;
      } else if (at >= from) {
        visitor.record(
            Type.values()[type],
            bytes.get(at + 1),
            bytes.get(at + 2),
            bytes.getLong(at + 8),
            bytes.getLong(at + 16),
            bytes.getLong(at + 24));
      }
    }
    return firstGap < forced ? -1 : end;
  }

  private static int recordCrc(ByteBuffer bytes, int at, long number) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
    crc.update(bytes.duplicate().limit(at + 4).position(at));
    crc.update(bytes.duplicate().limit(at + RECORD_BYTES).position(at + 8));
    return (int) crc.getValue();
  }

  private static int crc(ByteBuffer bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.duplicate().limit(from + length).position(from));
    return (int) crc.getValue();
  }

  private static void write(FileChannel file, ByteBuffer bytes, long position) throws IOException {
    for (long at = position; bytes.hasRemaining(); ) {
      at += file.write(bytes, at);
    }
  }
}
