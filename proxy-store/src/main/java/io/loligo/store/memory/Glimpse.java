package io.loligo.store.memory;

import io.loligo.core.caching.StoredMeta;

/**
 * A stored response as somebody sees it who only looks: nothing is counted, promoted or held.
 * Immutable.
 *
 * @param meta what decisions read
 * @param fields its field lines and the empty line, a copy; not to be changed
 * @param onDisk whether this copy of it is in a {@code cache_dir}; else in memory
 * @param bytes memory it keeps; on disk octets of its first block
 * @param hits times it was served from there, roughly
 */
public record Glimpse(StoredMeta meta, byte[] fields, boolean onDisk, long bytes, int hits) {}
