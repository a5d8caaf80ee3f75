/**
 * A run of the proxy from which a JVM learns its classes and methods, for the archive beside the
 * jar. Client and origin are in this process; the proxy is a child process, which knows nothing of
 * it. Only {@code cli} uses it, for one command. Threads of its own, with blocking sockets.
 */
@NullMarked
package io.loligo.server.training;

import org.jspecify.annotations.NullMarked;
