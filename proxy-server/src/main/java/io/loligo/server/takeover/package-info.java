/**
 * The change from one process of the proxy to the next without a gap: the conversation in which the
 * process in service gives its listening sockets and its store to a successor (ADR 40).
 *
 * <p>{@code boot} implements {@link io.loligo.server.takeover.Incumbent} and uses both ends; {@code
 * cli} asks a running process to start its successor. A {@link
 * io.loligo.server.takeover.TakeoverSocket} has a thread of its own; a {@link
 * io.loligo.server.takeover.Takeover} blocks its caller.
 */
@NullMarked
package io.loligo.server.takeover;

import org.jspecify.annotations.NullMarked;
