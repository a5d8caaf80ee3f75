package io.loligo.server.exchange.settings.fields;

import java.nio.charset.StandardCharsets;

/** Values of fields in a configuration (RFC 9110 section 5.5). Stateless. */
public final class FieldValue {
  private FieldValue() {}

  /** Whether {@code text} has no control character but tabs, and so cannot end its line. */
  public static boolean isValid(String text) {
    return text.chars().noneMatch(c -> (c < ' ' && c != '\t') || c == 0x7f);
  }

  /** The bytes to send: UTF-8, as in the file. */
  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
