package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;

/**
 * Whole pages given out in a stream segment, pinned until {@link Segments#unpin}.
 *
 * @param place where it starts
 * @param bytes given out
 * @param generation the segment's life
 */
public record Extent(long place, int bytes, long generation, Lane lane) {}
