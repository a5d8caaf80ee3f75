package io.loligo.server.history;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The file that keeps a history across restarts. Confined to one thread; blocks.
 *
 * <p>Its form, numbers with the highest byte first: {@value #MAGIC} (8 bytes); the version (4); the
 * number of series (4) and for each its kind (1) and its name (2 bytes length, UTF-8); for each
 * range the seconds of a slot (4), then for each record 1 (1), the slot (8), the length (4) and the
 * bytes, and 0 (1) after the last; 0 (4) after the last range; the CRC-32C of all that (8). Names
 * make the series: a later version reads those it knows.
 */
final class HistoryFile {
  private static final long MAGIC = 0x6c6f6c69_67486973L;
  private static final int VERSION = 1;

  /** No file that was written here is larger. */
  private static final long MAX_BYTES = 64L << 20;

  /** Some 30,000 years. */
  private static final long MAX_SLOT = 1L << 40;

  private static final int MAX_SERIES = 100_000;
  private static final int MAX_RECORD_BYTES = 4 << 20;
  private static final int BUFFER_BYTES = 64 << 10;

  private final Path path;

  /** The file as this process read or wrote it; null: there was none. */
  private @Nullable Version known;

  /** Tells a file from one that was written in its place. */
  private record Version(@Nullable Object key, FileTime modified) {}

  HistoryFile(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  /** Where a damaged file is put. */
  Path damagedPath() {
    return path.resolveSibling(path.getFileName() + ".damaged");
  }

  /**
   * Puts the whole file into {@code history}, which is empty.
   *
   * @return the newest slot in it; -1: there is no file, or nothing in it
   * @throws DamagedRecordException if it is damaged, or no history
   * @throws IOException if it cannot be read
   */
  long readInto(History history) throws IOException {
    known = present();
    return read(history.list(), history::restore);
  }

  /** Null: there is no file. */
  private @Nullable Version present() throws IOException {
    try {
      BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
      return new Version(now.fileKey(), now.lastModifiedTime());
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Whether another process has written the file since this one read or wrote it. */
  boolean isOfAnotherProcess() throws IOException {
    Version now = present();
    return now != null && !now.equals(known);
  }

  /** Takes the slots of a file: range by range from the shortest slots on, each in its order. */
  interface Slots {
    /** Takes {@code slot}, borrowed for the call. */
    void slot(HistoryRange range, Interval slot);
  }

  /**
   * Passes the whole file to {@code slots}, as intervals of {@code series}: those without a
   * namesake in the file stay 0.
   *
   * @return the newest slot in it; -1: there is no file, or nothing in it
   * @throws DamagedRecordException if it is damaged, or no history
   * @throws IOException if it cannot be read
   */
  long read(SeriesList series, Slots slots) throws IOException {
    if (!Files.exists(path)) {
      return -1;
    }
    long bytes = Files.size(path);
    if (bytes < Long.BYTES || bytes > MAX_BYTES) {
      throw new DamagedRecordException(
          "length: " + bytes + " bytes (expected: at most " + MAX_BYTES + ")");
    }
    check(bytes - Long.BYTES);
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES))) {
      return new Restoring(in, series, slots).all();
    } catch (EOFException e) {
      throw new DamagedRecordException("it ends early");
    } catch (UTFDataFormatException e) {
      throw new DamagedRecordException("the name of a series is none");
    }
  }

  /** The checksum comes first: nothing of a damaged file gets into a history. */
  private void check(long bytes) throws IOException {
    CRC32C sum = new CRC32C();
    try (DataInputStream in =
        new DataInputStream(
            new CheckedInputStream(
                new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES), sum))) {
      long magic = in.readLong();
      if (magic != MAGIC) {
        throw new DamagedRecordException("it is no history of this program");
      }
      int version = in.readInt();
      if (version != VERSION) {
        throw new DamagedRecordException("version: " + version + " (expected: " + VERSION + ")");
      }
      in.skipNBytes(bytes - Long.BYTES - Integer.BYTES);
      long expected = sum.getValue();
      if (in.readLong() != expected) {
        throw new DamagedRecordException("its checksum is wrong");
      }
    } catch (EOFException e) {
      throw new DamagedRecordException("it ends early");
    }
  }

  /** Moves the file away, in the place of one that was moved away before. */
  void setAside() throws IOException {
    Files.move(path, damagedPath(), StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Replaces the file by {@code history} as it is now, all of it or nothing.
   *
   * @return its length in bytes
   */
  long write(History history) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    List<Series> series;
    do {
      series = history.series();
      write(history, series, fresh);
      // a reload may have added a series, which the last records have but not the names
    } while (series.size() != history.series().size());
    long bytes = Files.size(fresh);
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    known = present();
    return bytes;
  }

  private static void write(History history, List<Series> series, Path fresh) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            fresh,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      CRC32C sum = new CRC32C();
      OutputStream buffered =
          new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
      DataOutputStream out = new DataOutputStream(new CheckedOutputStream(buffered, sum));
      writeAll(history, series, out);
      if (history.isClosed()) {
        throw new IOException("it is over");
      }
      out.writeLong(sum.getValue());
      out.flush();
      channel.force(true);
    }
  }

  private static void writeAll(History history, List<Series> series, DataOutputStream out)
      throws IOException {
    out.writeLong(MAGIC);
    out.writeInt(VERSION);
    out.writeInt(series.size());
    for (Series one : series) {
      out.writeByte(one.kind().ordinal());
      out.writeUTF(one.name());
    }
    RecordBytes record = new RecordBytes();
    for (HistoryRange range : HistoryRange.values()) {
      out.writeInt(range.slotSeconds());
      History.Copied copied = history.copy(range, 0, Long.MAX_VALUE, record);
      while (copied != null) {
        out.writeByte(1);
        out.writeLong(copied.slot());
        out.writeInt(record.length());
        out.write(record.array(), 0, record.length());
        copied = history.copy(range, copied.next(), Long.MAX_VALUE, record);
      }
      out.writeByte(0);
    }
    out.writeInt(0);
  }

  /** Reads a file whose checksum is right. */
  private static final class Restoring {
    private final DataInputStream in;
    private final SeriesList wanted;
    private final Slots slots;
    private final RecordBytes record = new RecordBytes();
    private final Interval slot;
    private long newest = -1;

    Restoring(DataInputStream in, SeriesList wanted, Slots slots) {
      this.in = in;
      this.wanted = wanted;
      this.slots = slots;
      slot = new Interval(wanted);
    }

    long all() throws IOException {
      in.skipNBytes(Long.BYTES + Integer.BYTES);
      RecordForm form = new RecordForm(series(), wanted);
      for (int seconds = in.readInt(); seconds != 0; seconds = in.readInt()) {
        HistoryRange range = range(seconds);
        long before = -1;
        while (in.readByte() != 0) {
          long number = in.readLong();
          if (number < Math.max(0, before) || number > MAX_SLOT) {
            throw new DamagedRecordException("slot: " + number);
          }
          before = number;
          readRecord();
          slot.begin(number);
          form.addTo(slot, record);
          if (range != null) {
            slots.slot(range, slot);
          }
        }
        newest = Math.max(newest, before);
      }
      return newest;
    }

    private SeriesList series() throws IOException {
      int count = in.readInt();
      if (count < 0 || count > MAX_SERIES) {
        throw new DamagedRecordException("series: " + count);
      }
      SeriesList series = new SeriesList();
      Series.Kind[] kinds = Series.Kind.values();
      for (int i = 0; i < count; i++) {
        int kind = in.readUnsignedByte();
        if (kind >= kinds.length) {
          throw new DamagedRecordException("kind of series: " + kind);
        }
        String name = in.readUTF();
        if (series.named(name) != null) {
          throw new DamagedRecordException("two series have the name " + name);
        }
        series.add(kinds[kind], name);
      }
      return series;
    }

    private static @Nullable HistoryRange range(int seconds) {
      for (HistoryRange range : HistoryRange.values()) {
        if (range.slotSeconds() == seconds) {
          return range;
        }
      }
      return null;
    }

    private void readRecord() throws IOException {
      int length = in.readInt();
      if (length < 0 || length > MAX_RECORD_BYTES) {
        throw new DamagedRecordException("length of a record: " + length);
      }
      in.readFully(record.room(length), 0, length);
    }
  }
}
