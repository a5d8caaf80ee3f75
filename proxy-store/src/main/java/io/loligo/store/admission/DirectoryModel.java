package io.loligo.store.admission;

import java.util.Arrays;
import java.util.function.IntPredicate;

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
 * next} from old to young, and so are the free ones. Those whose ids end alike are linked by {@code
 * chained}.
 */
public final class DirectoryModel {
  /** Heap of an entry, with its parts of the table and of the policy. */
  private static final int ENTRY_BYTES = 2 * Integer.BYTES + 3 + 2 * Character.BYTES;

  private static final int NONE = EntryPlaces.NONE;
  private static final int FIRST_ENTRIES = 64;

  private final QueueAdmission queueing;
  private final DiskAdmission admission;
  private final long wholeBytes;
  private final IntPredicate inMemory;
  private final int mostEntries;
  private final Queue[] queues = {new Queue(), new Queue()};
  private long capacityBytes;
  private long usedBytes;
  private int entries;

  private int[] ids = new int[FIRST_ENTRIES];
  private int[] sizes = new int[FIRST_ENTRIES];
  private byte[] ranks = new byte[FIRST_ENTRIES];
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
   * @param inMemory whether the memory tier has served the response under an id
   * @param mostEntries that the caller lets it grow to
   */
  public DirectoryModel(
      long capacityBytes,
      long meanObjectBytes,
      boolean onSecondRequest,
      IntPredicate inMemory,
      int mostEntries) {
    this.wholeBytes = Math.max(1, capacityBytes);
    this.capacityBytes = wholeBytes;
    queueing = QueueAdmission.sampled(wholeBytes, meanObjectBytes, mostEntries);
    long remembered = Math.min(wholeBytes, mostEntries * Math.max(1, meanObjectBytes));
    admission =
        onSecondRequest
            ? new SecondRequestAdmission(queueing, this::holdsHash, remembered, meanObjectBytes)
            : queueing;
    this.inMemory = inMemory;
    this.mostEntries = mostEntries;
    next = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
    chained = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
    heads = EntryPlaces.of(FIRST_ENTRIES, mostEntries);
  }

  /** Most bytes of one with so many entries, without some hundred. */
  public static int bytes(int mostEntries) {
    return mostEntries * ENTRY_BYTES
        + Integer.highestOneBit(mostEntries) * Character.BYTES
        + (int) (2 * Ghosts.memoryBytes((long) (mostEntries * DiskPolicy.KNOWN)));
  }

  /** Number of responses, and of replaced ones whose space is still in use. */
  public int entries() {
    return entries;
  }

  /** PROBATION's target share of the capacity. */
  double probationShare() {
    return queueing.probationShare();
  }

  /** Whether it has the response under {@code id}. */
  public boolean holds(int id) {
    return find(id) != NONE;
  }

  /**
   * Counts a hit of the response under {@code id}. Returns the number since it was appended to its
   * lane, at most {@link DiskAdmission#MAX_HITS}; 0: it is not there.
   */
  public int hit(int id) {
    int entry = find(id);
    if (entry == NONE) {
      return 0;
    }
    int now = Math.min(DiskAdmission.MAX_HITS, (hits[entry] & 0xff) + 1);
    hits[entry] = (byte) now;
    return now;
  }

  /**
   * A response of {@code bytes} arrives; it replaces the one under the same id.
   *
   * @param id of the key, all bits uniform
   * @param rank of the key for {@link #keep}, from 0 to 255
   */
  public void put(int id, int rank, int bytes) {
    Lane lane = admission.place(hash(id), bytes, !fits(bytes)).lane();
    remove(id);
    if (lane == null) {
      return;
    }
    while (!fits(bytes) && entries > 0) {
      empty(admission.victim(live(Lane.PROBATION), live(Lane.MAIN), capacityBytes));
    }
    int entry = begin(id, bytes);
    ranks[entry] = (byte) rank;
    append(lane, entry);
  }

  /** The response under {@code id} leaves; its space is in use until its turn comes. */
  public void remove(int id) {
    int entry = find(id);
    if (entry != NONE) {
      unlist(entry);
    }
  }

  /**
   * Only keys below a rank are known from now on. The others leave, and their space is free; the
   * policy remembers those that were evicted.
   *
   * @param share of all keys that these are, above 0 and at most 1
   */
  public void keep(int rankLimit, double share) {
    capacityBytes = Math.max(1, (long) (wholeBytes * share));
    queueing.sample(capacityBytes, share);
    for (Queue queue : queues) {
      int entry = queue.oldest;
      queue.oldest = NONE;
      queue.youngest = NONE;
      while (entry != NONE) {
        int following = next.get(entry);
        if ((ranks[entry] & 0xff) < rankLimit) {
          link(queue, entry);
        } else {
          leave(entry);
        }
        entry = following;
      }
    }
  }

  private void leave(int entry) {
    if (lanes[entry] != NONE) {
      unlist(entry);
    }
    usedBytes -= sizes[entry];
    end(entry);
  }

  private boolean holdsHash(long hash) {
    return holds((int) (hash >>> Integer.SIZE));
  }

  /** For the policy, which takes different bits from both ends. */
  private static long hash(int id) {
    return ((long) id << Integer.SIZE) | (((id * 0x9E3779B1L) >>> Short.SIZE) & 0xffff);
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
    long hash = hash(ids[entry]);
    unlist(entry);
    boolean served = inMemory.test(ids[entry]);
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
    link(queue, entry);
    usedBytes += sizes[entry];
    queue.liveBytes += sizes[entry];
    lanes[entry] = (byte) lane.ordinal();
    hits[entry] = 0;
    list(entry);
  }

  private void link(Queue queue, int entry) {
    if (queue.youngest == NONE) {
      queue.oldest = entry;
    } else {
      next.set(queue.youngest, entry);
    }
    queue.youngest = entry;
    next.set(entry, NONE);
  }

  /** A new entry, in no queue. */
  private int begin(int id, int bytes) {
    int entry = free;
    if (entry == NONE) {
      if (begun == ids.length) {
        grow();
      }
      entry = begun++;
    } else {
      free = next.get(entry);
    }
    ids[entry] = id;
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
    int length = Math.max(ids.length + 1, Math.min(2 * ids.length, mostEntries));
    ids = Arrays.copyOf(ids, length);
    ranks = Arrays.copyOf(ranks, length);
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

  private int find(int id) {
    int entry = heads.get(head(id));
    while (entry != NONE && ids[entry] != id) {
      entry = chained.get(entry);
    }
    return entry;
  }

  private int head(int id) {
    return id & (heads.length() - 1);
  }

  private void list(int entry) {
    int head = head(ids[entry]);
    chained.set(entry, heads.get(head));
    heads.set(head, entry);
  }

  /** The response of an entry cannot be found any more, and does not count as live. */
  private void unlist(int entry) {
    queues[lanes[entry]].liveBytes -= sizes[entry];
    lanes[entry] = NONE;
    int head = head(ids[entry]);
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
