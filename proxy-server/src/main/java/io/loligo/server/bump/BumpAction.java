package io.loligo.server.bump;

import java.util.Locale;

/** An action of {@code ssl_bump}. Immutable. */
public enum BumpAction {
  /** The bytes are relayed; nothing is decrypted. */
  SPLICE,
  /** The next message is read but not changed, so that the tunnel can be spliced afterwards. */
  PEEK,
  /** The server's certificate is fetched, so that the tunnel can be bumped afterwards. */
  STARE,
  /** The bytes are decrypted: the proxy stands for the server. */
  BUMP,
  /** The tunnel ends. */
  TERMINATE;

  /** The word in a configuration and in the log. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
