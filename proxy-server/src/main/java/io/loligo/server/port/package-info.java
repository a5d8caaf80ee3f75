/**
 * The ports that clients connect to, as {@code http_port} and {@code https_port} lines describe
 * them.
 *
 * <p>Every other package of the server may use this one; it uses only {@code io.loligo.core.config}
 * and {@code tls}. All values are immutable; readers of lines are confined to one thread.
 */
@NullMarked
package io.loligo.server.port;

import org.jspecify.annotations.NullMarked;
