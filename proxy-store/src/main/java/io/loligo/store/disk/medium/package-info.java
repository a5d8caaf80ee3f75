/**
 * The files and threads below the directories, behind {@link Medium}: tests replace them by others
 * that fail or stall. The parts above use it; it uses the format and the map of heads. Thread-safe,
 * except for {@link Marks}, which belongs to one thread at a time.
 */
@NullMarked
package io.loligo.store.disk.medium;

import org.jspecify.annotations.NullMarked;
