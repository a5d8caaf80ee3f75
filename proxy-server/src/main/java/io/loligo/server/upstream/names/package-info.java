/**
 * Name resolution that never blocks.
 *
 * <p>{@code boot} makes a resolver for each event loop, {@code attempt} asks it. This package knows
 * no other package of {@code upstream}. Everything is confined to one event loop.
 */
@NullMarked
package io.loligo.server.upstream.names;

import org.jspecify.annotations.NullMarked;
