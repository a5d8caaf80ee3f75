package io.loligo.store.disk;

/**
 * Numbers of one {@code cache_dir} at one moment. Counts grow from the start of the process; sizes
 * are bytes.
 *
 * @param path as configured
 * @param source file:line of the {@code cache_dir}
 * @param reason why it is in this state, for the operator; empty where there is nothing to say
 * @param capacityBytes what it may use of the disk, map and everything included
 * @param usedBytes of these, what stored responses occupy
 * @param objects stored responses
 * @param hits loads that found their response
 * @param reads reads of the files
 * @param singleReadHits of the hits, those that took one read
 * @param writes responses written whole
 * @param writtenBytes bytes written to the files
 * @param skippedQueueFull responses not written because {@code loligo_disk_write_queue} was full
 * @param skippedAdmission responses not written because others deserve the space more
 * @param skippedOther responses not written for other reasons: too slow a disk, no place, a failed
 *     write
 * @param evictions responses dropped for space
 * @param damaged responses dropped because they did not pass verification
 * @param queueDepth tasks that wait for a disk thread
 * @param queuedBytes bytes that wait to be written
 * @param scrubbedBlocks blocks the scrubber verified
 */
public record DiskStats(
    String path,
    String source,
    State state,
    String reason,
    long capacityBytes,
    long usedBytes,
    long objects,
    long hits,
    long reads,
    long singleReadHits,
    long writes,
    long writtenBytes,
    long skippedQueueFull,
    long skippedAdmission,
    long skippedOther,
    long evictions,
    long damaged,
    long queueDepth,
    long queuedBytes,
    long scrubbedBlocks) {

  /** What a directory does. */
  public enum State {
    /** What it holds is being looked through; what is found so far is served. */
    OPENING,
    /** Serves and stores. */
    READY,
    /** Serves what is there: {@code no-store}, or writing failed. */
    READ_ONLY,
    /** Neither; the reason says why. */
    OFF
  }
}
