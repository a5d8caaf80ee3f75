/**
 * The way to origins and parents: the contracts.
 *
 * <p>{@code exchange} asks {@code route} for hops, and {@code Upstream} for a request to them.
 * {@code attempt} tries the hops; {@code names} resolves their hosts, {@code pool} has kept
 * connections, {@code connect} opens new ones, and {@code http1} speaks on them. Types of this
 * package know none of the packages below it. All calls are made on the event loop; only {@code
 * HopHealth} is called on any.
 */
@NullMarked
package io.loligo.server.upstream;

import org.jspecify.annotations.NullMarked;
