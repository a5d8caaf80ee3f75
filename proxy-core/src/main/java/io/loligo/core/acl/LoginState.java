package io.loligo.core.acl;

/** What is known about the user of a request. Immutable. */
public enum LoginState {
  /**
   * The request can have no user: its client was intercepted, or nobody logs in. No ACL about users
   * matches.
   */
  NO_LOGIN,
  /** The request has credentials, which must be checked before an ACL about users is decided. */
  UNCHECKED,
  /** The request has no valid credentials. An ACL about users ends the list: ask for a login. */
  CHALLENGE,
  /** The user has logged in. */
  KNOWN
}
