package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.server.record.LogTag;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a finished request. Immutable.
 *
 * @param endMillis wall clock when its response was complete
 * @param method its name, or the empty string for an unknown one
 * @param status sent
 * @param serverStatus received from the next hop; 0: no request was sent
 * @param tag as in the access log
 * @param decision null if none was made
 * @param micros from its head to the end of its response; -1: not measured
 * @param collapsed whether it shared the fetch of another exchange
 * @param fromDisk whether a disk was read for it
 * @param aborted whether it was cut
 * @param notStored why the response of the next hop was not stored; null if it was, or no request
 *     was sent
 */
public record PastDecision(
    long endMillis,
    String method,
    int status,
    int serverStatus,
    LogTag tag,
    @Nullable CacheDecision decision,
    long micros,
    boolean collapsed,
    boolean fromDisk,
    boolean aborted,
    @Nullable String notStored) {}
