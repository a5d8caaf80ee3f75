/**
 * Requests on their walk along the hops: addresses, kept connections, dialling, one retry.
 *
 * <p>{@code boot} makes a {@code NettyUpstream} for each event loop, and everyone else sees it as
 * {@code Upstream}. This package puts {@code names}, {@code connect}, {@code pool} and {@code
 * http1} together. Everything is confined to one event loop.
 */
package io.loligo.server.upstream.attempt;
