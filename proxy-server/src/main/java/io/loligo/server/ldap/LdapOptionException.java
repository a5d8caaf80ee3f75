package io.loligo.server.ldap;

/** An option that is unknown or cannot be honoured, with advice. It never names a password. */
public final class LdapOptionException extends Exception {
  private static final long serialVersionUID = 1;

  /** What is wrong, and what to do. */
  private final String advice;

  LdapOptionException(String what, String advice) {
    super(what);
    this.advice = advice;
  }

  /** The remedy. */
  public String advice() {
    return advice;
  }
}
