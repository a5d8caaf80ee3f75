package io.loligo.server.boot;

import io.loligo.server.tls.KeyPair;

/**
 * The certificate of this node for the group port. Immutable.
 *
 * @param source file and number of its line
 */
record NodeCertificate(String source, KeyPair pair) {
  /** The port in metrics and pages. */
  static final String PORT = "loligo_cluster";
}
