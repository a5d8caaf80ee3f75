package io.loligo.server.sim.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/**
 * A file system in memory that knows which of its content is on the disk: names like a journal, in
 * their order, {@link SimFile bytes} page by page. Confined to the world's thread.
 */
public final class SimFiles extends FileSystemProvider {
  /** For so long a change of names may not be on the disk: it goes there by itself then. */
  private static final long JOURNAL_MILLIS = 5_000;

  private final SimFileSystem system = new SimFileSystem(this);
  private final LongSupplier millis;
  private final Set<String> locked = new HashSet<>();

  /** Called before a file is read or changed, except for the slabs. */
  private Access access = (file, changes) -> {};

  /** Called before each access to files that are opened by name. */
  interface Access {
    /**
     * Something of {@code file} is about to be read, or to be changed.
     *
     * @throws IOException it is not
     */
    void before(Path file, boolean changes) throws IOException;
  }

  /** Whether a directory cannot be opened, as on some file systems. */
  boolean opensNoDirectory;

  /** Names and their files; a directory has none. */
  private Map<String, SimFile> names = new LinkedHashMap<>();

  /** How names were that may be on the disk still, the oldest first. */
  private final List<Names> journal = new ArrayList<>();

  private record Names(long untilMillis, Map<String, SimFile> names) {}

  /**
   * No file.
   *
   * @param millis the time of files, and of the journal
   */
  public SimFiles(LongSupplier millis) {
    this.millis = millis;
  }

  /** The content for a process that begins after another was killed. */
  public SimFiles copy() {
    SimFiles copy = new SimFiles(millis);
    names.forEach((name, file) -> copy.names.put(name, file == null ? null : file.copy()));
    return copy;
  }

  /**
   * The content for a system that begins after a power failure.
   *
   * @param draw a number below the given one
   */
  public SimFiles cut(IntUnaryOperator draw) {
    long now = millis.getAsLong();
    List<Map<String, SimFile>> may = new ArrayList<>();
    for (Names before : journal) {
      if (now - before.untilMillis < JOURNAL_MILLIS) {
        may.add(before.names);
      }
    }
    may.add(names);
    Map<String, SimFile> kept = may.get(draw.applyAsInt(may.size()));
    int lost = draw.applyAsInt(101);
    BooleanSupplier isLost = () -> draw.applyAsInt(100) < lost;
    SimFiles left = new SimFiles(millis);
    kept.forEach((name, file) -> left.names.put(name, file == null ? null : file.cut(isLost)));
    return left;
  }

  /** Changes a bit of the file {@code name}, if it is there. */
  public void damage(String name, IntUnaryOperator draw) {
    SimFile file = names.get(name);
    if (file != null) {
      file.damage(
          draw.applyAsInt(1 << 16), draw.applyAsInt(SimFile.PAGE_BYTES), draw.applyAsInt(8));
    }
  }

  /** Removes the file {@code name}. */
  public void lose(String name) {
    names.remove(name);
  }

  Path path(String name) {
    return new SimPath(system, name);
  }

  SimFile file(Path path) throws IOException {
    SimFile file = names.get(path.toString());
    if (file == null) {
      throw new NoSuchFileException(path.toString());
    }
    return file;
  }

  long now() {
    return millis.getAsLong();
  }

  /** {@code before} is asked from now on. */
  void guard(Access before) {
    access = before;
  }

  void before(Path file, boolean changes) throws IOException {
    access.before(file, changes);
  }

  /** Whether no other process has it. */
  boolean lock(Path path) {
    return locked.add(path.toString());
  }

  void unlock(Path path) {
    locked.remove(path.toString());
  }

  private void change() {
    journal.add(new Names(millis.getAsLong(), new LinkedHashMap<>(names)));
  }

  /** All names are on the disk. */
  void commit() {
    journal.clear();
  }

  @Override
  public FileChannel newFileChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    SimFile file = names.get(path.toString());
    if (names.containsKey(path.toString()) && file == null) {
      if (opensNoDirectory) {
        throw new AccessDeniedException(path.toString());
      }
      return new SimFileChannel(this, path, new SimFile(now())); // to force a directory
    }
    if (file == null) {
      if (!options.contains(StandardOpenOption.CREATE)) {
        throw new NoSuchFileException(path.toString());
      }
      change();
      file = new SimFile(now());
      names.put(path.toString(), file);
    } else if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      // in place of it, so that the old content is lost as a whole
      change();
      file = new SimFile(now());
      names.put(path.toString(), file);
    }
    return new SimFileChannel(this, path, file);
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
    if (names.containsKey(path.toString())) {
      throw new FileAlreadyExistsException(path.toString());
    }
    change();
    names.put(path.toString(), null);
  }

  @Override
  public void delete(Path path) throws IOException {
    if (!names.containsKey(path.toString())) {
      throw new NoSuchFileException(path.toString());
    }
    before(path, true);
    change();
    names.remove(path.toString());
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    SimFile file = file(from);
    before(from, true);
    change();
    names.remove(from.toString());
    names.put(to.toString(), file);
  }

  @Override
  public void checkAccess(Path path, AccessMode... modes) throws IOException {
    if (!names.containsKey(path.toString())) {
      throw new NoSuchFileException(path.toString());
    }
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path path, Class<A> type, LinkOption... options) throws IOException {
    checkAccess(path);
    return type.cast(new Attributes(names.get(path.toString())));
  }

  /**
   * The attributes of a file.
   *
   * @param file null: a directory
   */
  private record Attributes(SimFile file) implements BasicFileAttributes {
    @Override
    public FileTime lastModifiedTime() {
      return FileTime.fromMillis(file == null ? 0 : file.writtenMillis());
    }

    @Override
    public FileTime lastAccessTime() {
      return lastModifiedTime();
    }

    @Override
    public FileTime creationTime() {
      return lastModifiedTime();
    }

    @Override
    public boolean isRegularFile() {
      return file != null;
    }

    @Override
    public boolean isDirectory() {
      return file == null;
    }

    @Override
    public boolean isSymbolicLink() {
      return false;
    }

    @Override
    public boolean isOther() {
      return false;
    }

    @Override
    public long size() {
      return file == null ? 0 : file.size();
    }

    @Override
    public Object fileKey() {
      return file;
    }
  }

  @Override
  public FileStore getFileStore(Path path) {
    return new SimFileStore();
  }

  // ---- methods that are not called

  @Override
  public String getScheme() {
    return "sim";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    return system;
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path path, DirectoryStream.Filter<? super Path> filter) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void copy(Path from, Path to, CopyOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isSameFile(Path one, Path other) {
    return one.equals(other);
  }

  @Override
  public boolean isHidden(Path path) {
    return false;
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path path, Class<V> type, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Map<String, Object> readAttributes(Path path, String names, LinkOption... options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options) {
    throw new UnsupportedOperationException();
  }
}
