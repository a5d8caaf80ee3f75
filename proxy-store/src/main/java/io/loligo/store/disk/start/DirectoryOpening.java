package io.loligo.store.disk.start;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.format.SegmentHeader;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.Segment.Kind;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills an empty catalogue with the content of a directory: from a checkpoint, the journals after
 * it, and the segments written since. Confined to one thread.
 *
 * <p>The order makes each step final: first the table of segments and all removals, then the
 * segments that the checkpoint does not cover, the youngest first, then the sections of the
 * checkpoint. Of two first blocks with the same hash, the one of the higher version stays. So every
 * response found while the sections are read is the one that will be found at the end.
 */
public final class DirectoryOpening {
  /** Unreadable segments in a row that count as a disk failure. */
  private static final int MAX_UNREADABLE = 3;

  /** Keys beside URLs that are looked up; with more, any URL may have one. */
  private static final int MAX_ALTERNATIVES = 1024;

  private static final int SCAN_BYTES = 1 << 20;

  private final Geometry geometry;
  private final Marks marks;
  private final long directory;
  private final BooleanSupplier stopped;
  private final Runnable progress;
  private final Consumer<OptionalInt> alternatives;
  private final Segments.State[] states;
  private final Map<Long, List<Drop>> drops = new HashMap<>();

  /** Versions of the first blocks stored in segments that the checkpoint covers in part. */
  private final Set<Long> kept = new HashSet<>();

  /**
   * These segments: of their blocks that are not younger than the checkpoint, only the {@link
   * #kept} ones count.
   */
  private final Set<Integer> half = new HashSet<>();

  private final List<Contents.Entry> alternativeEntries = new ArrayList<>();
  private final List<Integer> alternativeSegments = new ArrayList<>();
  private long cleared = -1;
  private long highestId;
  private long rejected;
  private long lastJournal;
  private volatile boolean isFinal;
  private int slot;
  private long end;
  private Checkpoint.@Nullable Input checkpoint;

  @SuppressWarnings("NullAway.Init") // set by fill, which alone leads to its readers
  private Catalogue catalogue;

  @SuppressWarnings("NullAway.Init") // set by fill, which alone leads to its readers
  private Blocks blocks;

  private record Drop(long low, boolean all, long version) {}

  /**
   * @param directory see {@link Secret#directory}
   * @param stopped whether the result is no longer wanted
   * @param progress run now and then when the responses found are final
   * @param alternatives told of responses that an earlier process left, or may have left, under
   *     another key of a URL than its own: the hash of the URL's path; empty: any
   */
  public DirectoryOpening(
      Geometry geometry,
      Marks marks,
      long directory,
      BooleanSupplier stopped,
      Runnable progress,
      Consumer<OptionalInt> alternatives) {
    this.geometry = geometry;
    this.marks = marks;
    this.directory = directory;
    this.stopped = stopped;
    this.progress = progress;
    this.alternatives = alternatives;
    this.states = new Segments.State[geometry.segments()];
  }

  /** The highest number of a response, a version or a segment's life that was found. */
  public long highestId() {
    return highestId;
  }

  /** Invalid entries and sections. */
  public long rejected() {
    return rejected;
  }

  /** The checkpoint that was used. */
  public int slot() {
    return slot;
  }

  /** The first journal that it needs. */
  public long firstJournal() {
    return found().start().mark().number();
  }

  /** Where the last journal ends. */
  public long journalEnd() {
    return end;
  }

  /** Whether a response that is found now is the one that will be found at the end. Any thread. */
  public boolean isFinal() {
    return isFinal;
  }

