/**
 * The scheme Digest (RFC 7616) without a request: its fields, hashes, nonces and files of users.
 *
 * <p>{@code server.login} uses this package, which knows no other of the server. Shared objects are
 * thread-safe.
 */
@NullMarked
package io.loligo.server.login.digest;

import org.jspecify.annotations.NullMarked;
