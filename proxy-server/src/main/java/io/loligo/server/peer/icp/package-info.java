/**
 * The Internet Cache Protocol, version 2 (RFC 2186, RFC 2187): queries to peers, and answers to
 * theirs. Everything works on the event loop of the {@link io.loligo.server.peer.ask.Asker}.
 */
@NullMarked
package io.loligo.server.peer.icp;

import org.jspecify.annotations.NullMarked;
