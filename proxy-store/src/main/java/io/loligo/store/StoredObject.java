package io.loligo.store;

import io.loligo.core.caching.StoredMeta;

/**
 * A response in memory, for operators. Immutable.
 *
 * @param url its key: the URL, and what belongs to the key besides
 * @param high first 64 bits of the key's hash
 * @param low last 64 bits of it
 * @param meta its facts
 * @param bytes of direct memory
 * @param onDisk whether a {@code cache_dir} has it too
 */
public record StoredObject(
    String url, long high, long low, StoredMeta meta, long bytes, boolean onDisk) {}
