package io.loligo.server.record;

/**
 * Stages of an exchange whose time is recorded.
 *
 * <p>The stages that are {@link #inSequence} follow each other, so that the sum of their times is
 * {@link #TOTAL}. The others happen before, beside or after them.
 */
public enum Stage {
  /** Accept, or first byte on a kept connection, to a complete head. */
  CLIENT_CONNECT(false),
  /** The rules, with the names that they look up. */
  ACL(true),
  /** The check of a password. */
  LOGIN(true),
  /** The answers of helpers. */
  HELPER(true),
  /** ICAP services, until they let the request or the head of the response pass. */
  ADAPTATION(true),
  /** The content that belongs to the key (QUERY). */
  REQUEST_CONTENT(true),
  /** The search in memory. */
  LOOKUP(true),
  DISK_QUEUE(true),
  DISK_FIRST_READ(true),
  /** Further reads, while the response is sent. */
  DISK_REST(false),
  /** The wait for the fetch of another request. */
  JOIN(true),
  /** Peer choice and name resolution. */
  DNS(true),
  /** The connection that was used, with its handshake of TLS. */
  PROXY_CONNECT(true),
  /** Failed attempts at other addresses and parents, and waits for a connection. */
  ATTEMPTS(true),
  /** The request's head written to the response's first byte. */
  SERVER_FIRST_BYTE(true),
  /** The request's head written to the response's last byte. */
  SERVER_LAST_BYTE(false),
  /** The response, from the end of the stage before it to its last byte written to the client. */
  PROXY_REPLY(true),
  /** Head parsed to last byte written: the total. */
  TOTAL(false);

  private final boolean inSequence;
  private final String text;

  Stage(boolean inSequence) {
    this.inSequence = inSequence;
    text = camelCase(name());
  }

  private static String camelCase(String name) {
    StringBuilder text = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) == '_') {
        text.append(name.charAt(++i));
      } else {
        text.append(Character.toLowerCase(name.charAt(i)));
      }
    }
    return text.toString();
  }

  /** Its name in logs and JSON. */
  public String text() {
    return text;
  }

  /** Whether it is a part of {@link #TOTAL} that no other part overlaps. */
  public boolean inSequence() {
    return inSequence;
  }
}
