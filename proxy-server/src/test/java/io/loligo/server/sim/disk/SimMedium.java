package io.loligo.server.sim.disk;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.record.RecordMap;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The simulated disks of one life of a process: {@link SimFiles}, threads whose tasks the world
 * runs one at a time, and the faults of both. Confined to the world's thread.
 *
 * <p>While a task reads or writes slabs, the others continue: the world runs other due tasks before
 * the call returns. So a task may be overtaken wherever it waits for its disk; a task that needs
 * one of its locks has to wait until it has ended.
 */
public final class SimMedium implements Medium {
  /** Of a segment, with which a piece has two blocks. */
  public static final int SEGMENT_BYTES = 128 << 10;

  /** Files that are forced all the time: a failure there turns their directory off. */
  private static final List<String> LARGE_FILES = List.of("journal.", "checkpoint.");

  /** The world, as disks see it. */
  public interface Host {
    int draw(int bound);

    boolean chance(int percent);

    void after(long micros, Runnable task);

    /** Runs other tasks due within {@code micros}, if they can run inside of the present one. */
    void pass(int micros);

    long wallMillis();

    long nanoTime();

    /** Whether an event loop, or another thread with a queue, runs now. */
    boolean isOnLoop();

    /** Whether it is one that serves clients. */
    boolean isServing();
  }

  /**
   * The faults, in percent of all chances.
   *
   * @param overtaken calls during which others continue
   * @param late tasks that are late by seconds
   * @param unreadable reads that fail
   * @param damaged reads that return other bytes
   * @param unwritable writes of slabs, journals and checkpoints that fail
   * @param refused tasks for which the queue is full
   * @param small reads and changes of small files that fail
   */
  public record Troubles(
      int overtaken,
      int late,
      int unreadable,
      int damaged,
      int unwritable,
      int refused,
      int small) {}

  /** The exception of a failing disk. */
  public static final class Failure extends IOException {
    private static final long serialVersionUID = 1;

    Failure() {
      super("Input/output error");
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // of one thread
    public Throwable fillInStackTrace() {
      return this; // it is logged often
    }
  }

  private final Host host;
  private final SimFiles files;
  private final Troubles troubles;
  private final int segments;
  private final int records;
  private final RandomGenerator random;
  private final List<SimThreads> threads = new ArrayList<>();
  private final List<Runnable> waiting = new ArrayList<>();
  private int locked;
  private int smallFailures;
  private long failsFromNanos;
  private boolean dead;
  private boolean claimed;
  private boolean quiet;

  /**
   * Of a process that begins.
   *
   * @param segments of each directory
   * @param records of each directory
   */
  public SimMedium(Host host, SimFiles files, Troubles troubles, int segments, int records) {
    this.host = host;
    this.files = files;
    this.troubles = troubles;
    this.segments = segments;
    this.records = records;
    this.random = new SplittableRandom(host.draw(Integer.MAX_VALUE));
  }

  /** The process is killed: the tasks of its threads end, and change nothing any more. */
  public SimFiles kill() {
    dead = true;
    return files.copy();
  }

  /** The same where all of the system ends. */
  public SimFiles cut() {
    dead = true;
    return files.cut(host::draw);
  }

  /** The directories are claimed: from now on small files fail and take their time, too. */
  public void claimed() {
    claimed = true;
    files.guard(this::before);
    // a disk that fails at once is off, and shows nothing more
    failsFromNanos = host.nanoTime() + (host.chance(80) ? 2_000_000_000L : 0);
  }

  private void before(Path file, boolean changes) throws IOException {
    if (host.isServing()) {
      throw new AssertionError("an event loop waits for " + file);
    }
    String name = file.getFileName().toString();
    if (LARGE_FILES.stream().anyMatch(name::startsWith)) {
      beforeLarge(changes);
    } else {
      beforeSmall();
    }
  }

  /** A caller that holds a lock over these says so. */
  private void beforeLarge(boolean changes) throws IOException {
    goOn();
    if (!isQuiet() && host.chance(changes ? troubles.unwritable : troubles.unreadable)) {
      throw new Failure();
    }
  }

  /** As a lock is held over many of the small files, and a real one, no other task goes on. */
  private void beforeSmall() throws IOException {
    if (!host.isOnLoop()) {
      locked();
      try {
        goOn();
      } finally {
        unlocked();
      }
    }
    boolean may = !isQuiet() && host.nanoTime() >= failsFromNanos;
    if (may && host.chance(troubles.small)) {
      smallFailures++;
      throw new Failure();
    }
  }

