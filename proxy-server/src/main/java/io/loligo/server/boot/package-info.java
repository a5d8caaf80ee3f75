/**
 * The process: reads the configuration, fits the memory, wires all other packages, and starts,
 * reloads and ends the proxy.
 *
 * <p>It uses every package; none uses it.
 */
@NullMarked
package io.loligo.server.boot;

import org.jspecify.annotations.NullMarked;
