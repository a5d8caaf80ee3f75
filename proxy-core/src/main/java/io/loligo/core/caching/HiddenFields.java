package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.netty.buffer.ByteBuf;
import java.util.Locale;

/**
 * Response fields that are meant for this cache only, and Age, which clients get as the current
 * age. They are stored before all other lines, so that the bytes to send begin after them.
 * Stateless.
 */
public final class HiddenFields {
  /** Their ids. */
  public static final FieldSet FIELDS =
      FieldSet.of(
          FieldName.LOLIGO_CACHE_CONTROL, FieldName.SURROGATE_KEY, FieldName.XKEY, FieldName.AGE);

  /** Their names in lower case. */
  private static final String[] NAMES =
      FieldName.all().stream()
          .filter(name -> contains(FieldName.of(name)))
          .map(name -> name.toLowerCase(Locale.ROOT))
          .toArray(String[]::new);

  private HiddenFields() {}

  /** Whether a field of this id is one of them. */
  public static boolean contains(int id) {
    return FIELDS.has(id);
  }

  /** Bytes of the hidden lines at the start of {@code stored}, borrowed, field lines. */
  public static int length(ByteBuf stored) {
    int start = 0;
    int colon = stored.indexOf(start, stored.capacity(), (byte) ':');
    while (colon > start && isName(stored, start, colon)) {
      start = stored.indexOf(colon, stored.capacity(), (byte) '\n') + 1;
      colon = stored.indexOf(start, stored.capacity(), (byte) ':');
    }
    return start;
  }

  /** Whether {@code stored[start, end)} is the name of one of them. Each hit asks: no string. */
  private static boolean isName(ByteBuf stored, int start, int end) {
    for (String name : NAMES) {
      if (name.length() == end - start && isName(stored, start, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isName(ByteBuf stored, int start, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Ascii.lower(stored.getByte(start + i)) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
