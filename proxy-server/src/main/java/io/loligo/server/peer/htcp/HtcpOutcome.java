package io.loligo.server.peer.htcp;

import io.loligo.server.peer.DatagramOutcome;

/** The outcome of a message to the HTCP port. */
public enum HtcpOutcome implements DatagramOutcome {
  /** TST: stored. CLR: removed. */
  HIT("Questions (TST) about a stored response, and removals (CLR) of one."),
  /** Not stored. */
  MISS("Questions and removals for a response that is not stored."),
  /** The rules do not allow it; no reply was sent. */
  DENIED("Questions and removals that the rules denied; no reply was sent."),
  /** Damaged, or about a request that no port would accept; no reply was sent. */
  INVALID("Damaged messages, and messages about a URL that is not served; no reply was sent."),
  /** A reply to a question of this proxy. */
  REPLY("Replies to questions of this proxy."),
  /** It asks for nothing, or for an operation that is not known. */
  OTHER("Messages that ask for nothing, and operations other than TST and CLR.");

  private final String text;

  HtcpOutcome(String text) {
    this.text = text;
  }

  @Override
  public String text() {
    return text;
  }
}
