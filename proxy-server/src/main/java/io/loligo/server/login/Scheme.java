package io.loligo.server.login;

import java.util.List;

/** A way to log in, under one configuration. Thread-safe: any thread. */
interface Scheme {
  /** Its settings. */
  SchemeSettings settings();

  /** What the credentials of {@code request} tell, which are of this scheme. Does not block. */
  RequestLogin read(LoginRequest request);

  /** The values of WWW-Authenticate or Proxy-Authenticate, the best first. Not empty. */
  List<String> challenges();

  /** Whether a login belongs to its connection, so that HTTP/2 cannot have it. */
  default boolean bindsConnection() {
    return false;
  }

  /** Whether the connection closes after a challenge that offers it. */
  default boolean closesAfterChallenge() {
    return false;
  }

  /** Whether it goes on under another configuration that has {@code next}. */
  default boolean continuesIn(Scheme next) {
    return next == this;
  }

  /** Takes no more credentials; requests that wait are answered. Does not block. */
  void close();
}
