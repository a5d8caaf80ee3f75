package io.loligo.server.report;

import io.loligo.server.history.Interval;
import io.loligo.server.history.Series;
import java.util.EnumMap;
import java.util.Map;

/**
 * Everything that the graphs show, from accesses in the order of their ends. Its memory is bounded
 * whatever a log has (TimeGroups, DistinctFiles, ActivitySampler). Confined to the counting thread
 * until {@link #finish}.
 */
final class Aggregates {
  /** Bytes of a block of the disk in the study. */
  static final int BLOCK = 8 << 10;

  /** Bytes of two blocks of a cache_dir: a longer response has more than one further block. */
  static final int TWO_DISK_BLOCKS = 128 << 10;

  /** Samples of requests, and of disk requests, in microseconds. */
  static final long REQUEST_STEP = 10_000;

  static final long DISK_STEP = 2_000;

  private static final int REQUEST_RING = 1 << 19; // 87 minutes
  private static final int DISK_RING = 1 << 20; // 35 minutes

  /** Distributions of durations by size. */
  enum BySize {
    RESPONSE_HIT,
    RESPONSE_MISS,
    SERVER_HIT,
    SERVER_MISS,
    REPLY_HIT,
    REPLY_MISS,
    SMALL_REPLY_200,
    SMALL_REPLY_304,
    SMALL_REPLY_MISS,
    DISK_IN,
    DISK_FIRST_IN,
    DISK_OUT
  }

  final TimeGroups groups = new TimeGroups();
  final DistinctFiles files;
  private final Map<BySize, SizeMedians> sizes = new EnumMap<>(BySize.class);
  private final long[] byResult = new long[ResultCodes.MOST];
  private final long[] byStage = new long[LoggedStage.COUNT];
  private final ActivitySampler requests =
      new ActivitySampler(REQUEST_STEP, REQUEST_RING, this::active);
  private final ActivitySampler outgoing =
      new ActivitySampler(REQUEST_STEP, REQUEST_RING, this::outgoing);
  private final ActivitySampler disk = new ActivitySampler(DISK_STEP, DISK_RING, this::swapping);
  private final Histogram storedSizes = new Histogram();
  private long samples;
  private long accesses;
  private long others;
  private long staged;
  private long firstMicros = Long.MAX_VALUE;
  private long lastMicros = Long.MIN_VALUE;

  Aggregates() {
    this(new DistinctFiles());
  }

  Aggregates(DistinctFiles files) {
    this.files = files;
    for (BySize one : BySize.values()) {
      sizes.put(
          one,
          switch (one) {
            case SMALL_REPLY_200, SMALL_REPLY_304, SMALL_REPLY_MISS -> SizeMedians.byWidth(32, 256);
            case DISK_IN, DISK_FIRST_IN, DISK_OUT -> SizeMedians.byWidth(64, 1024);
            default -> SizeMedians.byHalfOctaves();
          });
    }
  }

  void add(LoggedAccess access) {
    accesses++;
    byResult[access.result]++;
    if (firstMicros == Long.MAX_VALUE) {
      requests.start(access.endMicros);
      outgoing.start(access.endMicros);
      disk.start(access.endMicros);
    }
    firstMicros = Math.min(firstMicros, access.endMicros);
    lastMicros = Math.max(lastMicros, access.endMicros);
    TimeGroup group = groups.at(access.endMicros);
    if (access.kind == AccessKind.OTHER) {
      others++;
      return;
    }
    boolean hit = access.kind.hit();
    group.add(hit ? Amount.HITS : Amount.MISSES, 1);
    group.add(hit ? Amount.HIT_BYTES : Amount.MISS_BYTES, access.bytes);
    group.add(hit ? Measure.BYTES_HIT : Measure.BYTES_MISS, access.bytes);
    group.add(hit ? Measure.RESPONSE_HIT : Measure.RESPONSE_MISS, access.micros);
    bySize(hit ? BySize.RESPONSE_HIT : BySize.RESPONSE_MISS, access.bytes, access.micros);
    requests.add(hit, access.endMicros - access.micros, access.endMicros);
    if (hit) {
      hit(access, group);
    }
    file(access, group);
    if (access.staged) {
      stages(access, group, hit);
    } else if (access.kind == AccessKind.DISK_HIT && content(access)) {
      group.add(Amount.SWAP_INS, 1);
      group.add(Measure.BYTES_IN, access.bytes);
    }
  }

