package io.loligo.store;

/**
 * Numbers of the store at one moment.
 *
 * @param entries stored responses in memory
 * @param memoryBytes direct memory they occupy
 * @param memoryLimitBytes {@code cache_mem}
 * @param insertions responses that entered memory
 * @param evictions responses dropped for space
 * @param rejections responses that admission refused
 * @param inFlight fetches under way
 * @param transitBytes direct memory held by fetches under way
 * @param transitLimitBytes the in-transit budget
 */
public record StoreStats(
    long entries,
    long memoryBytes,
    long memoryLimitBytes,
    long insertions,
    long evictions,
    long rejections,
    long inFlight,
    long transitBytes,
    long transitLimitBytes) {}
