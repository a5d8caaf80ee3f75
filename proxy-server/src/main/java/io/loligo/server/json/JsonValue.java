package io.loligo.server.json;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A value of a JSON text (RFC 8259), as read: for programs that read what the proxy wrote. A member
 * or a type that is not there reads as nothing, zero or the empty string. Immutable.
 */
public final class JsonValue {
  private static final JsonValue NOTHING = new JsonValue(null);

  /** Map of members, list of values, text, number or truth value; null: null. */
  private final @Nullable Object value;

  JsonValue(@Nullable Object value) {
    this.value = value;
  }

  /**
   * Reads a whole text.
   *
   * @throws IllegalArgumentException it is not JSON; names the offset
   */
  public static JsonValue parse(String text) {
    return new JsonParser(text).whole();
  }

  /** The member of an object. */
  public JsonValue get(String name) {
    return members().getOrDefault(name, NOTHING);
  }

  /** The members of an object, in their order. */
  public Map<String, JsonValue> members() {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, member) -> members.put((String) name, (JsonValue) member));
    }
    return members;
  }

  /** The values of an array. */
  public List<JsonValue> values() {
    return value instanceof List<?> list
        ? list.stream().map(JsonValue.class::cast).toList()
        : List.of();
  }

  /** A string, or the empty one. */
  public String text() {
    return value instanceof String text ? text : "";
  }

  public double number() {
    return value instanceof Double number ? number : 0;
  }

  /** A number without its fraction. */
  public long whole() {
    return (long) number();
  }

  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  /** Whether it is there and not null. */
  public boolean isPresent() {
    return value != null;
  }
}
