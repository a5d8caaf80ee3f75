/**
 * The login of a request: who its user is, and how the client is asked for that.
 *
 * <p>{@code admission} uses this package, and this package uses {@code server.login}, which checks
 * passwords. Confined to the event loop of the client.
 */
@NullMarked
package io.loligo.server.exchange.login;

import org.jspecify.annotations.NullMarked;
