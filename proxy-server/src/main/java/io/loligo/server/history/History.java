package io.loligo.server.history;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The kept numbers. Thread-safe: any thread reads, one adds. Its lock is held for the copy of one
 * record, never while a record is decoded or passed on.
 *
 * <p>Each {@link HistoryRange} is a {@link RecordRing} in a fixed part of one buffer. A sample of a
 * second is a record of the first one, and is added to the unfinished slots of the others; a slot
 * that is over becomes a record. If the part of a range is full, its oldest records go early:
 * {@link #sinceSeconds} tells since when there are any.
 */
public final class History implements AutoCloseable {
  private static final HistoryRange[] RANGES = HistoryRange.values();

  /** A start within a slot gives it a second record. */
  private static final int MORE_RECORDS = 60;

  private final SeriesList series;
  private final ByteBuf memory;
  private final RecordRing[] rings = new RecordRing[RANGES.length];

  /** The unfinished slots; null: there is none, as always in the first range. */
  private final @Nullable Interval[] unfinished = new @Nullable Interval[RANGES.length];

  private final Interval[] spare = new Interval[RANGES.length];
  private final RecordForm form;
  private final RecordBytes record = new RecordBytes();
  private long newest = -1;
  private long aheadSeconds;
  private boolean isClosed;

  /**
   * An empty history.
   *
   * @param bytes its direct memory, which {@link #close} gives back
   */
  History(SeriesList series, ByteBufAllocator allocator, int bytes) {
    this.series = series;
    form = new RecordForm(series, series);
    memory = allocator.directBuffer(bytes, bytes).touch("the history's records");
    int base = 0;
    for (HistoryRange range : RANGES) {
      int share = range.bytesOf(bytes);
      rings[range.ordinal()] = new RecordRing(memory, base, share, range.slots() + MORE_RECORDS);
      spare[range.ordinal()] = new Interval(series);
      base += share;
    }
  }

  /** All series. */
  public List<Series> series() {
    return series.all();
  }

  /** The series with this name, or null. */
  public @Nullable Series series(String name) {
    return series.named(name);
  }

  SeriesList list() {
    return series;
  }

  /** Direct memory of its records; at most {@link #memoryBytes}. */
  public synchronized long usedBytes() {
    long used = 0;
    for (RecordRing ring : rings) {
      used += ring.usedBytes();
    }
    return used;
  }

  /** Its direct memory, from the start to the end. */
  public long memoryBytes() {
    return memory.capacity();
  }

  /**
   * When the oldest record of a range begins, in seconds since the epoch by the clock as it is now;
   * null: there is none.
   */
  public synchronized @Nullable Long sinceSeconds(HistoryRange range) {
    RecordRing ring = rings[range.ordinal()];
    if (ring.first() < ring.end()) {
      return ring.slot(ring.first()) - aheadSeconds;
    }
    Interval now = unfinished[range.ordinal()];
    return now == null ? null : (Long) (now.slot() - aheadSeconds);
  }

  /** Adds a sample, of one slot of {@link HistoryRange#FIVE_MINUTES}. */
  synchronized void add(Interval sample, long clockAheadSeconds) {
    if (isClosed) {
      return;
    }
    aheadSeconds = clockAheadSeconds;
    newest = Math.max(newest, sample.slot());
    form.write(sample, record);
    rings[0].add(sample.slot(), record);
    for (int i = 1; i < RANGES.length; i++) {
      long slot = RANGES[i].slotOf(sample.slot());
      Interval now = unfinished[i];
      if (now != null && now.slot() != slot) {
        finish(i, now);
        now = null;
      }
      if (now == null) {
        now = spare[i];
        now.begin(slot);
        unfinished[i] = now;
      }
      now.add(sample);
    }
    for (int i = 0; i < RANGES.length; i++) {
      // the whole range may begin within a slot
      rings[i].dropBefore(RANGES[i].slotOf(newest) - RANGES[i].seconds());
    }
  }

  private void finish(int range, Interval slot) {
    form.write(slot, record);
    rings[range].add(slot.slot(), record);
    unfinished[range] = null;
  }

  /** Adds a record from a file. The slots of a range come in their order, before any sample. */
  synchronized void restore(HistoryRange range, Interval slot) {
    if (!isClosed) {
      form.write(slot, record);
      rings[range.ordinal()].add(slot.slot(), record);
      newest = Math.max(newest, slot.slot());
    }
  }

  /** The number of the first record of {@code range} from a slot on. */
  synchronized long firstFrom(HistoryRange range, long slot) {
    return rings[range.ordinal()].firstFrom(slot);
  }

  /**
   * Copies the record with a number, or the oldest after it, if its slot is below {@code endSlot};
   * after the last one, the unfinished slot.
   *
   * @return where it was; null: there is none
   */
  synchronized @Nullable Copied copy(
      HistoryRange range, long number, long endSlot, RecordBytes into) {
    if (isClosed) {
      return null;
    }
    RecordRing ring = rings[range.ordinal()];
    long there = Math.max(number, ring.first());
    if (there < ring.end()) {
      if (ring.slot(there) >= endSlot) {
        return null;
      }
      ring.copy(there, into);
      return new Copied(ring.slot(there), there + 1);
    }
    Interval now = unfinished[range.ordinal()];
    if (there > ring.end() || now == null || now.slot() >= endSlot) {
      return null;
    }
    form.write(now, record);
    System.arraycopy(record.array(), 0, into.room(record.length()), 0, record.length());
    return new Copied(now.slot(), there + 1);
  }

  /**
   * A copied record.
   *
   * @param slot its slot
   * @param next the number to continue with
   */
  record Copied(long slot, long next) {}

  synchronized boolean isClosed() {
    return isClosed;
  }

  private synchronized long newest() {
    return newest;
  }

  private synchronized long aheadSeconds() {
    return aheadSeconds;
  }

  /** The first slot from {@code slot} on that is there; {@link Long#MAX_VALUE}: none is. */
  private synchronized long oldestFrom(HistoryRange range, long slot) {
    RecordRing ring = rings[range.ordinal()];
    long number = ring.firstFrom(slot);
    if (number < ring.end()) {
      return ring.slot(number);
    }
    Interval now = unfinished[range.ordinal()];
    return now == null ? Long.MAX_VALUE : now.slot();
  }

  /**
   * Passes the points of a range to {@code point}, from the oldest that has data to the present
   * one, each with {@code slots} slots together. A point without data is an empty interval.
   *
   * @param slots slots in one point; they divide those of the range
   * @param point borrows the interval for the call
   */
  public void read(HistoryRange range, int slots, Consumer<Interval> point) {
    if (slots < 1 || range.slots() % slots != 0) {
      throw new IllegalArgumentException(
          "slots: " + slots + " (expected: a divisor of " + range.slots() + ")");
    }
    long length = (long) slots * range.slotSeconds();
    long last = newest();
    long lastPoint = last - Math.floorMod(last, length);
    long oldest = oldestFrom(range, lastPoint - range.seconds() + length);
    if (oldest == Long.MAX_VALUE) {
      return;
    }
    long firstPoint = oldest - Math.floorMod(oldest, length);
    Reading reading = new Reading(range, firstPoint);
    for (long start = firstPoint; start <= lastPoint; start += length) {
      point.accept(reading.upTo(start, start + length));
    }
  }

  /**
   * The last seconds together, ending with the newest sample: from the range with the shortest
   * slots that is long enough. It begins with a whole slot of that range.
   *
   * @param seconds from 1 to those of {@link HistoryRange#MONTH}
   * @return a new interval
   */
  public Interval last(int seconds) {
    HistoryRange range = HistoryRange.MONTH;
    for (HistoryRange one : RANGES) {
      if (one.seconds() >= seconds) {
        range = one;
        break;
      }
    }
    long end = newest() + 1;
    long start = Math.max(0, range.slotOf(end - seconds));
    return new Reading(range, start).upTo(start, Math.max(start, end));
  }

  /** Reads a range from its older to its newer records. Confined to one thread. */
  private final class Reading {
    private final HistoryRange range;
    private final Interval sum = new Interval(series);
    private final RecordForm decoder = new RecordForm(series, series);
    private final RecordBytes bytes = new RecordBytes();
    private final long ahead = aheadSeconds();
    private long next;

    Reading(HistoryRange range, long firstSlot) {
      this.range = range;
      next = firstFrom(range, firstSlot);
    }

    /** The sum of the records up to a slot; valid until the next call. */
    Interval upTo(long start, long end) {
      sum.begin(start);
      sum.startsAt(start - ahead);
      Copied copied = copy(range, next, end, bytes);
      while (copied != null) {
        next = copied.next();
        if (copied.slot() >= start) {
          add();
        }
        copied = copy(range, next, end, bytes);
      }
      return sum;
    }

    private void add() {
      try {
        decoder.addTo(sum, bytes);
      } catch (DamagedRecordException e) {
        throw new IllegalStateException("a record of this process is damaged", e);
      }
    }
  }

  /** Gives its memory back. Readers find nothing from then on. */
  @Override
  public synchronized void close() {
    if (!isClosed) {
      isClosed = true;
      memory.release();
    }
  }
}
