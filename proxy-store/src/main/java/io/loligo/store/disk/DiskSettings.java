package io.loligo.store.disk;

import io.loligo.core.config.ProxyConfig;
import java.util.List;

/** The part of one configuration for the tier on disk. Immutable. */
public final class DiskSettings {
  /** Memory only. */
  public static final DiskSettings NONE = with(List.of()).build();

  private final List<CacheDir> dirs;
  private final long meanObjectBytes;
  private final int threads;
  private final long writeQueueBytes;
  private final long loadTimeoutMillis;
  private final long openWaitMillis;
  private final boolean onSecondRequest;

  private DiskSettings(Builder from) {
    dirs = from.dirs;
    meanObjectBytes = from.meanObjectBytes;
    threads = from.threads;
    writeQueueBytes = from.writeQueueBytes;
    loadTimeoutMillis = from.loadTimeoutMillis;
    openWaitMillis = from.openWaitMillis;
    onSecondRequest = from.onSecondRequest;
  }

  /** The settings of {@code config}. */
  public static DiskSettings of(ProxyConfig config) {
    CacheDirs lines = config.get(DiskDirectives.CACHE_DIR);
    return with(lines.dirs())
        .meanObjectBytes(config.get(DiskDirectives.STORE_AVG_OBJECT_SIZE))
        .threads(config.get(DiskDirectives.DISK_THREADS))
        .writeQueueBytes(config.get(DiskDirectives.DISK_WRITE_QUEUE))
        .loadTimeoutMillis(lines.loadTimeoutMillis())
        .openWaitMillis(config.get(DiskDirectives.CACHE_DIR_WAIT))
        .onSecondRequest(config.get(DiskDirectives.CACHE_DIR_SECOND_REQUEST))
        .build();
  }

  /** Directories {@code dirs} with the defaults of the directives. */
  public static Builder with(List<CacheDir> dirs) {
    return new Builder(dirs);
  }

  /** The greatest {@code max-size=} of a directory in {@code config}, in bytes; 0 without one. */
  public static long largestMaxSize(ProxyConfig config) {
    return config.get(DiskDirectives.CACHE_DIR).largestMaxSize();
  }

  /** In the order of the lines; empty: memory only. */
  public List<CacheDir> dirs() {
    return dirs;
  }

  /** {@code store_avg_object_size}: a directory has records for its size divided by this. */
  public long meanObjectBytes() {
    return meanObjectBytes;
  }

  /** {@code loligo_disk_threads}, 2 to 8, for each directory. */
  public int threads() {
    return threads;
  }

  /**
   * {@code loligo_disk_write_queue}: most bytes that wait to be written. Responses beyond it are
   * not written.
   */
  public long writeQueueBytes() {
    return writeQueueBytes;
  }

  /**
   * A request that waits longer for the disk continues as a miss; 0: it waits as long as it takes.
   */
  public long loadTimeoutMillis() {
    return loadTimeoutMillis;
  }

  /**
   * {@code loligo_cache_dir_wait}: how long after the start requests wait for a directory that is
   * being opened.
   */
  public long openWaitMillis() {
    return openWaitMillis;
  }

  /**
   * {@code loligo_cache_dir_second_request}: whether a response is written only when it is
   * requested again.
   */
  public boolean onSecondRequest() {
    return onSecondRequest;
  }

  /** Settings by name. Confined to one thread. */
  public static final class Builder {
    private final List<CacheDir> dirs;
    private long meanObjectBytes = 13 << 10;
    private int threads = 4;
    private long writeQueueBytes = 32 << 20;
    private long loadTimeoutMillis = CacheDirs.LOAD_TIMEOUT_MILLIS;
    private long openWaitMillis = 5_000;
    private boolean onSecondRequest;

    private Builder(List<CacheDir> dirs) {
      this.dirs = List.copyOf(dirs);
    }

    /** Sets {@link DiskSettings#meanObjectBytes}. */
    public Builder meanObjectBytes(long value) {
      meanObjectBytes = value;
      return this;
    }

    /** Sets {@link DiskSettings#threads}. */
    public Builder threads(int value) {
      threads = value;
      return this;
    }

    /** Sets {@link DiskSettings#writeQueueBytes}. */
    public Builder writeQueueBytes(long value) {
      writeQueueBytes = value;
      return this;
    }

    /** Sets {@link DiskSettings#loadTimeoutMillis}. */
    public Builder loadTimeoutMillis(long value) {
      loadTimeoutMillis = value;
      return this;
    }

    /** Sets {@link DiskSettings#openWaitMillis}. */
    public Builder openWaitMillis(long value) {
      openWaitMillis = value;
      return this;
    }

    /** Sets {@link DiskSettings#onSecondRequest}. */
    public Builder onSecondRequest(boolean value) {
      onSecondRequest = value;
      return this;
    }

    public DiskSettings build() {
      return new DiskSettings(this);
    }
  }
}
