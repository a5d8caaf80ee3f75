/**
 * The health of parents, for the whole process.
 *
 * <p>{@code upstream} reads and feeds it through {@code HopHealth}; {@code boot} makes it. Every
 * class is thread-safe.
 */
@NullMarked
package io.loligo.server.peer;

import org.jspecify.annotations.NullMarked;
