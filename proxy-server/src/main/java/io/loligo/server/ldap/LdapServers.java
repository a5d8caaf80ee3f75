package io.loligo.server.ldap;

import java.util.List;

/**
 * The servers of a directory, and how they are reached. Immutable.
 *
 * @param inOrder the first one that can be reached is used
 * @param startTls whether TLS begins on the open connection ({@code -Z})
 * @param connectSeconds how long a connection may take ({@code -c}), TLS included
 */
record LdapServers(List<LdapServer> inOrder, boolean startTls, int connectSeconds) {}
