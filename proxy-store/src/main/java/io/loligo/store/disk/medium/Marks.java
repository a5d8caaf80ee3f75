package io.loligo.store.disk.medium;

import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.RollSheet;
import io.loligo.store.disk.format.Secret;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The small files of a directory: its owner (LOCK), its description (header), and the directories
 * that have heard of all removals (ROLL); and the names of the large files. See {@code
 * docs/disk-format.md}. Confined to one thread, except for ROLL.
 */
public final class Marks implements AutoCloseable {
  /**
   * Version of everything in the directory. Content of an earlier one that no release wrote is
   * discarded, and that of a later one is {@linkplain #setAside set aside}; neither is read.
   */
  public static final int VERSION = 3;

  private static final long HEADER_MAGIC = 0x4C4F4C49474F4448L;
  private static final long ROLL_MAGIC = 0x4C4F4C49474F524CL;
  private static final int MARK_BYTES = 4096;
  private static final int VERSION_AT = 8;
  private static final String LOCK = "LOCK";
  private static final String HEADER = "header";

  private static final Logger LOG = LoggerFactory.getLogger(Marks.class);

  private final Path directory;
  private final FileChannel lockFile;
  private final FileLock lock;

  private Marks(Path directory, FileChannel lockFile, FileLock lock) {
    this.directory = directory;
    this.lockFile = lockFile;
    this.lock = lock;
  }

  /** Another process, or this one, uses the directory. */
  public static final class InUse extends IOException {
    private static final long serialVersionUID = 1;

    InUse(String by, @Nullable Throwable cause) {
      super("in use by " + by, cause);
    }
  }

  /**
   * Locks {@code directory} for this process.
   *
   * @throws InUse another process, named as far as known, has it
   * @throws IOException it cannot be locked
   */
  public static Marks lock(Path directory) throws IOException {
    FileChannel file =
        FileChannel.open(
            directory.resolve(LOCK),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      FileLock lock = file.tryLock();
      if (lock == null) {
        throw new InUse(owner(file), null);
      }
      byte[] pid = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
      file.truncate(0);
      file.write(ByteBuffer.wrap(pid), 0);
      return new Marks(directory, file, lock);
    } catch (OverlappingFileLockException e) {
      file.close();
      throw new InUse("this process already", e);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private static String owner(FileChannel file) throws IOException {
    ByteBuffer pid = ByteBuffer.allocate(32);
    file.read(pid, 0);
    String text = new String(pid.array(), 0, pid.position(), StandardCharsets.US_ASCII).strip();
    return text.isEmpty() ? "another process" : "process " + text;
  }

  /** The files that a directory always has, except for the lock. */
  public List<Path> files() {
    List<Path> all = new ArrayList<>();
    all.addAll(List.of(header(), roll(), purges(), checkpoint(0), checkpoint(1), slabs(0)));
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      all.add(journal(i));
    }
    return all;
  }

  /** Slab file {@code number}, from 0. */
  public Path slabs(int number) {
    return directory.resolve(number == 0 ? "slabs" : "slabs." + number);
  }

  /** One of two checkpoints, 0 or 1: the older one is overwritten. */
  public Path checkpoint(int number) {
    return directory.resolve("checkpoint." + number);
  }

  /** The file of journal {@code number}. */
  public Path journal(long number) {
    return directory.resolve("journal." + number % FileSizes.JOURNALS);
  }

  /** The file that versions before the third had beside the slabs. */
  public Path oldMap() {
    return directory.resolve("map");
  }

  public Path purges() {
    return directory.resolve("purges");
  }

  public Path header() {
    return directory.resolve(HEADER);
  }

  private Path roll() {
    return directory.resolve("ROLL");
  }

  /** The content of a header. */
  public record Header(Secret secret, Geometry geometry) {}

  /** The header, or null if there is no whole one of this version. */
  public @Nullable Header readHeader() throws IOException {
    ByteBuffer buffer = read(header(), HEADER_MAGIC);
    if (buffer == null) {
      return null;
    }
    Secret secret = new Secret(buffer.getLong(), buffer.getLong());
    Geometry geometry =
        new Geometry(buffer.getLong(), buffer.getInt(), buffer.getInt(), buffer.getInt());
    return new Header(secret, geometry);
  }

  /**
   * The version in the header, of whatever version that is; 0: there is none. Its place is the same
   * in all versions.
   */
  public int writtenVersion() throws IOException {
    if (!Files.exists(header())) {
      return 0;
    }
    ByteBuffer begin = ByteBuffer.allocate(VERSION_AT + Integer.BYTES);
    try (FileChannel file = FileChannel.open(header(), StandardOpenOption.READ)) {
      while (begin.hasRemaining() && file.read(begin) >= 0) {
        // it may come in parts
      }
    }
    return !begin.hasRemaining() && begin.getLong(0) == HEADER_MAGIC ? begin.getInt(VERSION_AT) : 0;
  }

  /**
   * Moves all files but the lock into a folder of the directory, the header last, so that an
   * interrupted move goes on at the next call. Returns the folder.
   *
   * @param version the version that wrote them, for the name of the folder
   */
  public Path setAside(int version) throws IOException {
    Path aside = directory.resolve("format-" + version);
    for (int i = 1; Files.exists(aside.resolve(HEADER)); i++) {
      aside = directory.resolve("format-" + version + "." + i);
    }
    Files.createDirectories(aside);
    List<Path> moved = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, file -> Files.isRegularFile(file))) {
      for (Path file : files) {
        if (!file.endsWith(LOCK) && !file.endsWith(HEADER)) {
          moved.add(file);
        }
      }
    }
    moved.add(header());
    for (Path file : moved) {
      Files.move(file, aside.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
    }
    forceNames(aside);
    forceNames(directory);
    return aside;
  }

