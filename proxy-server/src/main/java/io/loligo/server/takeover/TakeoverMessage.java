package io.loligo.server.takeover;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of the conversation: a word, and fields with values. Whoever reads it ignores fields
 * that it does not know, so that a later version may add some. Immutable.
 *
 * @param fields in the order in which they are sent
 */
record TakeoverMessage(String word, Map<String, String> fields) {
  /** The version of the conversation, which changes with the meaning of a word. */
  static final int PROTOCOL = 1;

  // of both
  static final String HELLO = "hello";
  static final String STORE = "store";

  // of the successor
  static final String SOCKETS = "sockets";
  static final String READY = "ready";

  // of the process in service
  static final String SOCKET = "socket";
  static final String ENDS = "ends";
  static final String REFUSED = "refused";

  // of a command, and its answers
  static final String START = "start";
  static final String STARTED = "started";
  static final String TAKEN_OVER = "taken-over";
  static final String FAILED = "failed";

  private static final int MOST_DIGITS = 9;

  /** A word without fields. */
  TakeoverMessage(String word) {
    this(word, Map.of());
  }

  /** The same with one more field. */
  TakeoverMessage with(String name, Object value) {
    Map<String, String> more = new LinkedHashMap<>(fields);
    more.put(name, String.valueOf(value));
    return new TakeoverMessage(word, more);
  }

  static TakeoverMessage refused(String reason) {
    return new TakeoverMessage(REFUSED).with("reason", reason);
  }

  /** Reads a line without its end. A field without a value is ignored. */
  static TakeoverMessage parse(String line) {
    String[] parts = line.strip().split(" +", -1);
    Map<String, String> fields = new LinkedHashMap<>();
    for (int i = 1; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      if (equals > 0) {
        fields.put(parts[i].substring(0, equals), decoded(parts[i].substring(equals + 1)));
      }
    }
    return new TakeoverMessage(parts[0], fields);
  }

  private static String decoded(String value) {
    try {
      return URLDecoder.decode(value, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }

  /** As it is sent, with the end of the line. */
  String line() {
    StringBuilder line = new StringBuilder(word);
    fields.forEach(
        (name, value) ->
            line.append(' ')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8)));
    return line.append('\n').toString();
  }

  /** The value of a field; empty if it is missing. */
  String text(String name) {
    return fields.getOrDefault(name, "");
  }

  /** The value of a field that is a number from 0 on; -1 if it is missing or no number. */
  int number(String name) {
    String value = text(name);
    return value.matches("[0-9]{1," + MOST_DIGITS + "}") ? Integer.parseInt(value) : -1;
  }
}
