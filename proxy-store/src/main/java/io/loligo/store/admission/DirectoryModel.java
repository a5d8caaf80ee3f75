package io.loligo.store.admission;

import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * The responses that a directory would hold, or those of a share of the keys: the queues and the
 * policy of the engine, without content. Not thread-safe.
 *
 * <p>The engine empties whole segments; the model takes one response after the other from the old
 * end of a lane. As on disk, a replaced response keeps its space until then. Where only a share of
 * the keys is known, the directory is smaller in that proportion (Waldspurger, Saemundsson, Ahmad,
 * Park: "Cache Modeling and Optimization using Miniature Simulations", USENIX ATC 2017).
 *
 * <p>Entries are in arrays, which double as needed. The entries of a lane are linked by {@code
 * next} from old to young, and so are the free ones. Those whose hashes end alike are linked by
 * {@code chained}.
 */
public final class DirectoryModel {
  /** Heap of an entry, with its parts of the table and of the policy. */
  public static final int BYTES_PER_ENTRY = 28;

  private static final int NONE = EntryPlaces.NONE;
  private static final int FIRST_ENTRIES = 64;

  private final QueueAdmission queueing;
  private final DiskAdmission admission;
  private final long capacityBytes;
  private final LongPredicate inMemory;
  private final int mostEntries;
  private final Queue[] queues = {new Queue(), new Queue()};
  private long usedBytes;
  private int entries;

  private long[] hashes = new long[FIRST_ENTRIES];
  private int[] sizes = new int[FIRST_ENTRIES];
  private byte[] hits = new byte[FIRST_ENTRIES];

  /** Ordinal of the lane; {@link #NONE}: the response has left, but its space is in use. */
  private byte[] lanes = new byte[FIRST_ENTRIES];

  private EntryPlaces next;
  private EntryPlaces chained;
  private EntryPlaces heads;
  private int free = NONE;

  /** Entries below this were in use. */
  private int begun;

  /** The entries of a lane, and the bytes of its responses. */
  private static final class Queue {
    int oldest = NONE;
    int youngest = NONE;
    long liveBytes;
  }

  /**
   * An empty directory with the policy of real ones.
   *
   * @param capacityBytes of a directory for all keys
   * @param meanObjectBytes size of an object that the policy expects at first
   * @param onSecondRequest whether a response is stored only when it arrives for the second time
   * @param inMemory whether the memory tier has served the response under a hash
   * @param mostEntries that the caller lets it grow to
   * @param sampledShare of the keys, above 0; 1: all
   */
  public DirectoryModel(
      long capacityBytes,
      long meanObjectBytes,
      boolean onSecondRequest,
      LongPredicate inMemory,
      int mostEntries,
      double sampledShare) {
    this.capacityBytes = Math.max(1, (long) (capacityBytes * sampledShare));
    queueing =
        QueueAdmission.sampled(this.capacityBytes, meanObjectBytes, mostEntries, sampledShare);
    long remembered = Math.min(this.capacityBytes, mostEntries * Math.max(1, meanObjectBytes));
    admission =
        onSecondRequest
            ? new SecondRequestAdmission(queueing, this::holdsMixed, remembered, meanObjectBytes)
            : queueing;
    this.inMemory = inMemory;
    this.mostEntries = mostEntries;
    next = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
    chained = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
    heads = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
  }

  /** Number of responses, and of replaced ones whose space is still in use. */
  public int entries() {
    return entries;
  }

  /** PROBATION's target share of the capacity. */
  double probationShare() {
    return queueing.probationShare();
  }

  /** Whether it has the response under {@code hash}. */
  public boolean holds(long hash) {
    return find(hash) != NONE;
  }

  /**
   * Counts a hit of the response under {@code hash}. Returns the number since it was appended to
   * its lane, at most {@link DiskAdmission#MAX_HITS}; 0: it is not there.
   */
  public int hit(long hash) {
    int entry = find(hash);
    if (entry == NONE) {
      return 0;
    }
    int now = Math.min(DiskAdmission.MAX_HITS, (hits[entry] & 0xff) + 1);
    hits[entry] = (byte) now;
    return now;
  }

  /** A response of {@code bytes} arrives; it replaces the one under the same hash. */
  public void put(long hash, int bytes) {
    Lane lane = admission.place(mixed(hash), bytes, !fits(bytes)).lane();
    remove(hash);
    if (lane == null) {
      return;
    }
    while (!fits(bytes) && entries > 0) {
      empty(admission.victim(live(Lane.PROBATION), live(Lane.MAIN), capacityBytes));
    }
    int entry = begin(hash, bytes);
    append(lane, entry);
  }

  /** The response under {@code hash} leaves; its space is in use until its turn comes. */
  public void remove(long hash) {
    int entry = find(hash);
    if (entry != NONE) {
      unlist(entry);
    }
  }