  /**
   * Finds the newest checkpoint whose journals are all there, and reads those.
   *
   * @param newestJournal the last one
   * @return false if nothing can be used, because removals are missing: the directory has to be
   *     emptied
   * @throws IOException the disk does not answer
   */
  public boolean begin(long newestJournal) throws IOException {
    lastJournal = newestJournal;
    Checkpoint.Input one = Checkpoint.Input.open(marks.checkpoint(0), directory);
    Checkpoint.Input other = null;
    try {
      other = Checkpoint.Input.open(marks.checkpoint(1), directory);
      boolean oneFirst = other == null || (one != null && isNewer(one, other));
      Checkpoint.Input first = oneFirst ? one : other;
      Checkpoint.Input second = oneFirst ? other : one;
      if (first != null && replay(first)) {
        checkpoint = first;
      } else if (second != null && replay(second)) {
        checkpoint = second;
      }
      slot = checkpoint == one ? 0 : 1;
      return checkpoint != null;
    } finally {
      if (one != null && one != checkpoint) {
        one.close();
      }
      if (other != null && other != checkpoint) {
        other.close();
      }
    }
  }

  private Checkpoint.Input found() {
    assert checkpoint != null : "begin found nothing";
    return checkpoint;
  }

  private static boolean isNewer(Checkpoint.Input one, Checkpoint.Input other) {
    return one.start().nextId() > other.start().nextId();
  }

  /** Adds everything, after {@link #begin} found something. */
  public void fill(Catalogue empty, Blocks onDisk) throws IOException {
    catalogue = empty;
    blocks = onDisk;
    take();
  }

  /** Closes the files that {@link #begin} opened. */
  public void close() throws IOException {
    if (checkpoint != null) {
      checkpoint.close();
    }
  }

  private boolean replay(Checkpoint.Input from) throws IOException {
    Checkpoint.Start start = from.start();
    Arrays.fill(states, null);
    drops.clear();
    kept.clear();
    half.clear();
    cleared = -1;
    highestId = start.nextId();
    for (Segments.State state : start.segments()) {
      if (state.number() < 0 || state.number() >= states.length) {
        return false;
      }
      states[state.number()] = state;
    }
    Journal.Mark mark = start.mark();
    for (long number = mark.number(); number <= lastJournal; number++) {
      long first = number == mark.number() ? mark.position() : Journal.HEADER_BYTES;
      end = Journal.read(marks.journal(number), directory, number, first, this::record);
      if (end < 0) {
        return false;
      }
    }
    return mark.number() <= lastJournal;
  }

  private void record(Journal.Type type, int lane, int kind, long a, long b, long c) {
    highestId = Math.max(highestId, Math.max(c, type == Journal.Type.OPEN ? b : 0));
    switch (type) {
      case OPEN -> opened((int) a, lane, kind, b);
      case FREE -> {
        if (isSegment(a) && states[(int) a] != null && states[(int) a].generation() == b) {
          states[(int) a] = null;
        }
      }
      case DROP -> drop(a, new Drop(b, false, c));
      case DROP_ALL -> drop(a, new Drop(0, true, c));
      case CLEAR -> cleared = Math.max(cleared, c);
      case KEEP -> kept.add(c);
      case FORCED -> {}
    }
  }

  private boolean isSegment(long number) {
    return number >= 0 && number < states.length;
  }

  private void opened(int segment, int lane, int kind, long generation) {
    boolean valid = isSegment(segment) && lane < Lane.values().length && lane >= 0;
    if (valid
        && kind >= 0
        && kind < Kind.values().length
        && (states[segment] == null || states[segment].generation() < generation)) {
      states[segment] =
          new Segments.State(
              segment,
              Lane.values()[lane],
              Kind.values()[kind],
              generation,
              geometry.segmentBytes(),
              false);
    }
  }

  private void drop(long high, Drop drop) {
    drops.computeIfAbsent(high, ignored -> new ArrayList<>(1)).add(drop);
  }

  private boolean isDropped(Contents.Entry entry) {
    if (entry.version() <= cleared) {
      return true;
    }
    for (Drop drop : drops.getOrDefault(entry.high(), List.of())) {
      if (entry.version() <= drop.version && (drop.all || drop.low == entry.low())) {
        return true;
      }
    }
    return false;
  }

