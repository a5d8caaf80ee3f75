/**
 * Squid's helper programs: child processes that answer one line with one line. {@link Helper} is
 * one program with its children and its queue; {@link Helpers} are all programs of a configuration.
 *
 * <p>A feature declares a {@link HelperProgram}, and asks its {@link Helper}. The exchange depends
 * on this package; it depends on no other package of the server.
 *
 * <p>An {@link InsideProgram} runs in the place of child processes.
 *
 * <p>Threads: asking never blocks. Each running child has three threads, which block on its pipes,
 * or one thread inside the proxy. Answers arrive on the executor that the asking part names, which
 * is the event loop of a request.
 */
@NullMarked
package io.loligo.server.helper;

import org.jspecify.annotations.NullMarked;
