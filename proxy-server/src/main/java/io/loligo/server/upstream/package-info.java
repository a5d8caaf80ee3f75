/**
 * The way to origins and parents: the contracts.
 *
 * <p>{@code connect} opens connections, {@code names} resolves hosts, {@code http1} speaks on one
 * connection, {@code fetch} puts them together and keeps idle connections.
 */
package io.loligo.server.upstream;
