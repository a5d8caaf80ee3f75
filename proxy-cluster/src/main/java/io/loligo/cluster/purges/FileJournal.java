package io.loligo.cluster.purges;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal in a folder, written by a thread of its own. Thread-safe.
 *
 * <p>Lines are appended to a file ({@link JournalForm}) and synced together. A new file begins with
 * how far each stream is, so an old one is deleted as soon as no entry of it is needed. If the disk
 * fails, or is so slow that too much waits for it, lines are dropped; once it works again, a new
 * file begins, which says what is missing.
 */
public final class FileJournal implements PurgeJournal {
  private static final Logger LOG = LoggerFactory.getLogger(FileJournal.class);

  private static final Pattern NAME = Pattern.compile("purges-(\\d{1,18})\\.log");

  /** A file that is longer is followed by another. */
  static final int FILE_BYTES = 4 << 20;

  /** Lines wait for the disk up to this; then they are dropped. */
  static final int MAX_WAITING_BYTES = 16 << 20;

  /** Of a line, beside its entry. */
  private static final int LINE_BYTES = 64;

  /** Between two syncs. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** After which a disk that failed is tried again. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a stop waits for the disk. */
  private static final long CLOSE_MILLIS = 2_000;

  /** Opens files; a test replaces it. */
  interface Medium {
    /** Of the operating system. */
    Medium FILES = FileTarget::new;

    /**
     * Creates a file.
     *
     * @throws FileAlreadyExistsException if it exists
     */
    Target create(Path file) throws IOException;
  }

  /** A file that is written. */
  interface Target extends Closeable {
    void write(byte[] bytes) throws IOException;

    void sync() throws IOException;
  }

  private static final class FileTarget implements Target {
    private final FileChannel channel;

    private FileTarget(Path file) throws IOException {
      channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      try (FileChannel folder = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
        // the name, too
        folder.force(true);
      }
    }

    @Override
    public void write(byte[] bytes) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }

