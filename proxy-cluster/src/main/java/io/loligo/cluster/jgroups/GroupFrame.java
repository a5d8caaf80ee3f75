package io.loligo.cluster.jgroups;

/**
 * A part of a message of the engine: four bytes length of the content, one byte kind, the content.
 * Immutable.
 *
 * @param kind one of the constants
 */
record GroupFrame(byte kind, byte[] content) {
  /** The facts of the sender, as {@link MemberFacts} has them. */
  static final byte FACTS = 1;

  /** Asks for them; without content. */
  static final byte ASK = 2;

  /** A message of the node. */
  static final byte MESSAGE = 3;

  static final int HEAD_BYTES = 5;

  /** Longest content. */
  static final int MAX_CONTENT = 1 << 20;

  static final byte[] NOTHING = {};

  int bytes() {
    return HEAD_BYTES + content.length;
  }
}