  /** Whether the response has content of the file: 200, or a part of it. */
  private static boolean content(LoggedAccess access) {
    return access.status == 200 || access.status == 206;
  }

  private static void hit(LoggedAccess access, TimeGroup group) {
    boolean ims = access.kind == AccessKind.IMS_HIT;
    if (access.status == 304) {
      group.add(ims ? Amount.IMS_304 : Amount.OTHER_304, 1);
    } else if (!content(access)) {
      group.add(Amount.NEGATIVE, 1);
    } else {
      group.add(
          switch (access.kind) {
            case DISK_HIT -> Amount.DISK_200;
            case MEMORY_HIT -> Amount.MEMORY_200;
            case IMS_HIT -> Amount.IMS_200;
            default -> Amount.UNKNOWN_200;
          },
          1);
    }
  }

  private void file(LoggedAccess access, TimeGroup group) {
    int slot =
        access.get && access.status == 200
            ? files.see(access.file, access.endMicros, access.bytes)
            : -1;
    if (slot < 0) {
      return;
    }
    switch (access.kind) {
      case MISS -> files.origin(slot, DistinctFiles.FETCHED);
      case DISK_HIT -> files.origin(slot, DistinctFiles.SWAPPED_IN);
      case MEMORY_HIT -> {
        byte origin = files.origin(slot);
        if (origin != DistinctFiles.UNKNOWN) {
          group.add(Amount.KNOWN_MEMORY_HITS, 1);
          group.add(Amount.NEVER_SWAPPED_IN, origin == DistinctFiles.FETCHED ? 1 : 0);
        }
      }
      default -> {}
    }
  }

  // ---- stages

  private void stages(LoggedAccess access, TimeGroup group, boolean hit) {
    staged++;
    for (LoggedStage stage : LoggedStage.values()) {
      byStage[stage.ordinal()] += access.stage(stage) >= 0 ? 1 : 0;
    }
    client(access, group, hit);
    server(access, group, hit);
    swapIn(access, group);
    swapOut(access, group);
  }

  private void client(LoggedAccess access, TimeGroup group, boolean hit) {
    long connect = access.stage(LoggedStage.CLIENT_CONNECT);
    long reply = access.stage(LoggedStage.PROXY_REPLY);
    group.add(hit ? Measure.CLIENT_HIT : Measure.CLIENT_MISS, connect);
    group.add(hit ? Measure.REPLY_HIT : Measure.REPLY_MISS, reply);
    bySize(hit ? BySize.REPLY_HIT : BySize.REPLY_MISS, access.bytes, reply);
    if (!hit) {
      bySize(BySize.SMALL_REPLY_MISS, access.bytes, reply);
    } else if (access.status == 200) {
      group.add(Measure.CLIENT_200, connect);
      group.add(Measure.REPLY_200, reply);
      bySize(BySize.SMALL_REPLY_200, access.bytes, reply);
    } else if (access.status == 304) {
      group.add(Measure.REPLY_304, reply);
      bySize(BySize.SMALL_REPLY_304, access.bytes, reply);
    }
  }

  private void server(LoggedAccess access, TimeGroup group, boolean hit) {
    long connect = access.stage(LoggedStage.PROXY_CONNECT);
    long reply = access.stage(LoggedStage.SERVER_LAST_BYTE);
    group.add(hit ? Measure.CONNECT_HIT : Measure.CONNECT_MISS, connect);
    group.add(hit ? Measure.SERVER_HIT : Measure.SERVER_MISS, reply);
    bySize(hit ? BySize.SERVER_HIT : BySize.SERVER_MISS, access.bytes, reply);
    if (reply >= 0) {
      group.add(hit ? Measure.BOTH_HIT : Measure.BOTH_MISS, Math.max(0, connect) + reply);
    }
    long used = access.sum(LoggedStage.PROXY_CONNECT, LoggedStage.SERVER_LAST_BYTE);
    if (used >= 0) {
      long begin = begin(access) + Math.max(0, before(access)) + diskIn(access);
      outgoing.add(hit, begin, Math.min(access.endMicros, begin + used));
    }
  }

  private static long begin(LoggedAccess access) {
    return access.endMicros - access.micros;
  }

