package io.loligo.core.structured;

import io.loligo.core.message.Ascii;
import io.loligo.core.structured.FieldMember.InnerList;
import io.loligo.core.structured.FieldMember.Item;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses structured fields (RFC 9651 section 4.2). Malformed input gives null, never a part of it.
 * Input is the field's lines joined by a comma; the caller limits its length. There is one level of
 * nesting, so the stack does not depend on the input. Stateless.
 */
public final class StructuredFields {
  private StructuredFields() {}

  /** The members of a list, none for an empty field; null if it is malformed. */
  public static @Nullable List<FieldMember> list(String text) {
    try {
      return new Parser(text).list();
    } catch (Malformed malformed) {
      return null;
    }
  }

  /** The members of a dictionary by key, in its order; null if it is malformed. */
  public static @Nullable Map<String, FieldMember> dictionary(String text) {
    try {
      return new Parser(text).dictionary();
    } catch (Malformed malformed) {
      return null;
    }
  }

  /** The only item; null if it is malformed. */
  public static @Nullable Item item(String text) {
    try {
      return new Parser(text).wholeItem();
    } catch (Malformed malformed) {
      return null;
    }
  }

  /** Whether {@code text} is a token (RFC 9651 section 3.3.4). */
  public static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (i == 0 ? !beginsToken(c) : !isInToken(c)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean beginsToken(int c) {
    return Ascii.isLetter(c) || c == '*';
  }

  private static boolean isInToken(int c) {
    return Ascii.isToken(c) || c == ':' || c == '/';
  }

  /** The text is not a structured field. Without a stack trace, which is not needed. */
  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed() {
      super("malformed", null, false, false);
    }
  }

  /** One pass over a text. Confined to one thread. */
  private static final class Parser {
    private static final int MAX_DIGITS = 15;
    private static final int MAX_DECIMAL_CHARS = 16;
    private static final int MAX_WHOLE_DIGITS = 12;
    private static final int MAX_FRACTION_DIGITS = 3;

    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    List<FieldMember> list() throws Malformed {
      List<FieldMember> members = new ArrayList<>();
      skip(" ");
      while (!atEnd()) {
        members.add(member());
        nextMember();
      }
      return Collections.unmodifiableList(members);
    }

    /** A repeated key keeps its place and takes the last value (RFC 9651 section 4.2.2). */
    Map<String, FieldMember> dictionary() throws Malformed {
      Map<String, FieldMember> members = new LinkedHashMap<>();
      skip(" ");
      while (!atEnd()) {
        String key = key();
        if (peek() == '=') {
          at++;
          members.put(key, member());
        } else {
          members.put(key, new Item(BareItem.TRUE, parameters()));
        }
        nextMember();
      }
      return Collections.unmodifiableMap(members);
    }

    Item wholeItem() throws Malformed {
      skip(" ");
      Item item = item();
      skip(" ");
      require(atEnd());
      return item;
    }

    /** Skips the separator between two members, or to the end. */
    private void nextMember() throws Malformed {
      skip(" \t");
      if (!atEnd()) {
        require(next() == ',');
        skip(" \t");
        require(!atEnd());
      }
    }

    private FieldMember member() throws Malformed {
      return peek() == '(' ? innerList() : item();
    }

    private InnerList innerList() throws Malformed {
      at++;
      List<Item> items = new ArrayList<>();
      while (true) {
        skip(" ");
        if (peek() == ')') {
          at++;
          return new InnerList(Collections.unmodifiableList(items), parameters());
        }
        items.add(item());
        require(peek() == ' ' || peek() == ')');
      }
    }

    private Item item() throws Malformed {
      BareItem bare = bareItem();
      return new Item(bare, parameters());
    }

    /** Repeated keys are as in a dictionary (RFC 9651 section 4.2.3.2). */
    private Map<String, BareItem> parameters() throws Malformed {
      if (peek() != ';') {
        return Map.of();
      }
      Map<String, BareItem> parameters = new LinkedHashMap<>();
      while (peek() == ';') {
        at++;
        skip(" ");
        String key = key();
        BareItem value = BareItem.TRUE;
        if (peek() == '=') {
          at++;
          value = bareItem();
        }
        parameters.put(key, value);
      }
      return Collections.unmodifiableMap(parameters);
    }