  /** Gives the responses whose hashes {@code stay} to {@code other}, which is empty. */
  public void copyTo(DirectoryModel other, LongPredicate stay) {
    other.queueing.follow(queueing);
    for (Lane lane : Lane.values()) {
      for (int from = queue(lane).oldest; from != NONE; from = next.get(from)) {
        if (lanes[from] != NONE && stay.test(hashes[from])) {
          int to = other.begin(hashes[from], sizes[from]);
          other.append(lane, to);
          other.hits[to] = hits[from];
        }
      }
    }
  }

  private boolean holdsMixed(long mixed) {
    return holds(mixed(mixed)); // a rotation by half is its own inverse
  }

  /** For the policy, which needs uniform high bits: those of the sampled keys are alike. */
  private static long mixed(long hash) {
    return Long.rotateLeft(hash, Integer.SIZE);
  }

  private boolean fits(int bytes) {
    return usedBytes + bytes <= capacityBytes;
  }

  private Queue queue(Lane lane) {
    return queues[lane.ordinal()];
  }

  private long live(Lane lane) {
    return queue(lane).liveBytes;
  }

  /** The oldest entry of a lane leaves, or goes to the young end of {@link Lane#MAIN}. */
  private void empty(Lane wanted) {
    Lane other = wanted == Lane.MAIN ? Lane.PROBATION : Lane.MAIN;
    Lane lane = queue(wanted).oldest == NONE ? other : wanted;
    int entry = oldest(queue(lane));
    if (lanes[entry] == NONE) {
      end(entry);
      return;
    }
    long hash = mixed(hashes[entry]);
    unlist(entry);
    boolean served = inMemory.test(hashes[entry]);
    if (admission.reclaim(lane, hash, sizes[entry], hits[entry] & 0xff, served).stays()) {
      admission.kept(lane, hash, sizes[entry]);
      append(Lane.MAIN, entry);
    } else {
      admission.evicted(lane, hash, sizes[entry]);
      end(entry);
    }
  }

  /** Takes the oldest entry from a queue. */
  private int oldest(Queue queue) {
    int entry = queue.oldest;
    queue.oldest = next.get(entry);
    if (queue.oldest == NONE) {
      queue.youngest = NONE;
    }
    usedBytes -= sizes[entry];
    return entry;
  }

  /** Puts an entry that is in no queue at the young end of one; it is unused so far. */
  private void append(Lane lane, int entry) {
    Queue queue = queue(lane);
    if (queue.youngest == NONE) {
      queue.oldest = entry;
    } else {
      next.set(queue.youngest, entry);
    }
    queue.youngest = entry;
    next.set(entry, NONE);
    usedBytes += sizes[entry];
    queue.liveBytes += sizes[entry];
    lanes[entry] = (byte) lane.ordinal();
    hits[entry] = 0;
    list(entry);
  }

  /** A new entry, in no queue. */
  private int begin(long hash, int bytes) {
    int entry = free;
    if (entry == NONE) {
      if (begun == hashes.length) {
        grow();
      }
      entry = begun++;
    } else {
      free = next.get(entry);
    }
    hashes[entry] = hash;
    sizes[entry] = bytes;
    entries++;
    return entry;
  }

  private void end(int entry) {
    next.set(entry, free);
    free = entry;
    entries--;
  }

  private void grow() {
    int length = Math.max(hashes.length + 1, Math.min(2 * hashes.length, mostEntries));
    hashes = Arrays.copyOf(hashes, length);
    sizes = Arrays.copyOf(sizes, length);
    hits = Arrays.copyOf(hits, length);
    lanes = Arrays.copyOf(lanes, length);
    next = next.grown(length);
    chained = chained.grown(length);
    heads = EntryPlaces.of(Math.max(heads.length(), Integer.highestOneBit(length)), mostEntries);
    for (int entry = 0; entry < begun; entry++) { // none of them is free
      if (lanes[entry] != NONE) {
        list(entry);
      }
    }
  }

  private int find(long hash) {
    int entry = heads.get(head(hash));
    while (entry != NONE && hashes[entry] != hash) {
      entry = chained.get(entry);
    }
    return entry;
  }

  private int head(long hash) {
    return (int) hash & (heads.length() - 1); // the high bits are alike: they choose the keys
  }

  private void list(int entry) {
    int head = head(hashes[entry]);
    chained.set(entry, heads.get(head));
    heads.set(head, entry);
  }

  /** The response of an entry cannot be found any more, and does not count as live. */
  private void unlist(int entry) {
    queues[lanes[entry]].liveBytes -= sizes[entry];
    lanes[entry] = NONE;
    int head = head(hashes[entry]);
    if (heads.get(head) == entry) {
      heads.set(head, chained.get(entry));
      return;
    }
    int before = heads.get(head);
    while (chained.get(before) != entry) {
      before = chained.get(before);
    }
    chained.set(before, chained.get(entry));
  }
}
