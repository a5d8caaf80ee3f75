package io.loligo.store;

/**
 * Numbers of the store at one moment.
 *
 * @param entries stored responses in memory
 * @param memoryBytes direct memory of stored responses, including dropped ones that are still being
 *     read
 * @param pinnedBytes of these, dropped ones that are still being read
 * @param memoryLimitBytes {@code cache_mem}
 * @param insertions responses that entered memory
 * @param evictions responses dropped for space
 * @param rejections responses not stored for lack of room or because of their size
 * @param inFlight fetches in progress
 * @param transitBytes direct memory used by or reserved for fetches in progress
 * @param transitLimitBytes the in-transit budget
 */
public record StoreStats(
    long entries,
    long memoryBytes,
    long pinnedBytes,
    long memoryLimitBytes,
    long insertions,
    long evictions,
    long rejections,
    long inFlight,
    long transitBytes,
    long transitLimitBytes) {}