    @Override
    public void sync() throws IOException {
      channel.force(false);
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /**
   * A file that may have entries that are needed.
   *
   * @param endCount entries of all files up to this one
   */
  private record Old(Path path, long endCount) {}

  private final Path folder;
  private final Medium medium;
  private final long retryNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread writer;

  // guarded by lock
  private final ArrayDeque<Line> waiting = new ArrayDeque<>();
  private final JournalSums sums = new JournalSums();
  private long waitingBytes;
  private long position;
  private long entries;
  private long expired;
  private boolean lost;
  private boolean closed;
  private LongConsumer synced = p -> {};

  // of the writer
  private final ArrayDeque<Old> old = new ArrayDeque<>();
  private @Nullable Target target;
  private @Nullable Path targetPath;

  /** Behind its begin. */
  private long targetBytes;

  private long targetEndCount;
  private long number;
  private boolean complained;

  /**
   * A journal in {@code folder}, which is created. {@link #read} is next, once no other process
   * writes there.
   */
  public FileJournal(Path folder) {
    this(folder, RETRY_NANOS, Medium.FILES);
  }

  FileJournal(Path folder, long retryNanos, Medium medium) {
    this.folder = folder;
    this.retryNanos = retryNanos;
    this.medium = medium;
    writer = new Thread(this::run, "loligo-purge-journal");
    writer.setDaemon(true);
  }

  /**
   * {@inheritDoc}
   *
   * @throws UncheckedIOException if the folder cannot be used
   */
  @Override
  public Kept read() {
    List<Line> lines = new ArrayList<>();
    JournalForm.End end = JournalForm.End.WHOLE;
    lock.lock();
    try {
      for (Path file : files()) {
        end = readFile(file, lines);
        old.add(new Old(file, entries));
        number = numberOf(file) + 1;
      }
    } finally {
      lock.unlock();
    }
    // what is missing from the others shows, because the next one begins with numbers of all
    // streams
    boolean damaged = end == JournalForm.End.DAMAGED;
    if (damaged) {
      LOG.warn(
          "The journal of purges in {} is damaged: other nodes validate everything stored before"
              + " its next use; next: look at the disk's health",
          folder);
    }
    writer.start();
    return new Kept(lines, damaged);
  }

  private List<Path> files() {
    try {
      Files.createDirectories(folder);
      try (Stream<Path> all = Files.list(folder)) {
        return all.filter(file -> numberOf(file) >= 0)
            .sorted((a, b) -> Long.compare(numberOf(a), numberOf(b)))
            .toList();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long numberOf(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    return name.matches() ? Long.parseLong(name.group(1)) : -1;
  }

  private JournalForm.End readFile(Path file, List<Line> lines) {
    try {
      return JournalForm.read(
          Files.readAllBytes(file),
          line -> {
            lines.add(line);
            sums.add(line);
            if (line instanceof Line.Entry) {
              entries++;
            }
          });
    } catch (IOException e) {
      LOG.warn("The journal {} cannot be read ({}); next: look at its disk", file, e.toString());
      return JournalForm.End.DAMAGED;
    }
  }

  @Override
  public void listen(LongConsumer listener) {
    lock.lock();
    try {
      synced = listener;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long append(Line line) {
    lock.lock();
    try {
      position++;
      sums.add(line);
      int bytes = LINE_BYTES;
      if (line instanceof Line.Entry entry) {
        entries++;
        bytes += entry.entry().length;
      }
      if (!lost && waitingBytes + bytes > MAX_WAITING_BYTES) {
        drop();
      }
      if (!lost) {
        waiting.add(line);
        waitingBytes += bytes;
        changed.signal();
      }
      return position;
    } finally {
      lock.unlock();
    }
  }

  /** The disk does not keep up, or fails. The lock is held. */
  private void drop() {
    lost = true;
    waiting.clear();
    waitingBytes = 0;
  }

  @Override
  public void expire(long count) {
    lock.lock();
    try {
      expired = count;
    } finally {
      lock.unlock();
    }
  }

  /** Writes the lines that wait, for {@value #CLOSE_MILLIS} ms at most. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    try {
      writer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (awaitLines()) {
        writeOnce();
      }
    } finally {
      closeTarget();
    }
  }

  /** Waits until there is something to write; false: the journal is closed, and all is written. */
  private boolean awaitLines() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !lost && !closed) {
        changed.awaitUninterruptibly();
      }
      return !waiting.isEmpty() || (lost && !closed);
    } finally {
      lock.unlock();
    }
  }

  private void writeOnce() {
    try {
      long upTo = writeLines();
      if (complained) {
        complained = false;
        LOG.info("The journal of purges in {} works again", folder);
      }
      listener().accept(upTo);
      deleteExpired();
      pause(PAUSE_NANOS);
    } catch (IOException e) {
      if (!complained) {
        complained = true;
        LOG.warn(
            "The journal of purges in {} cannot be written ({}): after a crash of this node, its"
                + " purges may not reach nodes that are away; next: look at its disk",
            folder,
            e.toString());
      }
      closeTarget();
      lock.lock();
      try {
        drop();
      } finally {
        lock.unlock();
      }
      pause(retryNanos);
    }
  }

  private LongConsumer listener() {
    lock.lock();
    try {
      return synced;
    } finally {
      lock.unlock();
    }
  }

  /** Writes and syncs the lines that wait; gives the position up to which they are. */
  private long writeLines() throws IOException {
    List<Line> batch = new ArrayList<>();
    List<Line> first = List.of();
    long upTo;
    long endCount;
    lock.lock();
    try {
      // before the batch, which may repeat these numbers of streams
      if (lost || target == null || targetBytes >= FILE_BYTES) {
        first = sums.lines(lost);
        closeTarget();
      }
      batch.addAll(waiting);
      waiting.clear();
      waitingBytes = 0;
      upTo = position;
      endCount = entries;
      lost = false;
    } finally {
      lock.unlock();
    }
    Target to = target;
    if (to == null) {
      to = begin(first);
    }
    byte[] records = records(batch);
    to.write(records);
    to.sync();
    targetBytes += records.length;
    targetEndCount = endCount;
    return upTo;
  }

  private Target begin(List<Line> first) throws IOException {
    Target to = create();
    target = to;
    to.write(JournalForm.head());
    to.write(records(first));
    targetBytes = 0;
    return to;
  }

  private static byte[] records(List<Line> lines) {
    ByteArrayOutputStream records = new ByteArrayOutputStream();
    lines.forEach(line -> records.writeBytes(JournalForm.record(line)));
    return records.toByteArray();
  }

  private Target create() throws IOException {
    while (true) {
      Path file = folder.resolve("purges-" + number + ".log");
      number++;
      try {
        Target created = medium.create(file);
        targetPath = file;
        return created;
      } catch (FileAlreadyExistsException e) {
        LOG.debug("{} exists: another process has the same folder for a moment", file);
      }
    }
  }

  private void closeTarget() {
    Target open = target;
    Path path = targetPath;
    target = null;
    targetPath = null;
    if (open != null && path != null) {
      old.add(new Old(path, targetEndCount));
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("closing a journal", e);
      }
    }
  }

  private void deleteExpired() throws IOException {
    long needless;
    lock.lock();
    try {
      needless = expired;
    } finally {
      lock.unlock();
    }
    while (!old.isEmpty() && old.peek().endCount() <= needless) {
      Files.deleteIfExists(old.remove().path());
    }
  }

  private void pause(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (left > 0 && !closed) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