  /** What precedes disk and server. */
  private static long before(LoggedAccess access) {
    return access.sum(
        LoggedStage.ACL,
        LoggedStage.LOGIN,
        LoggedStage.LOOKUP,
        LoggedStage.HELPER,
        LoggedStage.DNS);
  }

  private static long diskIn(LoggedAccess access) {
    return Math.max(0, access.sum(LoggedStage.DISK_QUEUE, LoggedStage.DISK_FIRST_READ));
  }

  private void swapIn(LoggedAccess access, TimeGroup group) {
    long first = access.sum(LoggedStage.DISK_QUEUE, LoggedStage.DISK_FIRST_READ);
    if (access.stage(LoggedStage.DISK_FIRST_READ) < 0) {
      return;
    }
    long rest = access.stage(LoggedStage.DISK_REST);
    long total = first + Math.max(0, rest);
    group.add(Amount.SWAP_INS, 1);
    group.add(Amount.KNOWN_INS, 1);
    group.add(Amount.ATOMIC_INS, rest < 0 ? 1 : 0);
    group.add(Measure.BYTES_IN, access.bytes);
    group.add(Measure.DISK_IN, total);
    bySize(BySize.DISK_IN, access.bytes, total);
    bySize(BySize.DISK_FIRST_IN, access.bytes, first);
    blocks(access, group, Measure.ONE_BLOCK_IN, Measure.TWO_BLOCKS_IN, total);
    if (access.bytes <= TWO_DISK_BLOCKS) {
      group.add(Measure.SECOND_IN, rest);
    }
    long begin = begin(access) + Math.max(0, before(access));
    disk.add(true, begin, Math.min(access.endMicros, begin + total));
  }

  private void swapOut(LoggedAccess access, TimeGroup group) {
    long total = access.sum(LoggedStage.DISK_WRITE_QUEUE, LoggedStage.DISK_WRITE);
    if (access.stage(LoggedStage.DISK_WRITE) < 0) {
      return;
    }
    group.add(Amount.SWAP_OUTS, 1);
    group.add(Measure.BYTES_OUT, access.bytes);
    group.add(Measure.DISK_OUT, total);
    bySize(BySize.DISK_OUT, access.bytes, total);
    blocks(access, group, Measure.ONE_BLOCK_OUT, Measure.TWO_BLOCKS_OUT, total);
    disk.add(false, access.endMicros - total, access.endMicros);
  }

  private static void blocks(
      LoggedAccess access, TimeGroup group, Measure one, Measure two, long micros) {
    if (access.bytes <= BLOCK) {
      group.add(one, micros);
    } else if (twoBlocks(access)) {
      group.add(two, micros);
    }
  }

  // ---- numbers of the running proxy

  /**
   * Adds what the proxy counted itself in a slot of time, unless the log has nothing of that time.
   *
   * @param slot borrowed
   */
  void add(DiskSeries series, Interval slot) {
    long micros = slot.startSeconds() * 1_000_000;
    if (groups.count() == 0
        || micros < groups.startMicros(0)
        || micros >= groups.startMicros(groups.count())) {
      return;
    }
    TimeGroup group = groups.at(micros);
    long stored = slot.count(series.store());
    byStage[LoggedStage.DISK_WRITE.ordinal()] += stored;
    group.add(Amount.SWAP_OUTS, stored);
    group.add(Amount.KNOWN_OUTS, stored);
    group.add(Amount.ATOMIC_OUTS, slot.sum(series.shared()));
    group.add(Amount.COUNTED_MILLIS, slot.coveredMillis());
    times(group, Measure.DISK_OUT, slot, series.store());
    times(group, Measure.ONE_BLOCK_OUT, slot, series.store8());
    times(group, Measure.TWO_BLOCKS_OUT, slot, series.store16());
    times(group, Measure.SECOND_OUT, slot, series.second());
    long more = slot.count(series.operations());
    if (samples == 0 && more > 0) {
      forgetSwapping();
    }
    samples += more;
    numbers(group, Measure.SWAPPING_ALL, slot, series.operations());
    numbers(group, Measure.SWAPPING_IN, slot, series.reads());
    numbers(group, Measure.SWAPPING_OUT, slot, series.writes());
  }

  private static void times(TimeGroup group, Measure measure, Interval slot, Series times) {
    slot.each(times, (nanos, count) -> group.add(measure, Math.round(nanos / 1e3), count));
  }

