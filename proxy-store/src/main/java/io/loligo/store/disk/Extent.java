package io.loligo.store.disk;

import io.loligo.store.admission.Lane;

/**
 * Room given out in a segment, pinned until {@link Catalogue#unpin}.
 *
 * @param place where it starts
 * @param bytes its octets
 * @param generation the segment's life
 * @param opens whether the segment was opened for it: its header is to be written first
 */
record Extent(long place, int bytes, long generation, Lane lane, boolean opens) {}
