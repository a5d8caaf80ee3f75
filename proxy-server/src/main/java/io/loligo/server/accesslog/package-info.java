/**
 * The access log: formats, lines, and the outputs that take them (files, syslog, UDP, TCP,
 * programs).
 *
 * <p>{@code boot} builds an {@link AccessLog} and gives it the records of each loop. A format is
 * immutable. A loop writes its lines into a ring of its own, and one thread of the log takes them
 * from all rings. An output that may block has a queue and a thread of its own.
 */
@NullMarked
package io.loligo.server.accesslog;

import org.jspecify.annotations.NullMarked;