  private void take() throws IOException {
    List<Segments.State> left = new ArrayList<>();
    for (Segments.State state : states) {
      if (state != null) {
        catalogue
            .segments()
            .found(state.number(), state.lane(), state.kind(), state.generation(), state.used());
        if (!state.written() && state.kind() == Kind.PACKED) {
          left.add(state);
        }
      }
    }
    left.sort(Comparator.comparingLong(Segments.State::generation).reversed());
    readHalf();
    takeYoung(left);
    isFinal = true;
    progress.run();
    boolean more = true;
    while (more && !stopped.getAsBoolean()) {
      more = found().next(this::section);
      progress.run();
    }
    tellAlternatives();
    catalogue.settle();
  }

  /** Reads the sections of the segments that were not completely written, which come first. */
  private void readHalf() throws IOException {
    boolean more = true;
    for (Segments.State state : found().start().segments()) {
      if (!state.written() && state.kind() == Kind.PACKED) {
        if (state.equals(states[state.number()])) {
          half.add(state.number()); // it was not emptied since
        }
        more = more && found().next(this::halfSection);
      }
    }
  }

  private void halfSection(int segment, long generation, @Nullable ByteBuf entries) {
    if (entries == null) {
      rejected++;
      return;
    }
    while (entries.isReadable()) {
      Contents.Entry entry = Contents.read(entries);
      if (entry == null) {
        rejected++;
        return;
      }
      kept.add(entry.version());
    }
  }

  /** Whether a first block found in {@code segment} had been dropped before the checkpoint. */
  private boolean hadGone(Segments.State segment, ByteBuf block) {
    long version = FirstBlock.version(block);
    return half.contains(segment.number())
        && version <= found().start().nextId()
        && !kept.contains(version);
  }

  private void takeYoung(List<Segments.State> young) throws IOException {
    int unreadable = 0;
    for (Segments.State state : young) {
      if (stopped.getAsBoolean()) {
        return;
      }
      try {
        ByteBuf footer = blocks.readFooter(state.number(), state.generation());
        if (footer == null) {
          scan(state);
        } else {
          try {
            entries(state.number(), footer);
          } finally {
            footer.release();
          }
        }
        unreadable = 0;
      } catch (IOException e) {
        rejected++;
        if (++unreadable >= MAX_UNREADABLE || unreadable == young.size()) {
          throw e;
        }
      }
    }
  }

  private void section(int segment, long generation, @Nullable ByteBuf entries) {
    Segments.State state = isSegment(segment) ? states[segment] : null;
    if (state == null || state.generation() != generation || !state.written()) {
      return;
    }
    if (entries == null) {
      rejected++;
    } else {
      entries(segment, entries);
    }
  }

  private void entries(int segment, ByteBuf entries) {
    while (entries.isReadable()) {
      Contents.Entry entry = Contents.read(entries);
      if (entry == null) {
        rejected++;
        return;
      }
      adopt(segment, entry);
    }
  }

  private void adopt(int segment, Contents.Entry entry) {
    highestId = Math.max(highestId, entry.version());
    if (isDropped(entry)) {
      return;
    }
    if (!fits(entry)) {
      rejected++;
      return;
    }
    if (catalogue.contents().adopt(entry, segment) && (entry.flags() & Contents.ALTERNATIVE) != 0) {
      if (alternativeEntries.size() <= MAX_ALTERNATIVES) {
        alternativeEntries.add(entry);
        alternativeSegments.add(segment);
      }
    }
  }

  private boolean fits(Contents.Entry entry) {
    boolean first =
        entry.offset() >= Geometry.SEGMENT_HEADER_BYTES
            && entry.offset() % Block.ALIGNMENT == 0
            && entry.length() >= FirstBlock.FIXED_BYTES
            && entry.length() <= Block.MAX_BYTES
            && (long) entry.offset() + entry.length() <= geometry.segmentBytes();
    boolean pieces = true;
    for (int i = 0; i < entry.pieces().length; i++) {
      long place = entry.pieces()[i];
      boolean last = i == entry.pieces().length - 1;
      int segment = SlabPlace.segment(place);
      pieces &=
          isSegment(segment)
              && states[segment] != null
              && SlabPlace.offset(place) >= 0
              && SlabPlace.offset(place)
                      + (long) (last ? entry.lastPieceBytes() : entry.fullPieceBytes())
                  <= geometry.segmentBytes();
    }
    return first && pieces;
  }

