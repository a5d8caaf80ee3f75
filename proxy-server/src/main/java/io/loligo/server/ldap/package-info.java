/**
 * Squid's programs for directories, {@code basic_ldap_auth} and {@code ext_ldap_group_acl}, inside
 * the proxy: from the words of their command lines to an {@link
 * io.loligo.server.helper.InsideProgram}.
 *
 * <p>{@code login} and {@code exchange.settings} read command lines with {@link LdapCommand}. This
 * package uses {@code helper}, and {@code tls} for the authorities of servers.
 *
 * <p>Threads: each child of a program has a thread and connections of its own, and blocks on them.
 * No event loop runs code of this package, except that a configuration is read.
 */
@NullMarked
package io.loligo.server.ldap;

import org.jspecify.annotations.NullMarked;
