/**
 * HTCP (RFC 2756) in the form that Squid speaks: messages, and the port that answers them.
 *
 * <p>{@code boot} opens the port and answers its questions by {@code HtcpDesk}. Messages are
 * immutable; the port is confined to one event loop.
 */
@NullMarked
package io.loligo.server.peer.htcp;

import org.jspecify.annotations.NullMarked;
