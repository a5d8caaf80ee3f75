package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.server.record.LogTag;

/**
 * What was done for a request that is over. Immutable.
 *
 * @param endMillis wall clock when its answer was complete
 * @param method its name, or the empty string for one we have no name for
 * @param status sent
 * @param serverStatus received from the next hop; 0: nobody was asked
 * @param tag as in the access log
 * @param decision null where none was made
 * @param micros from its head to the end of its answer; -1: not measured
 * @param collapsed whether it read along with another's fetch
 * @param fromDisk whether a disk was read for it
 * @param aborted whether it was cut
 * @param notStored why what the next hop answered was not stored; null where it was, or nobody
 *     asked
 */
public record PastDecision(
    long endMillis,
    String method,
    int status,
    int serverStatus,
    LogTag tag,
    CacheDecision decision,
    long micros,
    boolean collapsed,
    boolean fromDisk,
    boolean aborted,
    String notStored) {}