  /**
   * Reads a packed segment that has no footer yet, as far as it was written in its present life.
   */
  private void scan(Segments.State state) throws IOException {
    ByteBuf window = blocks.buffer(Math.min(SCAN_BYTES, geometry.segmentBytes()));
    try {
      int start = 0; // of the window, in the segment
      int end = blocks.readRaw(state.number(), 0, window, 0, window.capacity());
      window.setIndex(0, end);
      if (!SegmentHeader.isOf(window, state.generation())) {
        return;
      }
      int at = Geometry.SEGMENT_HEADER_BYTES;
      while (at + Block.HEADER_BYTES <= geometry.segmentBytes()) {
        boolean atEnd = start + window.writerIndex() >= geometry.segmentBytes();
        if (at + Block.MAX_BYTES > start + window.writerIndex() && !atEnd) {
          start = at & -Block.PAGE_BYTES;
          int length = Math.min(window.capacity(), geometry.segmentBytes() - start);
          end = blocks.readRaw(state.number(), start, window, 0, length);
          window.setIndex(0, end);
          if (end < length) {
            return; // the file was cut
          }
        }
        at += scanBlock(state, window, start, at);
      }
    } finally {
      window.release();
    }
  }

  /**
   * Adds the first block at {@code at}, if there is one; returns the bytes to the next place to
   * look.
   */
  private int scanBlock(Segments.State state, ByteBuf window, int start, int at) {
    int from = at - start;
    int length = Math.min(Block.MAX_BYTES, window.writerIndex() - from);
    if (length < FirstBlock.FIXED_BYTES) {
      return Block.ALIGNMENT;
    }
    ByteBuf block = window.slice(from, length);
    boolean ours =
        Block.isWhole(block, Block.FIRST) && Block.generation(block) == state.generation();
    if (!ours) {
      return Block.ALIGNMENT;
    }
    highestId = Math.max(highestId, Block.id(block));
    if (FirstBlock.isSound(block) && !hadGone(state, block)) {
      adopt(state.number(), entry(block, at));
    }
    return Block.aligned(Block.length(block));
  }

  private static Contents.Entry entry(ByteBuf block, int offset) {
    Layout layout = Layout.of(block);
    long[] pieces = FirstBlock.allPieces(block);
    int alternative = FirstBlock.mayBeAlternative(block) ? Contents.ALTERNATIVE : 0;
    int part = FirstBlock.meta(block).part() == null ? 0 : Contents.PART;
    Contents.Entry.Builder entry =
        Contents.Entry.of(FirstBlock.high(block), FirstBlock.low(block))
            .version(FirstBlock.version(block))
            .offset(offset)
            .length(Block.length(block))
            .flags(alternative | part);
    if (pieces.length > 0) {
      entry
          .pieces(pieces)
          .fullPieceBytes(layout.fullPieceBytes())
          .lastPieceBytes(layout.lastPieceBytes());
    }
    return entry.build();
  }

  private void tellAlternatives() {
    if (alternativeEntries.size() > MAX_ALTERNATIVES) {
      alternatives.accept(OptionalInt.empty());
      return;
    }
    for (int i = 0; i < alternativeEntries.size(); i++) {
      Contents.Entry entry = alternativeEntries.get(i);
      long place = SlabPlace.of(alternativeSegments.get(i), entry.offset());
      ByteBuf block = blocks.tryReadFirst(place, entry.length());
      if (block == null) {
        alternatives.accept(OptionalInt.empty());
        continue;
      }
      try {
        alternatives.accept(FirstBlock.pathHash(block));
      } finally {
        block.release();
      }
    }
  }
}
