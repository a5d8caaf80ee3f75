package io.loligo.server.record;

import io.loligo.server.tls.SessionFacts;

/** The protocol of an exchange with its client. */
public enum Protocol {
  HTTP_1_0("1.0"),
  HTTP_1_1("1.1"),
  HTTP_2("2"),
  /** Bytes that the proxy does not read: CONNECT and Upgrade. */
  TUNNEL("tunnel"),
  /** A request inside a tunnel that {@code ssl_bump} has opened, by any version of HTTP. */
  BUMPED("bumped"),
  /** No request was read. */
  NONE("none");

  private static final int VERSION_1_1 = 11;
  private static final int VERSION_2 = 20;

  private final String text;

  Protocol(String text) {
    this.text = text;
  }

  /** The value of the label {@code protocol}. */
  public String text() {
    return text;
  }

  /** That of a finished exchange. */
  public static Protocol of(ExchangeRecord record) {
    SessionFacts session = record.session;
    if (record.hitClass == HitClass.TUNNEL) {
      return TUNNEL;
    }
    if (record.request == null) {
      return NONE;
    }
    if (session != null && session.decrypted()) {
      return BUMPED;
    }
    int version = record.request.version();
    return version >= VERSION_2 ? HTTP_2 : version >= VERSION_1_1 ? HTTP_1_1 : HTTP_1_0;
  }
}
