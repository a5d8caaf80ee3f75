/**
 * Asking peers which of them has a response, before a request is sent anywhere: rounds of queries,
 * the time that is waited for replies, and what is known of each peer. The protocols are packages
 * of their own and implement {@link io.loligo.server.peer.ask.QueryProtocol}.
 *
 * <p>{@code boot} makes one {@link io.loligo.server.peer.ask.Asker} for the process. It works on
 * one event loop; other loops hand their questions over.
 */
@NullMarked
package io.loligo.server.peer.ask;

import org.jspecify.annotations.NullMarked;
