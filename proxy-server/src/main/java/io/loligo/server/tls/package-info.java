/**
 * TLS, the same for clients, origins and parents: the provider, the words of the configuration, and
 * key pairs and authorities from files.
 *
 * <p>Every other package of the server may use this one; it uses only {@code
 * io.loligo.core.config}. Values are immutable; readers of lines are confined to one thread;
 * methods that read files block, so no event loop calls them.
 */
@NullMarked
package io.loligo.server.tls;

import org.jspecify.annotations.NullMarked;
