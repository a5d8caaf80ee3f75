package io.loligo.store.disk;

/**
 * Numbers of one {@code cache_dir} at one moment. Counts grow from the start of the process; sizes
 * are bytes.
 *
 * @param path as configured
 * @param source file:line of the {@code cache_dir}
 * @param reason reason of its state, for the operator; may be empty
 * @param capacityBytes limit of its size on disk, everything included
 * @param usedBytes of these, the space of stored responses
 * @param objects stored responses
 * @param hits loads that found the response
 * @param reads reads of the files
 * @param singleReadHits of the hits, those with a single read
 * @param writes completely written responses
 * @param writtenBytes bytes written to the files
 * @param skippedQueueFull responses not written because {@code loligo_disk_write_queue} was full
 * @param skippedAdmission responses not written because stored ones are worth more
 * @param skippedOther responses not written for other reasons: too slow a disk, no place, a failed
 *     write
 * @param evictions responses dropped for space
 * @param damaged responses dropped because their verification failed
 * @param queueDepth pending tasks for the disk threads
 * @param queuedBytes bytes that wait to be written
 * @param scrubbedBlocks blocks verified by the scrubber
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
