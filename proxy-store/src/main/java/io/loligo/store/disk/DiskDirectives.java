package io.loligo.store.disk;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of the disk tier. */
public final class DiskDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Disk");

  /** {@code cache_dir}: the directories. */
  public static final Setting<CacheDirs> CACHE_DIR =
      FEATURE
          .lines(
              "cache_dir",
              "ufs|aufs|diskd PATH MBYTES L1 L2 [OPTION...], rock PATH MBYTES [OPTION...] or"
                  + " null",
              CacheDirLines::new)
          .difference(
              "every type is the same store, in a few large files: L1 and L2 must be"
                  + " there and are ignored; MBYTES is a hard limit on all files; null is memory"
                  + " only; the same PATH twice is an error; coss stops the start and names the"
                  + " line to write instead")
          .text(
              "A directory that keeps responses on disk. Without a line there is memory"
                  + " only. Several lines share the load by free space, and by size once they"
                  + " are full. Options: min-size=BYTES, max-size=BYTES (the defaults are"
                  + " minimum_object_size and maximum_object_size), no-store (nothing is added),"
                  + " and for rock swap-timeout=MILLISECONDS: a request that waits longer for"
                  + " the disk continues as a miss, and the response to an unsafe request is"
                  + " sent before the disk has confirmed the invalidation (2000 without it, 0:"
                  + " no limit; the longest of all lines holds). slot-size= and max-swap-rate="
                  + " are read and ignored. A reload adds, removes and resizes directories; a"
                  + " larger one keeps its content, and a smaller one begins empty.");

  /** {@code store_avg_object_size}: bytes. */
  public static final Setting<Long> STORE_AVG_OBJECT_SIZE =
      FEATURE
          .bytes("store_avg_object_size", "13 KB")
          .range(256, 1L << 30)
          .difference(
              "determines how many responses a cache_dir can hold: its size divided by" + " this")
          .text(
              "The mean size of stored responses. If the value is too large, the index of"
                  + " a cache_dir is full before its space. If it is too small, the index wastes"
                  + " space. A reload closes and opens each cache_dir; with a smaller value its"
                  + " content stays, and with a larger one it begins empty.");

  /** {@code loligo_disk_threads}: threads for each directory. */
  public static final Setting<Integer> DISK_THREADS =
      FEATURE
          .number("loligo_disk_threads", "4")
          .range(2, 8)
          .text(
              "Threads that read and write each cache_dir. A reload closes and opens each of"
                  + " them; the content stays.");

  /** {@code loligo_disk_write_queue}: bytes. */
  public static final Setting<Long> DISK_WRITE_QUEUE =
      FEATURE
          .bytes("loligo_disk_write_queue", "32 MB")
          .range(1 << 20, 1L << 30)
          .text(
              "Most bytes of responses that wait to be written to a cache_dir. While the queue is"
                  + " full, further responses are not written to disk, and counted. A reload closes"
                  + " and opens each cache_dir; the content stays.");

  /** {@code loligo_cache_dir_wait}: milliseconds. */
  public static final Setting<Long> CACHE_DIR_WAIT =
      FEATURE
          .millis("loligo_cache_dir_wait", "5 seconds")
          .text(
              "How long after the start requests wait for a cache_dir that is being opened. A"
                  + " request waits only until its own response is known there. After this time"
                  + " requests go to the origin until the directory is ready. 0: requests never"
                  + " wait. A reload changes it for directories that are opened later.");

  /**
   * {@code loligo_cache_dir_second_request}: whether a response is written on the second request
   * only.
   */
  public static final Setting<Boolean> CACHE_DIR_SECOND_REQUEST =
      FEATURE
          .flag("loligo_cache_dir_second_request", "off")
          .text(
              "on: a response is written to a cache_dir only when its URL is requested"
                  + " for the second time within a while. Most URLs are requested once, so this"
                  + " saves writes and leaves the space to the others. Memory keeps the first"
                  + " response as usual; a hit in memory counts as the second request. A"
                  + " reload closes and opens each cache_dir; the content stays.");

  private DiskDirectives() {}
}
