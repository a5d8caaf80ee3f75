package io.loligo.store.disk;

/**
 * Numbers of one {@code cache_dir} at one moment. Counts grow from the start of the process; sizes
 * are bytes. Immutable.
 */
public final class DiskStats {
  private final String path;
  private final String source;
  private final State state;
  private final String reason;
  private final long capacityBytes;
  private final long usedBytes;
  private final long objects;
  private final long hits;
  private final long reads;
  private final long singleReadHits;
  private final long writes;
  private final long writtenBytes;
  private final long skippedQueueFull;
  private final long skippedAdmission;
  private final long skippedOther;
  private final long evictions;
  private final long damaged;
  private final long queueDepth;
  private final long queuedBytes;
  private final long scrubbedBlocks;

  private DiskStats(Builder from) {
    path = from.path;
    source = from.source;
    state = from.state;
    reason = from.reason;
    capacityBytes = from.capacityBytes;
    usedBytes = from.usedBytes;
    objects = from.objects;
    hits = from.hits;
    reads = from.reads;
    singleReadHits = from.singleReadHits;
    writes = from.writes;
    writtenBytes = from.writtenBytes;
    skippedQueueFull = from.skippedQueueFull;
    skippedAdmission = from.skippedAdmission;
    skippedOther = from.skippedOther;
    evictions = from.evictions;
    damaged = from.damaged;
    queueDepth = from.queueDepth;
    queuedBytes = from.queuedBytes;
    scrubbedBlocks = from.scrubbedBlocks;
  }

  /**
   * Numbers of the directory of one line, each 0 until it is set.
   *
   * @param path see {@link #path}
   * @param source see {@link #source}
   */
  public static Builder of(String path, String source) {
    return new Builder(path, source);
  }

  /** As configured. */
  public String path() {
    return path;
  }

  /** File:line of the {@code cache_dir}. */
  public String source() {
    return source;
  }

  /** Whether it serves and stores. */
  public State state() {
    return state;
  }

  /** Reason of its state, for the operator; may be empty. */
  public String reason() {
    return reason;
  }

  /** Limit of its size on disk, everything included. */
  public long capacityBytes() {
    return capacityBytes;
  }

  /** Of these, the space of stored responses. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Stored responses. */
  public long objects() {
    return objects;
  }

  /** Loads that found the response. */
  public long hits() {
    return hits;
  }

  /** Reads of the files. */
  public long reads() {
    return reads;
  }

  /** Of the hits, those with a single read. */
  public long singleReadHits() {
    return singleReadHits;
  }

  /** Completely written responses. */
  public long writes() {
    return writes;
  }

  /** Bytes written to the files. */
  public long writtenBytes() {
    return writtenBytes;
  }

  /** Responses not written because {@code loligo_disk_write_queue} was full. */
  public long skippedQueueFull() {
    return skippedQueueFull;
  }

  /** Responses not written because stored ones are worth more. */
  public long skippedAdmission() {
    return skippedAdmission;
  }

  /** Responses not written for other reasons: too slow a disk, no place, a failed write. */
  public long skippedOther() {
    return skippedOther;
  }

  /** Responses dropped for space. */
  public long evictions() {
    return evictions;
  }

  /** Responses dropped because their verification failed. */
  public long damaged() {
    return damaged;
  }

  /** Pending tasks for the disk threads. */
  public long queueDepth() {
    return queueDepth;
  }

  /** Bytes that wait to be written. */
  public long queuedBytes() {
    return queuedBytes;
  }

  /** Blocks verified by the scrubber. */
  public long scrubbedBlocks() {
    return scrubbedBlocks;
  }

  /** Numbers by name. Confined to one thread. */
  public static final class Builder {
    private final String path;
    private final String source;
    private State state = State.OPENING;
    private String reason = "";
    private long capacityBytes;
    private long usedBytes;
    private long objects;
    private long hits;
    private long reads;
    private long singleReadHits;
    private long writes;
    private long writtenBytes;
    private long skippedQueueFull;
    private long skippedAdmission;
    private long skippedOther;
    private long evictions;
    private long damaged;
    private long queueDepth;
    private long queuedBytes;
    private long scrubbedBlocks;

    private Builder(String path, String source) {
      this.path = path;
      this.source = source;
    }

    /** Sets {@link DiskStats#state} and {@link DiskStats#reason}. */
    public Builder state(State current, String why) {
      state = current;
      reason = why;
      return this;
    }

    /** Sets {@link DiskStats#capacityBytes}. */
    public Builder capacityBytes(long number) {
      capacityBytes = number;
      return this;
    }

    /** Sets {@link DiskStats#usedBytes}. */
    public Builder usedBytes(long number) {
      usedBytes = number;
      return this;
    }

    /** Sets {@link DiskStats#objects}. */
    public Builder objects(long number) {
      objects = number;
      return this;
    }

    /** Sets {@link DiskStats#hits}. */
    public Builder hits(long number) {
      hits = number;
      return this;
    }

    /** Sets {@link DiskStats#reads}. */
    public Builder reads(long number) {
      reads = number;
      return this;
    }

    /** Sets {@link DiskStats#singleReadHits}. */
    public Builder singleReadHits(long number) {
      singleReadHits = number;
      return this;
    }

    /** Sets {@link DiskStats#writes}. */
    public Builder writes(long number) {
      writes = number;
      return this;
    }

    /** Sets {@link DiskStats#writtenBytes}. */
    public Builder writtenBytes(long number) {
      writtenBytes = number;
      return this;
    }

    /** Sets {@link DiskStats#skippedQueueFull}. */
    public Builder skippedQueueFull(long number) {
      skippedQueueFull = number;
      return this;
    }

    /** Sets {@link DiskStats#skippedAdmission}. */
    public Builder skippedAdmission(long number) {
      skippedAdmission = number;
      return this;
    }

    /** Sets {@link DiskStats#skippedOther}. */
    public Builder skippedOther(long number) {
      skippedOther = number;
      return this;
    }

    /** Sets {@link DiskStats#evictions}. */
    public Builder evictions(long number) {
      evictions = number;
      return this;
    }

    /** Sets {@link DiskStats#damaged}. */
    public Builder damaged(long number) {
      damaged = number;
      return this;
    }

    /** Sets {@link DiskStats#queueDepth}. */
    public Builder queueDepth(long number) {
      queueDepth = number;
      return this;
    }

    /** Sets {@link DiskStats#queuedBytes}. */
    public Builder queuedBytes(long number) {
      queuedBytes = number;
      return this;
    }

    /** Sets {@link DiskStats#scrubbedBlocks}. */
    public Builder scrubbedBlocks(long number) {
      scrubbedBlocks = number;
      return this;
    }

    public DiskStats build() {
      return new DiskStats(this);
    }
  }

  /** The state of a directory. */
  public enum State {
    /** It is being opened; the responses found so far are served. */
    OPENING,
    /** Serves and stores. */
    READY,
    /** Serves stored responses: {@code no-store}, or writing failed. */
    READ_ONLY,
    /** Neither serves nor stores; the reason says why. */
    OFF
  }
}
