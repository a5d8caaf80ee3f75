package io.loligo.store;

/**
 * Numbers of the store at one moment.
 *
 * @param entries stored responses in memory
 * @param memoryBytes direct memory they occupy, those dropped and still being read included
 * @param pinnedBytes of these, dropped ones that are still being read
 * @param memoryLimitBytes {@code cache_mem}
 * @param insertions responses that entered memory
 * @param evictions responses dropped for space
 * @param rejections responses that were not stored for lack of room or for their size
 * @param inFlight fetches under way
 * @param transitBytes direct memory held by or set aside for fetches under way
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
