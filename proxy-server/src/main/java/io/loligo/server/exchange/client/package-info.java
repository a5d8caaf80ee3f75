/**
 * The client's side of an exchange in any version of HTTP: its stream, its events, and the head of
 * the response.
 *
 * <p>{@code downstream} implements the streams. Every other subpackage of {@code exchange} may use
 * this one; this one uses none of them. Confined to the event loop of the client's connection.
 */
@NullMarked
package io.loligo.server.exchange.client;

import org.jspecify.annotations.NullMarked;