    private String key() throws Malformed {
      int start = at;
      require(isLower(peek()) || peek() == '*');
      while (isLower(peek())
          || Ascii.isDigit(peek())
          || (!atEnd() && "_-.*".indexOf(peek()) >= 0)) {
        at++;
      }
      return text.substring(start, at);
    }

    private BareItem bareItem() throws Malformed {
      int c = peek();
      if (c == '-' || Ascii.isDigit(c)) {
        return number();
      }
      return switch (c) {
        case '"' -> string();
        case ':' -> bytes();
        case '?' -> bool();
        case '@' -> date();
        case '%' -> displayString();
        default -> token();
      };
    }

    private BareItem number() throws Malformed {
      int start = at;
      if (peek() == '-') {
        at++;
      }
      int digits = at;
      while (Ascii.isDigit(peek())) {
        at++;
      }
      require(at > digits);
      if (peek() != '.') {
        require(at - digits <= MAX_DIGITS);
        return new BareItem(BareItem.Type.INTEGER, Long.parseLong(text.substring(start, at)));
      }
      require(at - digits <= MAX_WHOLE_DIGITS);
      at++;
      int fraction = at;
      while (Ascii.isDigit(peek())) {
        at++;
      }
      require(at > fraction && at - fraction <= MAX_FRACTION_DIGITS);
      require(at - digits <= MAX_DECIMAL_CHARS);
      return new BareItem(BareItem.Type.DECIMAL, new BigDecimal(text.substring(start, at)));
    }

    private BareItem string() throws Malformed {
      at++;
      StringBuilder value = new StringBuilder();
      for (int c = next(); c != '"'; c = next()) {
        if (c == '\\') {
          c = next();
          require(c == '"' || c == '\\');
        }
        require(c >= ' ' && c <= '~');
        value.append((char) c);
      }
      return new BareItem(BareItem.Type.STRING, value.toString());
    }

    private BareItem token() throws Malformed {
      int start = at;
      require(beginsToken(peek()));
      while (isInToken(peek())) {
        at++;
      }
      return new BareItem(BareItem.Type.TOKEN, text.substring(start, at));
    }

    private BareItem bytes() throws Malformed {
      int end = text.indexOf(':', at + 1);
      require(end >= 0);
      String coded = text.substring(at + 1, end);
      at = end + 1;
      try {
        return new BareItem(BareItem.Type.BYTES, Base64.getDecoder().decode(coded));
      } catch (IllegalArgumentException malformed) {
        throw new Malformed();
      }
    }

    private BareItem bool() throws Malformed {
      at++;
      int c = next();
      require(c == '0' || c == '1');
      return new BareItem(BareItem.Type.BOOLEAN, c == '1');
    }

    private BareItem date() throws Malformed {
      at++;
      require(peek() == '-' || Ascii.isDigit(peek()));
      BareItem seconds = number();
      require(seconds.is(BareItem.Type.INTEGER));
      return new BareItem(BareItem.Type.DATE, seconds.value());
    }

    private BareItem displayString() throws Malformed {
      at++;
      require(next() == '"');
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int c = next(); c != '"'; c = next()) {
        require(c >= ' ' && c <= '~');
        bytes.write(c == '%' ? hex(next()) << 4 | hex(next()) : c);
      }
      try {
        String value =
            StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes.toByteArray()))
                .toString();
        return new BareItem(BareItem.Type.DISPLAY_STRING, value);
      } catch (CharacterCodingException malformed) {
        throw new Malformed();
      }
    }

    private static int hex(int c) throws Malformed {
      require(Ascii.isDigit(c) || (c >= 'a' && c <= 'f'));
      return Character.digit(c, 16);
    }

    private void skip(String blanks) {
      while (!atEnd() && blanks.indexOf(text.charAt(at)) >= 0) {
        at++;
      }
    }

    private boolean atEnd() {
      return at >= text.length();
    }

    /** The character at the cursor, -1 at the end. */
    private int peek() {
      return atEnd() ? -1 : text.charAt(at);
    }

    private int next() throws Malformed {
      require(!atEnd());
      return text.charAt(at++);
    }

    private static void require(boolean holds) throws Malformed {
      if (!holds) {
        throw new Malformed();
      }
    }

    private static boolean isLower(int c) {
      return c >= 'a' && c <= 'z';
    }
  }
}
