/**
 * Kerberos at the side that accepts (RFC 4120, RFC 4178), by the JDK: keytabs, the options of
 * {@code negotiate_kerberos_auth}, and the tokens of clients.
 *
 * <p>{@code server.login} uses this package, and {@code server.upstream} its keytabs; it knows no
 * other package of the server. Shared objects are thread-safe; those that block say so.
 */
@NullMarked
package io.loligo.server.login.kerberos;

import org.jspecify.annotations.NullMarked;
