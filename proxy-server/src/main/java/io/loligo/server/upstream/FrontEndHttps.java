package io.loligo.server.upstream;

/** {@code front-end-https} of a {@code cache_peer}: whether it is told of TLS to the client. */
public enum FrontEndHttps {
  /** The field of the client is passed on, if there is one. */
  OFF,
  /** {@code Front-End-Https: On} with each request for an https URL; the client's is dropped. */
  AUTO,
  /** The same with every request. */
  ON;

  /** Whether a request for a URL of {@code scheme} gets the field. */
  public boolean says(String scheme) {
    return this == ON || (this == AUTO && scheme.equals("https"));
  }
}
