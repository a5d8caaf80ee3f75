package io.loligo.server.metrics;

import io.loligo.store.disk.DiskStats;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of a {@code cache_dir}, each declared once: its name, its unit, whether it only
 * grows, and its text for the operator. Immutable.
 */
public enum DiskNumber {
  CAPACITY(
      "capacity",
      "bytes",
      false,
      "Limit of the directory's size, index included.",
      DiskStats::capacityBytes),
  USED("used", "bytes", false, "Space of stored responses.", DiskStats::usedBytes),
  OBJECTS("objects", null, false, "Stored responses.", DiskStats::objects),
  HITS("hits", null, true, "Loads that found the response.", DiskStats::hits),
  READS("reads", null, true, "Reads from the directory's files.", DiskStats::reads),
  SINGLE_READ_HITS(
      "single.read.hits",
      null,
      true,
      "Hits with a single read; divide by loligo_disk_hits for their share.",
      DiskStats::singleReadHits),
  WRITES("writes", null, true, "Completely written responses.", DiskStats::writes),
  WRITTEN("written", "bytes", true, "Bytes written to the files.", DiskStats::writtenBytes),
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
      "Responses not written because stored ones are worth more; normal once the disk is full.",
      DiskStats::skippedAdmission),
  SKIPPED_OTHER(
      "skipped.other",
      null,
      true,
      "Responses not written for other reasons; see the log.",
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
      "Responses dropped because their verification failed; check the disk.",
      DiskStats::damaged),
  QUEUE("queue", null, false, "Pending tasks for the disk threads.", DiskStats::queueDepth),
  QUEUED("queued", "bytes", false, "Bytes that wait to be written.", DiskStats::queuedBytes),
  SCRUBBED(
      "scrubbed", "blocks", true, "Blocks verified by the scrubber.", DiskStats::scrubbedBlocks);

  private final String name;
  private final @Nullable String unit;
  private final boolean grows;
  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // an accessor, without state
  private final ToLongFunction<DiskStats> value;

  DiskNumber(
      String name,
      @Nullable String unit,
      boolean grows,
      String text,
      ToLongFunction<DiskStats> value) {
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

  /** Name for JSON and JMX: words joined by underscores, followed by the unit. */
  public String key() {
    return name.replace('.', '_') + (unit == null ? "" : "_" + unit);
  }

  /** Base unit, or null for a plain count. */
  public @Nullable String unit() {
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
