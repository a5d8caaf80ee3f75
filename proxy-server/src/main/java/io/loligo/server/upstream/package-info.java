/**
 * The way to origins and parents: the contracts.
 *
 * <p>{@code names} resolves hosts, {@code connect} opens connections, {@code http1} speaks on one
 * connection, {@code pool} keeps idle connections, {@code attempt} puts them together.
 */
package io.loligo.server.upstream;
