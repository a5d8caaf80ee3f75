package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.SegmentHeader;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.segment.Segment.Kind;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a directory: the free ones, the open ones of each lane with their buffers, and
 * the order in which the others will be emptied. Guarded by itself; the lock is short, nothing is
 * read or written under it. {@link #read} and {@link #done} need no lock.
 */
public final class Segments {
  /** Kept free for responses that move to {@link Lane#MAIN} while space is made. */
  public static final int RESERVE = 2;

  private static final int KINDS = Kind.values().length;

  private final Segment[] all;
  private final int segmentBytes;
  private final BufferPool pool;
  private final LongSupplier ids;
  private final Journal journal;
  private final Writing writing;
  private final Deque<Segment> free = new ArrayDeque<>();
  private final List<Deque<Segment>> lanes = List.of(new ArrayDeque<>(), new ArrayDeque<>());

  /** Smaller ends of packed segments are not used. */
  private static final int MIN_END_BYTES = Block.PAGE_BYTES;

  /** By lane and kind. */
  private final Segment[] open = new Segment[Lane.values().length * KINDS];

  /**
   * By lane, in a small directory: the packed segment before the open one, whose end is used for
   * blocks that fit. A block that did not fit it opened the next segment.
   */
  private final Segment[] ends = new Segment[Lane.values().length];

  /** The buffers of the open packed segments, by lane, and then of the {@link #ends}. */
  private final SegmentBuffer[] buffers = new SegmentBuffer[2 * Lane.values().length];

  private final List<Rests> rests;

  /**
   * Contains every dead segment once, and some that are no longer dead: they are checked when they
   * are taken. So no call searches all segments.
   */
  private final Deque<Segment> dead = new ArrayDeque<>();

  private volatile int freeCount;

  /** The buffers were given up. */
  private boolean givenUp;

  /** A version up to this may have been reserved before the last checkpoint was begun. */
  private volatile long checkpointed;

  private final long[] liveBytes = new long[Lane.values().length];

  /** Closed under the lock, to be reported without it. */
  private final Queue<SegmentBuffer> closed = new ConcurrentLinkedQueue<>();

  /** Sealed after all of their bytes were written, and pinned until the footer is written. */
  private final Queue<Segment> footless = new ConcurrentLinkedQueue<>();

  /** Buffers that are not flushed yet; the array does not change. */
  private volatile SegmentBuffer[] resident = {};

  /** Writes full buffers. Called on any thread. */
  public interface Writing {
    /** Writes {@code buffer}, then calls {@link Segments#flushed}. */
    void flush(SegmentBuffer buffer);

    /** Writes the footer of {@code segment}, which is pinned, then unpins it. */
    void foot(Segment segment);
  }

  /**
   * All segments are free.
   *
   * @param ids gives lives of segments and versions, each higher than all before
   */
  public Segments(
      int count,
      int segmentBytes,
      BufferPool pool,
      LongSupplier ids,
      Journal journal,
      Writing writing) {
    this.segmentBytes = segmentBytes;
    this.pool = pool;
    this.ids = ids;
    this.journal = journal;
    this.writing = writing;
    rests = List.of(new Rests(segmentBytes), new Rests(segmentBytes));
    all = new Segment[count];
    for (int i = 0; i < count; i++) {
      all[i] = new Segment(i);
      free.add(all[i]);
    }
    freeCount = count;
  }

  public int count() {
    return all.length;
  }

  public Segment get(int number) {
    return all[number];
  }

  /** Free segments. Any thread, without lock. */
  public int freeCount() {
    return freeCount;
  }

  /** Bytes of stored responses in {@code lane}. */
  public synchronized long liveBytes(Lane lane) {
    return liveBytes[lane.ordinal()];
  }

  // Bytes of stored responses

  /** A response has {@code bytes} at {@code place}, known by {@code slot}. */
  public synchronized void hold(long place, long bytes, int slot) {
    Segment segment = all[SlabPlace.segment(place)];
    live(segment, bytes);
    segment.note(slot);
  }

  /** A response no longer has {@code bytes} at {@code place}. */
  public synchronized void let(long place, long bytes) {
    live(all[SlabPlace.segment(place)], -bytes);
  }

  /** The same, unless the segment was emptied meanwhile: it is free, or its life began later. */
  public synchronized void let(long place, long bytes, long version) {
    Segment segment = all[SlabPlace.segment(place)];
    if (segment.lane != null && segment.generation < version) {
      live(segment, -bytes);
    }
  }

  private void live(Segment segment, long bytes) {
    segment.liveBytes += bytes;
    if (segment.lane != null) {
      liveBytes[segment.laneInUse().ordinal()] += bytes;
    }
    listIfDead(segment);
  }

  private boolean isDead(Segment segment) {
    return segment.lane != null && !segment.condemned && segment.liveBytes == 0 && isAlone(segment);
  }

  /** Whether it has no present or future writer. */
  private boolean isAlone(Segment segment) {
    return segment.pins == 0 && segment.unflushed == 0 && !isOpen(segment);
  }

  /** Whether bytes may be allocated in it. */
  private boolean isOpen(Segment segment) {
    return segment == open[openIndex(segment.laneInUse(), segment.kindInUse())]
        || segment == ends[segment.laneInUse().ordinal()];
  }

  private void listIfDead(Segment segment) {
    if (!segment.listedAsDead && isDead(segment)) {
      segment.listedAsDead = true;
      dead.add(segment);
    }
  }

  private static int openIndex(Lane lane, Kind kind) {
    return lane.ordinal() * KINDS + kind.ordinal();
  }

  // Packed segments

  /**
   * Room for a block of {@code bytes} in a buffer; null if there is no free segment or no buffer.
   *
   * @param entryBytes of its entry in the footer; 0 if it has none
   * @param moving whether the reserve may be used
   * @param ofDiskThread whether the caller is a disk thread, which always gets a buffer
   */
  public @Nullable Room reserve(
      int bytes, int entryBytes, Lane lane, boolean moving, boolean ofDiskThread) {
    Room room;
    synchronized (this) {
      room = reserveNow(bytes, entryBytes, lane, moving, ofDiskThread);
    }
    tellClosed();
    return room;
  }

  private @Nullable Room reserveNow(
      int bytes, int entryBytes, Lane lane, boolean moving, boolean ofDiskThread) {
    if (givenUp) {
      return null;
    }
    Segment end = ends[lane.ordinal()];
    if (end != null && hasRoom(end, bytes, entryBytes)) {
      Room room = roomIn(end, bytes, entryBytes, false);
      if (room != null) {
        return room;
      }
    }
    Segment segment = open[openIndex(lane, Kind.PACKED)];
    if (segment != null && !hasRoom(segment, bytes, entryBytes)) {
      leave(segment);
      segment = null;
    }
    if (segment == null) {
      segment = openFree(lane, Kind.PACKED, moving);
      if (segment == null) {
        return null;
      }
      open[openIndex(lane, Kind.PACKED)] = segment;
    }
    Room room = roomIn(segment, bytes, entryBytes, ofDiskThread);
    if (room == null) {
      closeEnds(); // their buffers are needed elsewhere
    }
    return room;
  }

  /** A block does not fit the open {@code segment}: smaller ones may. */
  private void leave(Segment segment) {
    int lane = segment.laneInUse().ordinal();
    int left = segmentBytes - footerBytes(segment.entryBytes) - segment.used;
    if (segmentBytes > BufferPool.BYTES || left < MIN_END_BYTES) {
      seal(segment);
      return;
    }
    if (ends[lane] != null) {
      seal(ends[lane]);
    }
    open[openIndex(segment.laneInUse(), segment.kindInUse())] = null;
    ends[lane] = segment;
    buffers[ends.length + lane] = buffers[lane];
    buffers[lane] = null;
  }

  /** Room in {@code segment}, which has some; null if there is no buffer. */
  private @Nullable Room roomIn(Segment segment, int bytes, int entryBytes, boolean ofDiskThread) {
    SegmentBuffer buffer = buffers[bufferIndex(segment)];
    if (buffer != null && buffer.used + bytes > buffer.capacity()) {
      closeBuffer(segment);
      buffer = null;
    }
    if (buffer == null) {
      buffer = openBuffer(segment, ofDiskThread);
      if (buffer == null) {
        return null;
      }
    }
    int offset = buffer.start() + buffer.used;
    int more = buffer.used + bytes;
    buffer.used = more;
    segment.used = offset + bytes;
    segment.entryBytes += entryBytes;
    buffer.began();
    return new Room(buffer, offset, bytes, segment.laneInUse(), ids.getAsLong());
  }

  private int bufferIndex(Segment segment) {
    int lane = segment.laneInUse().ordinal();
    return segment == ends[lane] ? ends.length + lane : lane;
  }

  private boolean hasRoom(Segment segment, int bytes, int entryBytes) {
    SegmentBuffer buffer = buffers[bufferIndex(segment)];
    boolean fits = buffer != null && buffer.used + bytes <= buffer.capacity();
    int from = fits ? segment.used : Block.pages(segment.used);
    return from + bytes <= segmentBytes - footerBytes(segment.entryBytes + entryBytes);
  }

  /** Bytes at the end of a segment that a footer with {@code entryBytes} takes: whole pages. */
  public static int footerBytes(int entryBytes) {
    return Block.pages(entryBytes + Contents.HEAD_BYTES);
  }

  private @Nullable SegmentBuffer openBuffer(Segment segment, boolean ofDiskThread) {
    ByteBuf memory = pool.take(ofDiskThread);
    if (memory == null) {
      return null;
    }
    boolean begins = segment.used == Geometry.SEGMENT_HEADER_BYTES && !segment.begun;
    int start = begins ? 0 : Block.pages(segment.used);
    SegmentBuffer buffer = new SegmentBuffer(segment, start, memory, pool);
    if (begins) {
      segment.begun = true;
      SegmentHeader.write(memory, segment.generation);
      buffer.used = Geometry.SEGMENT_HEADER_BYTES;
    }
    segment.unflushed++;
    buffers[bufferIndex(segment)] = buffer;
    SegmentBuffer[] more = Arrays.copyOf(resident, resident.length + 1);
    more[resident.length] = buffer;
    resident = more;
    return buffer;
  }

  private void closeBuffer(Segment segment) {
    closeBuffer(bufferIndex(segment));
  }

  private void closeBuffer(int index) {
    SegmentBuffer buffer = buffers[index];
    if (buffer != null) {
      buffers[index] = null;
      closed.add(buffer);
    }
  }

  private void closeEnds() {
    for (int i = ends.length; i < buffers.length; i++) {
      closeBuffer(i);
    }
  }

  private void seal(Segment segment) {
    segment.sealed = true;
    segment.trim();
    closeBuffer(segment);
    if (segment == ends[segment.laneInUse().ordinal()]) {
      ends[segment.laneInUse().ordinal()] = null;
    } else {
      open[openIndex(segment.laneInUse(), segment.kindInUse())] = null;
    }
    if (segment.unflushed == 0) {
      segment.pins++;
      footless.add(segment);
    }
  }

  private void tellClosed() {
    for (SegmentBuffer buffer = closed.poll(); buffer != null; buffer = closed.poll()) {
      done(buffer);
    }
    for (Segment segment = footless.poll(); segment != null; segment = footless.poll()) {
      writing.foot(segment);
    }
  }

  /** The writer of {@code room} has ended. */
  public void done(Room room) {
    SegmentBuffer buffer = room.buffer();
    done(buffer);
    buffer.release();
  }

  private void done(SegmentBuffer buffer) {
    if (buffer.done()) {
      writing.flush(buffer);
    }
  }

  /** Closes buffers that have been waiting for a tick, or all. */
  public void closeBuffers(boolean allOfThem) {
    synchronized (this) {
      for (int i = 0; i < buffers.length; i++) {
        SegmentBuffer buffer = buffers[i];
        boolean fills =
            buffer != null && (buffer.start() > 0 ? buffer.used > 0 : hasBlocks(buffer));
        if (buffer != null && (allOfThem || (fills && buffer.age++ > 0))) {
          closeBuffer(i);
        }
      }
    }
    tellClosed();
  }

  private static boolean hasBlocks(SegmentBuffer buffer) {
    return buffer.used > Geometry.SEGMENT_HEADER_BYTES;
  }

  /**
   * {@code buffer} is written, and released. Returns whether its segment is sealed and completely
   * written, so that the footer is due: it is pinned then.
   */
  public boolean flushed(SegmentBuffer buffer) {
    synchronized (this) {
      int before = resident.length;
      resident =
          Arrays.stream(resident).filter(other -> other != buffer).toArray(SegmentBuffer[]::new);
      if (resident.length == before) {
        return false; // it was given up
      }
      Segment segment = buffer.segment();
      segment.unflushed--;
      boolean due = segment.sealed && segment.unflushed == 0;
      if (due) {
        segment.pins++;
      }
      listIfDead(segment);
      buffer.release();
      return due;
    }
  }

  /** The buffers that are not written yet. */
  public List<SegmentBuffer> unwritten() {
    return List.of(resident);
  }

  /** How many buffers are not written yet. */
  public int unflushed() {
    return resident.length;
  }

  /**
   * Copies {@code length} bytes from {@code place} to {@code into}, borrowed, if they are in a
   * buffer that is not written yet; else false. Any thread, without lock.
   */
  boolean read(long place, ByteBuf into, int length) {
    for (SegmentBuffer buffer : resident) {
      if (buffer.read(SlabPlace.segment(place), SlabPlace.offset(place), into, length)) {
        return true;
      }
    }
    return false;
  }

  // Stream segments

  /** Room for {@code bytes}, whole pages; null if there is no free segment. Pinned. */
  public synchronized @Nullable Extent allocate(int bytes, Lane lane, boolean moving) {
    Segment segment = withRoom(bytes, lane, moving);
    if (segment == null) {
      return null;
    }
    Extent extent =
        new Extent(SlabPlace.of(segment.number, segment.used), bytes, segment.generation, lane);
    segment.used += bytes;
    segment.pins++;
    return extent;
  }

  /** Only {@code bytes} of {@code extent} are needed: the rest is free again. */
  public synchronized void trim(Extent extent, int bytes) {
    Segment segment = all[SlabPlace.segment(extent.place())];
    int end = SlabPlace.offset(extent.place()) + extent.bytes();
    if (segment.used == end) {
      segment.used = SlabPlace.offset(extent.place()) + bytes;
    }
  }

  private @Nullable Segment withRoom(int bytes, Lane lane, boolean moving) {
    Rests left = rests.get(lane.ordinal());
    Segment end = left.end(bytes);
    if (end != null) {
      return end;
    }
    Segment current = open[openIndex(lane, Kind.STREAM)];
    if (current != null && segmentBytes - current.used >= bytes) {
      return current;
    }
    Segment next = openFree(lane, Kind.STREAM, moving);
    if (next != null && bytes < segmentBytes) {
      open[openIndex(lane, Kind.STREAM)] = next;
      if (current != null) {
        left.add(current);
        listIfDead(current);
      }
    }
    return next;
  }

  /** Removes one pin of the segment of {@code place}. */
  public synchronized void unpin(long place) {
    Segment segment = all[SlabPlace.segment(place)];
    segment.pins--;
    if (segment.condemned && segment.pins == 0) {
      free(segment);
    }
    listIfDead(segment);
  }

  private @Nullable Segment openFree(Lane lane, Kind kind, boolean moving) {
    if (free.isEmpty() || free.size() <= (moving ? 0 : RESERVE)) {
      return null;
    }
    Segment segment = free.poll();
    freeCount = free.size();
    segment.open(lane, kind, ids.getAsLong());
    lanes.get(lane.ordinal()).add(segment);
    journal.opened(segment.number, lane.ordinal(), kind.ordinal(), segment.generation);
    return segment;
  }

  // Emptying

  /** A segment in which nothing is stored any more, reserved for the caller; or null. */
  public @Nullable Segment dead() {
    for (Segment segment = dead.poll(); segment != null; segment = dead.poll()) {
      segment.listedAsDead = false;
      if (isDead(segment)) {
        rests.get(segment.laneInUse().ordinal()).remove(segment);
        return segment;
      }
    }
    return null;
  }

  /** The oldest segment of {@code lane} that may be emptied, reserved for the caller; or null. */
  public @Nullable Segment oldest(Lane lane) {
    for (Segment segment : lanes.get(lane.ordinal())) {
      if (isAlone(segment)) {
        rests.get(lane.ordinal()).remove(segment);
        return segment;
      }
    }
    return null;
  }

  /** {@code segment}, emptied, leaves its lane: it is free when the last pin is gone. */
  public synchronized void condemn(Segment segment) {
    lanes.get(segment.laneInUse().ordinal()).remove(segment);
    segment.condemned = true;
    if (segment.pins == 0) {
      free(segment);
    }
  }

  private void free(Segment segment) {
    liveBytes[segment.laneInUse().ordinal()] -= segment.liveBytes;
    journal.freed(segment.number, segment.generation);
    segment.free();
    free.add(segment);
    freeCount = free.size();
  }

  // Opening

  /** Segment {@code number} was found in use, up to {@code used}; {@link #settle} follows. */
  public synchronized void found(int number, Lane lane, Kind kind, long generation, int used) {
    Segment segment = all[number];
    segment.open(lane, kind, generation);
    segment.used = used;
    segment.begun = true;
    segment.sealed = true;
  }

  /** Every found segment is closed and stands in its lane, oldest life first; the rest is free. */
  public synchronized void settle() {
    free.clear();
    List<Segment> found = new ArrayList<>();
    for (Segment segment : all) {
      if (segment.lane == null) {
        free.add(segment);
      } else {
        segment.trim();
        found.add(segment);
      }
    }
    freeCount = free.size();
    found.sort(Comparator.comparingLong(segment -> segment.generation));
    for (Segment segment : found) {
      lanes.get(segment.laneInUse().ordinal()).add(segment);
      listIfDead(segment);
    }
  }

  /** A checkpoint's description of a segment. */
  public record State(
      int number, Lane lane, Kind kind, long generation, int used, boolean written) {}

  /** The result of {@link #snapshot}, with a number higher than all given so far. */
  public record Snapshot(List<State> states, long nextId) {}

  /** All segments in use, as they are now, for a checkpoint. */
  public synchronized Snapshot snapshot() {
    List<State> states = states();
    long nextId = ids.getAsLong();
    checkpointed = nextId;
    return new Snapshot(states, nextId);
  }

  /**
   * Whether a checkpoint that was begun may not know of a first block of {@code version}, which was
   * reserved before. Any thread, without lock: ask when the block is {@linkplain #hold held}.
   */
  public boolean isOlderThanCheckpoint(long version) {
    return version <= checkpointed;
  }

  private List<State> states() {
    List<State> states = new ArrayList<>();
    for (Segment segment : all) {
      if (segment.lane != null && !segment.condemned) {
        states.add(
            new State(
                segment.number,
                segment.lane,
                segment.kindInUse(),
                segment.generation,
                segment.used,
                !isOpen(segment) && segment.unflushed == 0));
      }
    }
    return states;
  }

  /** The slots noted in {@code number}, if it still has that life; else none. */
  public synchronized int[] noted(int number, long generation) {
    Segment segment = all[number];
    return segment.lane != null && segment.generation == generation ? segment.noted() : new int[0];
  }

  /** Closes all open segments, for good. */
  public void closeAll() {
    synchronized (this) {
      for (int i = 0; i < open.length; i++) {
        Segment segment = open[i];
        if (segment != null && segment.kind == Kind.PACKED) {
          closeBuffer(segment);
        }
        open[i] = null;
      }
      closeEnds();
      Arrays.fill(ends, null);
    }
    tellClosed();
  }

  /** Releases buffers that will not be written any more. */
  public void giveUpBuffers() {
    List<SegmentBuffer> left;
    synchronized (this) {
      givenUp = true;
      left = List.of(resident);
      resident = new SegmentBuffer[0];
      Arrays.fill(buffers, null);
      closed.clear();
    }
    left.forEach(SegmentBuffer::release);
    pool.close();
  }
}