  /** Small files that could not be read or changed. */
  public int smallFailures() {
    return smallFailures;
  }

  /** From now on no task overtakes another, and nothing fails: the process ends. */
  public void quiet() {
    quiet = true;
  }

  /** Whether no task waits or is being done. */
  public boolean isIdle() {
    return threads.stream().allMatch(SimThreads::isIdle);
  }

  Host host() {
    return host;
  }

  Troubles troubles() {
    return troubles;
  }

  boolean isDead() {
    return dead;
  }

  boolean isQuiet() {
    return quiet || dead;
  }

  /** Others go on. There are none while the directories are claimed. */
  private void goOn() {
    if (host.isOnLoop()) {
      throw new AssertionError("an event loop waits for a disk");
    }
    if (claimed && !isQuiet() && host.draw(200) < troubles.overtaken) {
      host.pass(host.chance(90) ? host.draw(3_000) : host.draw(400_000));
    }
  }

  // ---- locks

  boolean isLocked() {
    return locked > 0;
  }

  void locked() {
    locked++;
  }

  void unlocked() {
    locked--;
    if (locked == 0) {
      List<Runnable> all = List.copyOf(waiting);
      waiting.clear();
      all.forEach(one -> host.after(0, one));
    }
  }

  /** Runs {@code task} when no lock is held, in a task of its own. */
  void whenUnlocked(Runnable task) {
    waiting.add(task);
  }

  // ---- the base of directories

  @Override
  public Path path(String directory) {
    return files.path(directory);
  }

  @Override
  public Geometry geometry(long totalBytes, long meanObjectBytes) {
    return new Geometry(totalBytes, records, SEGMENT_BYTES, segments);
  }

  @Override
  public DiskThreads threads(int count, long maxWriteBytes) {
    SimThreads started = new SimThreads(this, count, maxWriteBytes);
    threads.add(started);
    return started;
  }

  @Override
  public void allocate(Path path, long bytes) throws IOException {
    goOn();
    files.newFileChannel(path, Set.of(StandardOpenOption.CREATE)).close();
    SimFile file = files.file(path);
    file.size(Math.max(file.size(), bytes));
  }

  @Override
  public Slab slabs(Marks marks, Geometry geometry) throws IOException {
    allocate(marks.slabs(0), geometry.slabBytes());
    return new SimSlab(files.file(marks.slabs(0)));
  }

  @Override
  public RecordMap records(long records) {
    return host.chance(50) ? new SimRecordMap((int) records, this::goOn) : null;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public long millis() {
    return host.wallMillis();
  }

  @Override
  public long nanos() {
    return host.nanoTime();
  }

  /** Slabs that fail, lie and take their time. */
  private final class SimSlab implements Slab {
    private final SimFile file;

    /** Whether some of it may be had without waiting, as in a page cache. */
    private final boolean cached = host.chance(50);

    /** Whether nothing can be written any more. */
    private boolean broken;

    SimSlab(SimFile file) {
      this.file = file;
    }

    private void fail(int percent) throws IOException {
      if (!isQuiet() && host.chance(percent)) {
        throw new Failure();
      }
    }

    private void failToWrite() throws IOException {
      if (!isQuiet() && (broken || host.chance(troubles.unwritable))) {
        broken = broken || host.chance(70); // else once more will do
        throw new Failure();
      }
    }

    @Override
    public boolean readNow(long position, ByteBuf into, int length) {
      if (!cached || host.chance(20)) {
        return false;
      }
      take(position, into, length);
      return into.readableBytes() == length;
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      goOn();
      fail(troubles.unreadable);
      take(position, into, length);
      goOn();
    }

    private void take(long position, ByteBuf into, int length) {
      byte[] bytes = new byte[length];
      int count = file.read(position, bytes, 0, length);
      if (count > 0 && !isQuiet() && host.chance(troubles.damaged)) {
        if (host.chance(20)) {
          count = host.draw(count);
        } else {
          bytes[host.draw(count)] ^= (byte) (1 << host.draw(8));
        }
      }
      into.setBytes(0, bytes, 0, count);
      into.setIndex(0, count);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      goOn();
      failToWrite();
      byte[] bytes = new byte[from.readableBytes()];
      from.getBytes(from.readerIndex(), bytes);
      file.write(position, bytes, 0, bytes.length, files.now());
      goOn();
    }

    @Override
    public void close() {}
  }
}
