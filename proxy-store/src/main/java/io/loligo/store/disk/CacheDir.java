package io.loligo.store.disk;

/**
 * One cache_dir line.
 *
 * @param type as written: ufs, aufs, diskd or rock; all are the same here
 * @param maxBytes bytes of disk it may use, everything included
 * @param minObjectBytes {@code min-size=}, else {@code minimum_object_size}: smaller content is not
 *     written
 * @param maxObjectBytes {@code max-size=}, else {@code maximum_object_size}; -1: none
 * @param readOnly {@code no-store} or {@code read-only}: stored responses are served, none is added
 * @param source file:line
 */
public record CacheDir(
    String type,
    String path,
    long maxBytes,
    long minObjectBytes,
    long maxObjectBytes,
    boolean readOnly,
    String source) {}
