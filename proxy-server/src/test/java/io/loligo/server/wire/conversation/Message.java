package io.loligo.server.wire.conversation;

import java.util.List;

/**
 * A message in a conversation: to be sent, or the expectation of one that arrives. Immutable.
 *
 * @param line number of its line in the file
 * @param start the text after the colon: {@code GET /a} or {@code 200 OK}
 * @param fields in order
 * @param body null if the file does not mention it
 */
public record Message(int line, String start, List<Field> fields, String body) {
  /** The statement about a field. */
  public enum Kind {
    /** {@code Name: value}. */
    IS,
    /** {@code Name ~ text}. */
    CONTAINS,
    /** {@code no Name}. */
    ABSENT,
    /** {@code + Name: value}, behind the content. */
    TRAILER
  }

  /** One line of it. */
  public record Field(int line, Kind kind, String name, String value) {}

  /** The {@code i}th word of the start, or the empty string. */
  public String word(int i) {
    String[] words = start.split(" ", -1);
    return i < words.length ? words[i] : "";
  }

  /** Whether it has a line {@code Name: value}. */
  public boolean has(String name) {
    return fields.stream()
        .anyMatch(field -> field.kind() == Kind.IS && field.name().equalsIgnoreCase(name));
  }
}
