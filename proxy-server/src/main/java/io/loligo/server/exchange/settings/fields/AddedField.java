package io.loligo.server.exchange.settings.fields;

import io.loligo.core.acl.AclList;
import io.loligo.core.message.FieldLines;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.record.ExchangeRecord;
import org.jspecify.annotations.Nullable;

/**
 * A field that messages get besides their own. Immutable; any thread.
 *
 * @param name of the field
 * @param text its value as it is sent, or as it is sent where no record exists
 * @param format its value with codes; null: {@code text} is the value
 * @param access which messages get it
 */
public record AddedField(String name, byte[] text, @Nullable LogFormat format, AclList access) {
  /** Most bytes of a value: facts of the request in it may be long. */
  public static final int MAX_VALUE_BYTES = 8_192;

  /**
   * Adds the line to {@code lines}.
   *
   * @param record of the exchange; null: no client has asked
   */
  public void addTo(FieldLines lines, @Nullable ExchangeRecord record) {
    byte[] value = format != null && record != null ? format.bytes(record) : text;
    lines.append(name).append(": ");
    int start = lines.length();
    lines.append(value, 0, Math.min(value.length, MAX_VALUE_BYTES));
    for (int i = start; i < lines.length(); i++) {
      byte b = lines.bytes()[i];
      if ((b >= 0 && b < ' ' && b != '\t') || b == 0x7f) {
        lines.bytes()[i] = ' ';
      }
    }
    if (lines.length() == start) {
      lines.append('-');
    }
    lines.endLine();
  }
}