  /** Whether the directory exists, with the file that is locked. */
  public boolean isThere() {
    return Files.exists(directory.resolve(LOCK));
  }

  /** Whether any file of a cache exists, of any version. */
  public boolean isUsed() {
    return Files.exists(header()) || Files.exists(slabs(0));
  }

  /** Begins an empty directory: files of this and older versions are deleted. */
  public Header create(Geometry geometry, RandomGenerator random) throws IOException {
    empty(geometry);
    return new Header(new Secret(random.nextLong(), random.nextLong()), geometry);
  }

  /** Deletes files of this and older versions, except for the lock, the roll and the purges. */
  public void empty(Geometry geometry) throws IOException {
    discard();
    for (String old : List.of("CLEAN", "REBUILD", "map", "checkpoint.0", "checkpoint.1")) {
      Files.deleteIfExists(directory.resolve(old));
    }
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      Files.deleteIfExists(journal(i));
    }
    for (int i = 0; i < geometry.files() || Files.exists(slabs(i)); i++) {
      Files.deleteIfExists(slabs(i));
    }
  }

  /** Writes {@code header}: all other files exist then. */
  public void writeHeader(Header header) throws IOException {
    byte[] bytes = new byte[MARK_BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.putLong(HEADER_MAGIC).putInt(VERSION).putInt(0);
    buffer.putLong(header.secret().first()).putLong(header.secret().second());
    Geometry geometry = header.geometry();
    buffer.putLong(geometry.totalBytes()).putInt(geometry.records());
    buffer.putInt(geometry.segmentBytes()).putInt(geometry.segments());
    write(header(), bytes);
  }

  /** The directory's copy of the roll, or null if it is not whole. */
  public @Nullable RollSheet readRoll() throws IOException {
    ByteBuffer buffer = read(roll(), ROLL_MAGIC);
    if (buffer == null) {
      return null;
    }
    long own = buffer.getLong();
    long number = buffer.getLong();
    boolean behind = buffer.getInt() != 0;
    int count = buffer.getInt();
    if (count < 0 || count > RollSheet.MAX_MEMBERS) {
      return null;
    }
    long[] members = new long[count];
    buffer.asLongBuffer().get(members);
    return new RollSheet(own, number, behind, members);
  }

  /**
   * Writes {@code sheet} in place of the present one. Any thread, one at a time.
   *
   * @param durably whether it has to be on the disk before this returns
   */
  public void writeRoll(RollSheet sheet, boolean durably) throws IOException {
    byte[] bytes = new byte[MARK_BYTES];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.putLong(ROLL_MAGIC).putInt(VERSION).putInt(0);
    buffer.putLong(sheet.own()).putLong(sheet.number()).putInt(sheet.behind() ? 1 : 0);
    buffer.putInt(sheet.members().length);
    buffer.asLongBuffer().put(sheet.members());
    write(roll(), bytes, durably);
  }

  /** Deletes the header durably: the next open begins empty. */
  public void discard() throws IOException {
    if (Files.deleteIfExists(header())) {
      forceNames(directory);
    }
  }

  private static @Nullable ByteBuffer read(Path file, long magic) throws IOException {
    byte[] bytes;
    try {
      if (Files.size(file) != MARK_BYTES) {
        return null;
      }
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException none) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    boolean good =
        bytes.length == MARK_BYTES
            && buffer.getLong() == magic
            && buffer.getInt() == VERSION
            && buffer.getInt() == crc(bytes);
    return good ? buffer : null;
  }

  private static void write(Path file, byte[] bytes) throws IOException {
    write(file, bytes, true);
  }

  private static void write(Path file, byte[] bytes, boolean durably) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).putInt(12, crc(bytes));
    Path next = file.resolveSibling(file.getFileName() + ".new");
    try (FileChannel channel =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      if (durably) {
        channel.force(true);
      }
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    if (durably) {
      forceNames(file.getParent());
    }
  }

  /**
   * Forces the names of the present files to the disk: forcing a file covers its bytes only. Some
   * file systems, such as network ones, do not allow it, and ensure it themselves or not at all.
   */
  private static void forceNames(@Nullable Path directory) throws IOException {
    FileChannel opened;
    try {
      opened = FileChannel.open(directory, StandardOpenOption.READ);
    } catch (IOException unsupported) {
      LOG.warn(
          "{}: names cannot be forced to the disk ({}); a power failure may lose new files; next:"
              + " use another file system",
          directory,
          unsupported.toString());
      return;
    }
    try (FileChannel names = opened) {
      names.force(true);
    }
  }

  private static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 16, bytes.length - 16);
    return (int) crc.getValue();
  }

  /** Unlocks. */
  @Override
  public void close() throws IOException {
    lock.release();
    lockFile.close();
  }
}
