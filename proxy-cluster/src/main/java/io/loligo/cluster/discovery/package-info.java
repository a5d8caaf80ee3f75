/**
 * The addresses at which members are sought: those of a line, of a name, or of a file.
 *
 * <p>{@link io.loligo.cluster.discovery.Discovery} asks on a thread of its own.
 */
@NullMarked
package io.loligo.cluster.discovery;

import org.jspecify.annotations.NullMarked;
