package io.loligo.server.sim;

import io.loligo.server.sim.disk.SimFiles;
import io.loligo.server.sim.disk.SimMedium;
import io.loligo.server.sim.disk.SimMedium.Troubles;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import java.util.ArrayList;
import java.util.List;

/** All {@code cache_dir}s of a world, through all lives. Confined to the world's thread. */
final class Disks implements SimMedium.Host {
  private static final List<Integer> SEGMENTS = List.of(10, 12, 16, 24);

  /** The files from which a start knows the content of the slabs. */
  private static final List<String> INDEX_FILES =
      List.of(
          "/checkpoint.0", "/checkpoint.1", "/journal.0", "/journal.1", "/journal.2", "/journal.3");

  private static final List<Integer> RECORDS = List.of(4, 8, 64, 256);
  private static final List<Long> QUEUE_BYTES = List.of(32L << 20, 32L << 20, 16L << 10);

  private final World world;
  private final int directories;
  private final int threads;
  private final long queueBytes;
  private final int segments;
  private final int records;
  private final long minBytes;
  private final long maxBytes;
  private final Troubles troubles;
  private SimFiles files;
  private SimMedium medium;
  private DiskSettings config;
  private long idleNanos;

  /** Told that others overtake a task. */
  private Runnable overtaking = () -> {};

  /** Empty directories. */
  Disks(World world, Faults faults) {
    this.world = world;
    directories = world.chance(75) ? 1 : 2;
    threads = 2 + world.draw(3);
    queueBytes = world.one(QUEUE_BYTES);
    segments = world.one(SEGMENTS);
    records = world.one(RECORDS);
    minBytes = world.chance(85) ? 0 : world.draw(1_000);
    maxBytes = world.chance(85) ? -1 : world.draw(20_000);
    boolean fails = faults.disk() > 0;
    troubles =
        new Troubles(
            world.one(List.of(0, 20, 60, 120)),
            world.one(List.of(0, 0, 3, 10)),
            fails ? world.one(List.of(0, 2, 10)) : 0,
            fails ? world.one(List.of(0, 2, 10)) : 0,
            fails ? world.one(List.of(0, 0, 1)) : 0,
            fails ? world.one(List.of(0, 2)) : 0,
            fails ? world.one(List.of(0, 3, 30)) : 0);
    files = new SimFiles(world::wallMillis);
  }

  /** Another process begins. */
  void begin() {
    medium = new SimMedium(this, files, troubles, segments, records);
    List<CacheDir> dirs = new ArrayList<>();
    for (int i = 0; i < directories; i++) {
      long bytes = (long) segments * SimMedium.SEGMENT_BYTES;
      dirs.add(new CacheDir("rock", "/d" + i, bytes, minBytes, maxBytes, false, "sim.conf:1"));
    }
    config = DiskSettings.with(dirs).threads(threads).writeQueueBytes(queueBytes).build();
    idleNanos = world.nanoTime();
  }

  /** {@code then} is told that a task waits for its disk, and others overtake it. */
  void whenOvertaking(Runnable then) {
    overtaking = then;
  }

  DiskSettings config() {
    return config;
  }

  SimMedium medium() {
    return medium;
  }

  /** The process ended, all at once. */
  void kill(boolean power) {
    files = power ? medium.cut() : medium.kill();
  }

  /** Small files that could not be read or changed, in the life that goes on. */
  int smallFailures() {
    return medium.smallFailures();
  }

  /** Damages some of its bytes. */
  void damage() {
    String directory = "/d" + world.draw(directories);
    if (world.chance(10)) {
      files.lose(directory + world.one(INDEX_FILES));
    }
    for (int i = world.draw(4); i > 0; i--) {
      String file = world.chance(60) ? "/slabs" : world.one(INDEX_FILES);
      files.damage(directory + file, world::draw);
    }
  }

  /** When nothing was to be done on disk the last time. */
  long idleNanos() {
    return idleNanos;
  }

  /** Looks whether there is something to be done. */
  void look() {
    if (medium.isIdle()) {
      idleNanos = world.nanoTime();
    }
  }

  @Override
  public String toString() {
    return directories + " x " + segments + " segments, " + records + " records, " + troubles;
  }

  // ---- the world

  @Override
  public int draw(int bound) {
    return world.draw(bound);
  }

  @Override
  public boolean chance(int percent) {
    return world.chance(percent);
  }

  @Override
  public void after(long micros, Runnable task) {
    world.after(micros, task);
  }

  @Override
  public void pass(int micros) {
    overtaking.run();
    world.overtake(micros);
  }

  @Override
  public long wallMillis() {
    return world.wallMillis();
  }

  @Override
  public long nanoTime() {
    return world.nanoTime();
  }

  @Override
  public boolean isServing() {
    return world.running() != null && world.running().serves();
  }

  @Override
  public boolean isOnLoop() {
    return world.running() != null;
  }
}
