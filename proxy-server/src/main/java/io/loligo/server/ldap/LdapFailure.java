package io.loligo.server.ldap;

/** A directory that cannot tell: the program is broken, and nobody is refused because of it. */
final class LdapFailure extends Exception {
  private static final long serialVersionUID = 1;

  /** {@code message} is for the log; it has no password. */
  LdapFailure(String message) {
    super(message);
  }
}
