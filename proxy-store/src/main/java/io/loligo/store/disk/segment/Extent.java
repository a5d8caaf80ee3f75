package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;

/**
 * Whole pages allocated in a stream segment, pinned until {@link Segments#unpin}.
 *
 * @param place where it starts
 * @param bytes allocated
 * @param generation the segment's life
 */
public record Extent(long place, int bytes, long generation, Lane lane) {}
