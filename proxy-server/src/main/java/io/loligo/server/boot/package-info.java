/**
 * The process: reads the configuration, fits the memory, wires all other packages, and starts,
 * reloads and ends the proxy.
 *
 * <p>{@link Proxy} wires the {@link Part}s of the process, which open in one order and close in the
 * reverse one. {@link ConfigChange} puts another configuration in force.
 *
 * <p>It uses every package but {@code cli}, which alone uses it. Its types are for any thread but
 * event loops; {@link Loop} is confined to its own.
 */
@NullMarked
package io.loligo.server.boot;

import org.jspecify.annotations.NullMarked;
