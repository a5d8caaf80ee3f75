/**
 * {@code ssl_bump}: its rules and its terms, and those of the certificates that it needs. The
 * package {@code exchange.inspect} follows them.
 *
 * <p>{@code exchange}, {@code record}, {@code accesslog} and {@code metrics} use this package; it
 * uses only {@code core.config}, {@code core.acl} and values of {@code tls}. All values are
 * immutable; readers of lines are confined to one thread.
 */
@NullMarked
package io.loligo.server.bump;

import org.jspecify.annotations.NullMarked;
