package io.loligo.store;

/** Numbers of the store at one moment. Immutable. */
public final class StoreStats {
  private final long entries;
  private final long memoryBytes;
  private final long pinnedBytes;
  private final long memoryLimitBytes;
  private final long insertions;
  private final long evictions;
  private final long evictedBytes;
  private final long weighedBytes;
  private final long weighableBytes;
  private final long rejections;
  private final long copies;
  private final long copyBytes;
  private final long inFlight;
  private final long transitBytes;
  private final long transitLimitBytes;

  private StoreStats(Builder from) {
    entries = from.entries;
    memoryBytes = from.memoryBytes;
    pinnedBytes = from.pinnedBytes;
    memoryLimitBytes = from.memoryLimitBytes;
    insertions = from.insertions;
    evictions = from.evictions;
    evictedBytes = from.evictedBytes;
    weighedBytes = from.weighedBytes;
    weighableBytes = from.weighableBytes;
    rejections = from.rejections;
    copies = from.copies;
    copyBytes = from.copyBytes;
    inFlight = from.inFlight;
    transitBytes = from.transitBytes;
    transitLimitBytes = from.transitLimitBytes;
  }

  /** Numbers that are 0 until they are set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Stored responses in memory. */
  public long entries() {
    return entries;
  }

  /** Direct memory of stored responses, including dropped ones that are still being read. */
  public long memoryBytes() {
    return memoryBytes;
  }

  /** Of these, dropped ones that are still being read. */
  public long pinnedBytes() {
    return pinnedBytes;
  }

  /** {@code cache_mem}. */
  public long memoryLimitBytes() {
    return memoryLimitBytes;
  }

  /** Responses that entered memory. */
  public long insertions() {
    return insertions;
  }

  /** Responses dropped for space. */
  public long evictions() {
    return evictions;
  }

  /** Direct memory of responses dropped for space. */
  public long evictedBytes() {
    return evictedBytes;
  }

  /**
   * The weight of stored responses, their heap included, and of those that are still being read.
   */
  public long weighedBytes() {
    return weighedBytes;
  }

  /** The weight from which a response is dropped for a new one. */
  public long weighableBytes() {
    return weighableBytes;
  }

  /** Responses not stored for lack of room or because of their size. */
  public long rejections() {
    return rejections;
  }

  /** Of the stored responses, copies of those of other nodes of a cluster. */
  public long copies() {
    return copies;
  }

  /** Direct memory of {@link #copies}. */
  public long copyBytes() {
    return copyBytes;
  }

  /** Fetches in progress. */
  public long inFlight() {
    return inFlight;
  }

  /** Direct memory used by or reserved for fetches in progress. */
  public long transitBytes() {
    return transitBytes;
  }

  /** The in-transit budget. */
  public long transitLimitBytes() {
    return transitLimitBytes;
  }

  /** Collects the numbers. Confined to one thread. */
  public static final class Builder {
    private long entries;
    private long memoryBytes;
    private long pinnedBytes;
    private long memoryLimitBytes;
    private long insertions;
    private long evictions;
    private long evictedBytes;
    private long weighedBytes;
    private long weighableBytes;
    private long rejections;
    private long copies;
    private long copyBytes;
    private long inFlight;
    private long transitBytes;
    private long transitLimitBytes;

    private Builder() {}

    /** See {@link StoreStats#entries}. */
    public Builder entries(long entries) {
      this.entries = entries;
      return this;
    }

    /** See {@link StoreStats#memoryBytes}. */
    public Builder memoryBytes(long memoryBytes) {
      this.memoryBytes = memoryBytes;
      return this;
    }

    /** See {@link StoreStats#pinnedBytes}. */
    public Builder pinnedBytes(long pinnedBytes) {
      this.pinnedBytes = pinnedBytes;
      return this;
    }

    /** See {@link StoreStats#memoryLimitBytes}. */
    public Builder memoryLimitBytes(long memoryLimitBytes) {
      this.memoryLimitBytes = memoryLimitBytes;
      return this;
    }

    /** See {@link StoreStats#insertions}. */
    public Builder insertions(long insertions) {
      this.insertions = insertions;
      return this;
    }

    /** See {@link StoreStats#evictions}. */
    public Builder evictions(long evictions) {
      this.evictions = evictions;
      return this;
    }

    /** See {@link StoreStats#evictedBytes}. */
    public Builder evictedBytes(long evictedBytes) {
      this.evictedBytes = evictedBytes;
      return this;
    }

    /** See {@link StoreStats#weighedBytes}. */
    public Builder weighedBytes(long weighedBytes) {
      this.weighedBytes = weighedBytes;
      return this;
    }

    /** See {@link StoreStats#weighableBytes}. */
    public Builder weighableBytes(long weighableBytes) {
      this.weighableBytes = weighableBytes;
      return this;
    }

    /** See {@link StoreStats#rejections}. */
    public Builder rejections(long rejections) {
      this.rejections = rejections;
      return this;
    }

    /** See {@link StoreStats#copies}. */
    public Builder copies(long number) {
      this.copies = number;
      return this;
    }

    /** See {@link StoreStats#copyBytes}. */
    public Builder copyBytes(long bytes) {
      this.copyBytes = bytes;
      return this;
    }

    /** See {@link StoreStats#inFlight}. */
    public Builder inFlight(long inFlight) {
      this.inFlight = inFlight;
      return this;
    }

    /** See {@link StoreStats#transitBytes}. */
    public Builder transitBytes(long transitBytes) {
      this.transitBytes = transitBytes;
      return this;
    }

    /** See {@link StoreStats#transitLimitBytes}. */
    public Builder transitLimitBytes(long transitLimitBytes) {
      this.transitLimitBytes = transitLimitBytes;
      return this;
    }

    /** The values set so far. */
    public StoreStats build() {
      return new StoreStats(this);
    }
  }
}
