/**
 * Requests of all usual kinds, from which a JVM learns the classes and methods of the proxy. For
 * the archive beside the jar, the proxy is a child process, which knows nothing of it: only {@code
 * cli} uses that, for one command. For the rehearsal of {@code boot}, it is in this process.
 * Threads of its own, with blocking sockets.
 */
@NullMarked
package io.loligo.server.training;

import org.jspecify.annotations.NullMarked;
