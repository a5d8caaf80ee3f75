package io.loligo;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a message that is about to be sent. Names are equal in any case. Valid until the
 * hook returns, on its thread.
 *
 * <p>The proxy itself writes Host and the fields of framing and of the connection, and
 * Content-Range belongs to the content: they cannot be changed.
 */
public final class FieldEditor {
  private static final int MAX_LATIN1 = 0xff;

  private static final Set<String> FIXED =
      Set.of(
          "connection",
          "content-length",
          "content-range",
          "expect",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private record Field(String name, String value) {}

  private final FieldLines lines;
  private final List<Field> fields = new ArrayList<>();
  private boolean changed;

  /** Edits {@code lines}, which {@link #finish} writes. */
  FieldEditor(FieldLines lines) {
    this.lines = lines;
    Fields index = new Fields(16);
    index.clear(lines.bytes());
    StoredFields.index(lines.bytes(), 0, lines.length(), index);
    for (int i = 0; i < index.count(); i++) {
      fields.add(new Field(index.name(i), index.value(i)));
    }
  }

  /** The value of the first field of this name; null: there is none. */
  public @Nullable String get(String name) {
    for (Field field : fields) {
      if (field.name().equalsIgnoreCase(name)) {
        return field.value();
      }
    }
    return null;
  }

  /** The values of all fields of this name, in their order. */
  public List<String> all(String name) {
    return fields.stream()
        .filter(field -> field.name().equalsIgnoreCase(name))
        .map(Field::value)
        .toList();
  }

  /**
   * Replaces all fields of this name by one.
   *
   * @throws IllegalArgumentException if the proxy itself writes the field, the name is no token, or
   *     the value has a character that no field may have
   */
  public FieldEditor set(String name, String value) {
    checkValue(name, value);
    remove(name);
    return add(name, value);
  }

  /**
   * Adds a field.
   *
   * @throws IllegalArgumentException as for {@link #set}
   */
  public FieldEditor add(String name, String value) {
    check(name);
    checkValue(name, value);
    changed = true;
    fields.add(new Field(name, value));
    return this;
  }

  /**
   * Removes all fields of this name, if there are any.
   *
   * @throws IllegalArgumentException if the proxy itself writes the field, or the name is no token
   */
  public FieldEditor remove(String name) {
    check(name);
    changed |= fields.removeIf(field -> field.name().equalsIgnoreCase(name));
    return this;
  }

  private static void check(String name) {
    if (name.isEmpty() || !Ascii.isToken(name)) {
      throw new IllegalArgumentException("field name: " + name + " (expected: a token)");
    }
    if (FIXED.contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(name + ": the proxy itself writes this field");
    }
  }

  private static void checkValue(String name, String value) {
    if (!value.strip().equals(value) || !value.chars().allMatch(FieldEditor::isAllowed)) {
      throw new IllegalArgumentException(
          "value of " + name + ": has a control character, one beyond ISO-8859-1, or outer blanks");
    }
  }

  private static boolean isAllowed(int c) {
    return c == '\t' || (c >= ' ' && c != 0x7f && c <= MAX_LATIN1);
  }

  /** Writes the fields, if any has changed. */
  void finish() {
    if (changed) {
      lines.clear();
      for (Field field : fields) {
        lines.add(field.name(), field.value());
      }
    }
  }
}
