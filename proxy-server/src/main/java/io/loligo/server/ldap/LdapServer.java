package io.loligo.server.ldap;

/**
 * A server of a directory. Immutable.
 *
 * @param host a name or an address, without brackets
 * @param tls whether a connection begins with TLS ({@code ldaps})
 */
record LdapServer(String host, int port, boolean tls) {
  @Override
  public String toString() {
    return (tls ? "ldaps://" : "ldap://") + host + ":" + port;
  }
}
