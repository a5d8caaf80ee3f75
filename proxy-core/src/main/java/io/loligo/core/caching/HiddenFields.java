package io.loligo.core.caching;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

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

  private HiddenFields() {}

  /** Whether a field of this id is one of them. */
  public static boolean contains(int id) {
    return FIELDS.has(id);
  }

  /** Bytes of the hidden lines at the start of {@code stored}, borrowed, field lines. */
  public static int length(ByteBuf stored) {
    int start = 0;
    int colon = stored.indexOf(start, stored.capacity(), (byte) ':');
    while (colon > start && contains(id(stored, start, colon))) {
      start = stored.indexOf(colon, stored.capacity(), (byte) '\n') + 1;
      colon = stored.indexOf(start, stored.capacity(), (byte) ':');
    }
    return start;
  }

  private static int id(ByteBuf stored, int start, int end) {
    // a long name is none of them
    int length = Math.min(end - start, Fields.MAX_NAME_BYTES);
    return FieldName.of(stored.toString(start, length, StandardCharsets.ISO_8859_1));
  }
}
