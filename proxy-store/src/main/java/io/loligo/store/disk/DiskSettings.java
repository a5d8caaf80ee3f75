package io.loligo.store.disk;

import io.loligo.core.config.ProxyConfig;
import java.util.List;

/**
 * The tier on disk.
 *
 * @param dirs empty: memory only
 * @param meanObjectBytes {@code store_avg_object_size}: a directory has records for its size
 *     divided by this
 * @param threads {@code loligo_disk_threads}, 2 to 8, for each directory
 * @param writeQueueBytes {@code loligo_disk_write_queue}: most bytes that wait to be written;
 *     responses beyond it are not written
 * @param loadTimeoutMillis a request that waits longer for the disk continues as a miss; 0: it
 *     waits as long as it takes
 * @param openWaitMillis {@code loligo_cache_dir_wait}: how long after the start requests wait for a
 *     directory that is being opened
 * @param onSecondRequest {@code loligo_cache_dir_second_request}: whether a response is written
 *     only when it is requested again
 */
public record DiskSettings(
    List<CacheDir> dirs,
    long meanObjectBytes,
    int threads,
    long writeQueueBytes,
    long loadTimeoutMillis,
    long openWaitMillis,
    boolean onSecondRequest) {
  private static final long OPEN_WAIT_MILLIS = 5_000;

  /** The settings of {@code config}. */
  public static DiskSettings of(ProxyConfig config) {
    CacheDirs lines = config.get(DiskDirectives.CACHE_DIR);
    return new DiskSettings(
        lines.dirs(),
        config.get(DiskDirectives.STORE_AVG_OBJECT_SIZE),
        config.get(DiskDirectives.DISK_THREADS),
        config.get(DiskDirectives.DISK_WRITE_QUEUE),
        lines.loadTimeoutMillis(),
        config.get(DiskDirectives.CACHE_DIR_WAIT),
        config.get(DiskDirectives.CACHE_DIR_SECOND_REQUEST));
  }

  /** The greatest {@code max-size=} of a directory in {@code config}, in bytes; 0 without one. */
  public static long largestMaxSize(ProxyConfig config) {
    return config.get(DiskDirectives.CACHE_DIR).largestMaxSize();
  }

  /** Memory only. */
  public static final DiskSettings NONE = new DiskSettings(List.of(), 13 << 10, 4, 32 << 20);

  /** With the usual time-out. */
  public DiskSettings(
      List<CacheDir> dirs, long meanObjectBytes, int threads, long writeQueueBytes) {
    this(dirs, meanObjectBytes, threads, writeQueueBytes, CacheDirs.LOAD_TIMEOUT_MILLIS);
  }

  /** With the usual wait for directories that are being opened. */
  public DiskSettings(
      List<CacheDir> dirs,
      long meanObjectBytes,
      int threads,
      long writeQueueBytes,
      long loadTimeoutMillis) {
    this(
        dirs,
        meanObjectBytes,
        threads,
        writeQueueBytes,
        loadTimeoutMillis,
        OPEN_WAIT_MILLIS,
        false);
  }
}
