package io.loligo.server.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads one JSON text (RFC 8259). Confined to one thread. */
final class JsonParser {
  /** Objects and arrays in each other; the proxy writes four. */
  private static final int MOST_NESTED = 64;

  private static final int HEX_DIGITS = 4;
  private static final int HEX = 16;

  private final String text;
  private int at;
  private int depth;

  JsonParser(String text) {
    this.text = text;
  }

  JsonValue whole() {
    JsonValue value = value();
    blanks();
    if (at < text.length()) {
      throw wrong("the end");
    }
    return value;
  }

  private JsonValue value() {
    blanks();
    return switch (at < text.length() ? text.charAt(at) : ' ') {
      case '{' -> object();
      case '[' -> array();
      case '"' -> new JsonValue(string());
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> {
        skip("null");
        yield new JsonValue(null);
      }
      default -> number();
    };
  }

  private JsonValue object() {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    open();
    if (!closes('}')) {
      do {
        blanks();
        String name = string();
        blanks();
        skip(":");
        members.put(name, value());
      } while (follows('}'));
    }
    return new JsonValue(members);
  }

  private JsonValue array() {
    List<JsonValue> values = new ArrayList<>();
    open();
    if (!closes(']')) {
      do {
        values.add(value());
      } while (follows(']'));
    }
    return new JsonValue(values);
  }

  private void open() {
    at++;
    depth++;
    if (depth > MOST_NESTED) {
      throw wrong("at most " + MOST_NESTED + " levels");
    }
  }

  /** Whether the bracket is next, which is then skipped. */
  private boolean closes(char bracket) {
    blanks();
    if (at < text.length() && text.charAt(at) == bracket) {
      at++;
      depth--;
      return true;
    }
    return false;
  }

  /** Whether a comma is next; else the bracket is. */
  private boolean follows(char bracket) {
    if (closes(bracket)) {
      return false;
    }
    skip(",");
    return true;
  }

  private String string() {
    skip("\"");
    StringBuilder read = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at);
      at++;
      read.append(c == '\\' ? escaped() : c);
    }
    skip("\"");
    return read.toString();
  }

  private char escaped() {
    char c = at < text.length() ? text.charAt(at) : ' ';
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unit();
      default -> throw wrong("an escape");
    };
  }

  private char unit() {
    int end = at + HEX_DIGITS;
    try {
      char unit = (char) Integer.parseInt(text.substring(at, Math.min(end, text.length())), HEX);
      at = end;
      return unit;
    } catch (NumberFormatException e) {
      throw wrong("four hexadecimal digits");
    }
  }

  private JsonValue number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    try {
      return new JsonValue(Double.valueOf(text.substring(start, at)));
    } catch (NumberFormatException e) {
      at = start;
      throw wrong("a value");
    }
  }

  private JsonValue word(String word, Boolean value) {
    skip(word);
    return new JsonValue(value);
  }

  private void skip(String expected) {
    if (!text.startsWith(expected, at)) {
      throw wrong(expected);
    }
    at += expected.length();
  }

  private void blanks() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException(
        "no JSON at offset " + at + " (expected: " + expected + ")");
  }
}
