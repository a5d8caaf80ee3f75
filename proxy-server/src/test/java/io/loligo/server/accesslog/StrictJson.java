package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads one JSON text by the grammar of RFC 8259 and nothing beyond it: no duplicate names, no lone
 * surrogates, valid UTF-8. Used once.
 */
public final class StrictJson {
  private final String text;
  private int at;

  private StrictJson(String text) {
    this.text = text;
  }

  /** The object in {@code bytes}: maps, lists, strings, numbers, booleans and null. */
  @SuppressWarnings("unchecked") // an object is a map, whose names are strings
  public static Map<String, Object> object(byte[] bytes) {
    String text;
    try {
      text =
          UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException e) {
      throw new AssertionError("not UTF-8", e);
    }
    StrictJson json = new StrictJson(text);
    Object value = json.value();
    if (json.at != text.length() || !(value instanceof Map)) {
      throw json.wrong("one object");
    }
    return (Map<String, Object>) value;
  }

  private Object value() {
    return switch (peek()) {
      case '{' -> members();
      case '[' -> elements();
      case '"' -> string();
      case 't' -> literal("true", true);
      case 'f' -> literal("false", false);
      case 'n' -> literal("null", null);
      default -> number();
    };
  }

  private Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    expect('{');
    if (peek() != '}') {
      do {
        String name = string();
        expect(':');
        if (members.containsKey(name)) {
          throw wrong("a name only once: " + name);
        }
        members.put(name, value());
      } while (accept(','));
    }
    expect('}');
    return members;
  }

  private List<Object> elements() {
    List<Object> elements = new ArrayList<>();
    expect('[');
    if (peek() != ']') {
      do {
        elements.add(value());
      } while (accept(','));
    }
    expect(']');
    return elements;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    expect('"');
    while (peek() != '"') {
      char c = text.charAt(at++);
      if (c < 0x20) {
        throw wrong("no control character");
      }
      string.append(c == '\\' ? escaped() : c);
    }
    expect('"');
    for (int i = 0; i < string.length(); i++) {
      if (Character.isHighSurrogate(string.charAt(i))
          && (i + 1 == string.length() || !Character.isLowSurrogate(string.charAt(++i)))) {
        throw wrong("a pair of surrogates");
      }
    }
    return string.toString();
  }

  private char escaped() {
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(text.substring(at - 4, at), 16);
      }
      default -> throw wrong("an escape");
    };
  }

  private BigDecimal number() {
    int start = at;
    while ("-+.eE0123456789".indexOf(peek()) >= 0) {
      at++;
    }
    String number = text.substring(start, at);
    if (!number.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?")) {
      throw wrong("a number: " + number);
    }
    return new BigDecimal(number);
  }

  private Object literal(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong(word);
    }
    at += word.length();
    return value;
  }

  private boolean accept(char c) {
    boolean here = peek() == c;
    at += here ? 1 : 0;
    return here;
  }

  private void expect(char c) {
    if (!accept(c)) {
      throw wrong("" + c);
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private AssertionError wrong(String expected) {
    return new AssertionError("at " + at + ": " + expected + " in " + text);
  }
}