  private static void numbers(TimeGroup group, Measure measure, Interval slot, Series numbers) {
    slot.each(numbers, (number, count) -> group.add(measure, number, count));
  }

  /** Forgets the disk requests in progress that the log gave: those that are added are samples. */
  private void forgetSwapping() {
    for (int i = 0; i < groups.count(); i++) {
      groups.group(i).clear(Measure.SWAPPING_ALL);
      groups.group(i).clear(Measure.SWAPPING_IN);
      groups.group(i).clear(Measure.SWAPPING_OUT);
    }
  }

  /** Adds sizes of responses written to disk since the start of the proxy. */
  void stored(long bytes, long count) {
    storedSizes.add(bytes, count);
  }

  /** Adds the median time of responses of one size. */
  void stored(long bytes, long medianMicros, long count) {
    bySize(BySize.DISK_OUT).add(bytes, medianMicros, count);
  }

  /** Whether the proxy sampled its disks, which had work; false: the log gives it. */
  boolean isDiskSampled() {
    return samples > 0 && count(LoggedStage.DISK_FIRST_READ) + count(LoggedStage.DISK_WRITE) > 0;
  }

  /** Sizes of responses written to disk since the start of the proxy. */
  Histogram storedSizes() {
    return storedSizes;
  }

  private static boolean twoBlocks(LoggedAccess access) {
    return access.bytes > BLOCK && access.bytes <= 2 * BLOCK;
  }

  private void bySize(BySize which, long bytes, long micros) {
    bySize(which).add(bytes, micros);
  }

  // ---- samples

  private void active(long fromMicros, long samples, int hits, int misses) {
    spread(fromMicros, samples, REQUEST_STEP, Measure.ACTIVE_ALL, hits + misses);
    spread(fromMicros, samples, REQUEST_STEP, Measure.ACTIVE_HIT, hits);
    spread(fromMicros, samples, REQUEST_STEP, Measure.ACTIVE_MISS, misses);
  }

  private void outgoing(long fromMicros, long samples, int hits, int misses) {
    spread(fromMicros, samples, REQUEST_STEP, Measure.OUTGOING_HIT, hits);
    spread(fromMicros, samples, REQUEST_STEP, Measure.OUTGOING_MISS, misses);
  }

  private void swapping(long fromMicros, long samples, int ins, int outs) {
    spread(fromMicros, samples, DISK_STEP, Measure.SWAPPING_ALL, ins + outs);
    spread(fromMicros, samples, DISK_STEP, Measure.SWAPPING_IN, ins);
    spread(fromMicros, samples, DISK_STEP, Measure.SWAPPING_OUT, outs);
  }

  /** Counts samples in the groups that they fall into. */
  private void spread(long fromMicros, long samples, long step, Measure measure, int active) {
    long at = fromMicros;
    long left = samples;
    while (left > 0) {
      TimeGroup group = groups.at(at);
      long toEnd = -Math.floorDiv(at - groups.endOf(at), step);
      long here = Math.min(left, toEnd);
      group.add(measure, active, here);
      at += here * step;
      left -= here;
    }
  }

  /** Takes the last samples; no access follows. */
  void finish() {
    if (accesses > 0) {
      requests.finish(lastMicros);
      if (staged > 0) {
        outgoing.finish(lastMicros);
        disk.finish(lastMicros);
      }
    }
  }

  // ---- for readers

  SizeMedians bySize(BySize which) {
    SizeMedians medians = sizes.get(which);
    if (medians == null) {
      throw new IllegalStateException("no medians of " + which);
    }
    return medians;
  }

  /** All accesses. */
  long accesses() {
    return accesses;
  }

  /** Accesses that are neither hits nor misses. */
  long others() {
    return others;
  }

  /** Hits and misses with stages. */
  long staged() {
    return staged;
  }

  /** Hits and misses with this stage. */
  long count(LoggedStage stage) {
    return byStage[stage.ordinal()];
  }

  /** Accesses with a result code. */
  long count(int result) {
    return byResult[result];
  }

  /** The end of the first access. */
  long firstMicros() {
    return firstMicros;
  }

  /** The end of the last access. */
  long lastMicros() {
    return lastMicros;
  }

  /** Requests that are missing at their beginning in the numbers of concurrent ones. */
  long shortened() {
    return requests.shortened() + outgoing.shortened() + disk.shortened();
  }
}
