/**
 * Requests along their hops: addresses, kept connections, dialling, one retry.
 *
 * <p>{@code boot} makes a {@code NettyUpstream} for each event loop, and all other code sees it as
 * {@code Upstream}. This package combines {@code names}, {@code connect}, {@code pool}, {@code
 * http1} and {@code http2}. Everything is confined to one event loop.
 */
@NullMarked
package io.loligo.server.upstream.attempt;

import org.jspecify.annotations.NullMarked;
