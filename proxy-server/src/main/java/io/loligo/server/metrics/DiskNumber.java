package io.loligo.server.metrics;

import io.loligo.store.disk.DiskStats;
import java.util.function.ToLongFunction;

/**
 * The numbers of a {@code cache_dir}, each declared once: its name, its unit, whether it only
 * grows, and what an operator needs to know. Immutable.
 */
public enum DiskNumber {
  CAPACITY(
      "capacity",
      "bytes",
      false,
      "What the directory may use of its disk, its index included.",
      DiskStats::capacityBytes),
  USED("used", "bytes", false, "What stored responses occupy.", DiskStats::usedBytes),
  OBJECTS("objects", null, false, "Stored responses.", DiskStats::objects),
  HITS("hits", null, true, "Loads that found their response.", DiskStats::hits),
  READS("reads", null, true, "Reads of the directory's files.", DiskStats::reads),
  SINGLE_READ_HITS(
      "single.read.hits",
      null,
      true,
      "Hits that took one read; over loligo_disk_hits the share of them.",
      DiskStats::singleReadHits),
  WRITES("writes", null, true, "Responses written whole.", DiskStats::writes),
  WRITTEN("written", "bytes", true, "Octets written to the files.", DiskStats::writtenBytes),
  SKIPPED_QUEUE_FULL(
      "skipped.queue.full",
      null,
      true,
      "Responses not written because the queue was full; raise loligo_disk_write_queue, or the disk"
          + " is too slow.",
      DiskStats::skippedQueueFull),
  SKIPPED_ADMISSION(
      "skipped.admission",
      null,
      true,
      "Responses not written because others deserve the space more; normal once the disk is full.",
      DiskStats::skippedAdmission),
  SKIPPED_OTHER(
      "skipped.other",
      null,
      true,
      "Responses not written for other reasons; the log says which.",
      DiskStats::skippedOther),
  EVICTIONS(
      "evictions",
      null,
      true,
      "Responses dropped for space; normal once the disk is full.",
      DiskStats::evictions),
  DAMAGED(
      "damaged",
      null,
      true,
      "Responses dropped because they did not pass verification; the disk deserves a look.",
      DiskStats::damaged),
  QUEUE("queue", null, false, "Tasks that wait for a disk thread.", DiskStats::queueDepth),
  QUEUED("queued", "bytes", false, "Octets that wait to be written.", DiskStats::queuedBytes),
  SCRUBBED("scrubbed", "blocks", true, "Blocks the scrubber verified.", DiskStats::scrubbedBlocks);

  private final String name;
  private final String unit;
  private final boolean grows;
  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // an accessor, without state
  private final ToLongFunction<DiskStats> value;

  DiskNumber(
      String name, String unit, boolean grows, String text, ToLongFunction<DiskStats> value) {
    this.name = name;
    this.unit = unit;
    this.grows = grows;
    this.text = text;
    this.value = value;
  }

  /** Name in Micrometer's spelling. */
  public String meter() {
    return "loligo.disk." + name;
  }

  /** Name for JSON and JMX: words joined by underscores, the unit behind. */
  public String key() {
    return name.replace('.', '_') + (unit == null ? "" : "_" + unit);
  }

  /** Base unit, or null for a plain count. */
  public String unit() {
    return unit;
  }

  /** Whether it only grows. */
  public boolean grows() {
    return grows;
  }

  /** For the operator. */
  public String text() {
    return text;
  }

  /** The number itself. */
  public long of(DiskStats stats) {
    return value.applyAsLong(stats);
  }
}
