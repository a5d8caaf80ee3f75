package io.loligo.server.manager;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The password of {@code Authorization: Basic} (RFC 7617), whoever the user is. Stateless. */
public final class BasicPassword {
  private static final String SCHEME = "Basic ";

  private BasicPassword() {}

  /** The password in {@code fields}, borrowed, each character one byte; null: there is none. */
  public static @Nullable String of(Fields fields) {
    int field = fields.first(FieldName.AUTHORIZATION);
    if (field < 0) {
      return null;
    }
    String value = fields.value(field);
    if (!value.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    try {
      byte[] clear = Base64.getDecoder().decode(value.substring(SCHEME.length()).strip());
      String text = new String(clear, StandardCharsets.ISO_8859_1);
      int colon = text.indexOf(':');
      return colon < 0 ? null : text.substring(colon + 1);
    } catch (IllegalArgumentException notBase64) {
      return null;
    }
  }
}
