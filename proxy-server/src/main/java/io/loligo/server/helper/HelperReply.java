package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.acl.Notes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a helper to one question. Immutable; any thread.
 *
 * <p>The characters of its texts are bytes (ISO 8859-1), because helpers write any encoding.
 *
 * @param result the word at its start, or why there is no answer
 * @param pairs the pairs behind the word, in their order; a key may occur several times
 * @param rest the text behind the pairs; all of the line if the result is {@link
 *     HelperResult#UNKNOWN} and it begins with no pair
 */
public record HelperReply(HelperResult result, List<HelperPair> pairs, String rest) {
  /** Keys of credentials. */
  private static final Set<String> SECRET = Set.of("password", "token", "ha1");

  /** An answer without text. */
  public static HelperReply of(HelperResult result) {
    return new HelperReply(result, List.of(), "");
  }

  /** Reads one line, without its end and its channel. */
  static HelperReply read(byte[] line, int start, int end) {
    return new Reader(new String(line, start, end - start, ISO_8859_1)).reply();
  }

  /** Reads one line, without its end and its channel. */
  public static HelperReply read(String line) {
    return new Reader(line).reply();
  }

  /** The value of the first pair with {@code key}, or null. */
  public @Nullable String first(String key) {
    for (HelperPair pair : pairs) {
      if (pair.key().equals(key)) {
        return pair.value();
      }
    }
    return null;
  }

  /** The same, but null for an empty value. */
  public @Nullable String text(String key) {
    String value = first(key);
    return value == null || value.isEmpty() ? null : value;
  }

  /** The pairs as notes of a request, without those with credentials: no log may show them. */
  public List<Notes.Note> notes() {
    List<Notes.Note> notes = new ArrayList<>(pairs.size());
    for (HelperPair pair : pairs) {
      if (!SECRET.contains(pair.key())) {
        notes.add(new Notes.Note(pair.key(), pair.value()));
      }
    }
    return List.copyOf(notes);
  }

  /** Reads an answer as Squid does. Confined to one call. */
  private static final class Reader {
    private final String line;
    private final List<HelperPair> pairs = new ArrayList<>();
    private int at;

    Reader(String line) {
      this.line = line;
    }

    HelperReply reply() {
      if (line.isEmpty()) {
        return of(HelperResult.ERR); // rewriters of old versions: no change
      }
      HelperResult result = word();
      boolean plainText = line.startsWith("NA ");
      skipBlanks();
      if (!plainText) {
        pairs();
      }
      String rest = line.substring(at);
      if (!rest.isEmpty() && (plainText || result == HelperResult.BROKEN)) {
        pairs.add(new HelperPair("message", rest));
        rest = "";
      }
      return new HelperReply(result, List.copyOf(pairs), rest);
    }

    private HelperResult word() {
      if (is("OK")) {
        return HelperResult.OK;
      }
      if (is("ERR")) {
        return HelperResult.ERR;
      }
      if (is("BH")) {
        return HelperResult.BROKEN;
      }
      if (line.startsWith("TT ")) {
        at = 3;
        String token = token();
        pairs.add(
            token == null
                ? new HelperPair("message", "Missing 'token' data")
                : new HelperPair("token", token));
        return token == null ? HelperResult.BROKEN : HelperResult.CHALLENGE;
      }
      if (line.startsWith("AF ")) {
        at = 3;
        String first = token();
        String second = token();
        if (second != null && first != null) {
          pairs.add(new HelperPair("token", first));
        }
        String user = second != null ? second : first;
        if (user != null) {
          pairs.add(new HelperPair("user", user));
        }
        return HelperResult.OK;
      }
      if (line.startsWith("NA ")) {
        at = 3;
        return HelperResult.ERR;
      }
      return HelperResult.UNKNOWN;
    }

    private boolean is(String word) {
      boolean found =
          line.startsWith(word)
              && (line.length() == word.length() || line.charAt(word.length()) == ' ');
      if (found) {
        at = word.length();
      }
      return found;
    }

    private void pairs() {
      while (at < line.length()) {
        int end = at;
        while (end < line.length() && isKey(line.charAt(end))) {
          end++;
        }
        if (end == line.length() || line.charAt(end) != '=') {
          return;
        }
        if (end + 1 < line.length() && isBlank(line.charAt(end + 1))) {
          return;
        }
        String key = line.substring(at, end);
        at = end + 1;
        boolean quoted = at < line.length() && line.charAt(at) == '"';
        String value = token();
        String text = value == null ? "" : value;
        pairs.add(new HelperPair(key, quoted ? text : unescape(text)));
        skipBlanks();
      }
    }

    /**
     * The next word: quotes may enclose blanks in it. Between them, a backslash precedes a
     * character that counts as such; {@code \r} and {@code \n} are line ends. Null: there is none.
     */
    private @Nullable String token() {
      skipBlanks();
      if (at == line.length()) {
        return null;
      }
      StringBuilder word = new StringBuilder();
      boolean quoted = false;
      for (; at < line.length(); at++) {
        char c = line.charAt(at);
        if (c == '\\' && quoted && at + 1 < line.length()) {
          at++;
          c = line.charAt(at);
          word.append(c == 'r' ? '\r' : c == 'n' ? '\n' : c);
        } else if (c == '"') {
          quoted = !quoted;
        } else if (!quoted && isBlank(c)) {
          break;
        } else {
          word.append(c);
        }
      }
      return word.toString();
    }

    private void skipBlanks() {
      while (at < line.length() && isBlank(line.charAt(at))) {
        at++;
      }
    }

    private static boolean isBlank(char c) {
      return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static boolean isKey(char c) {
      return (c >= 'a' && c <= 'z')
          || (c >= 'A' && c <= 'Z')
          || (c >= '0' && c <= '9')
          || c == '-'
          || c == '_';
    }
  }

  /** Decodes {@code %XX}; {@code %%} is one percent sign, {@code %00} stays. */
  static String unescape(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' && i + 1 < text.length() && text.charAt(i + 1) == '%') {
        i++;
      } else if (c == '%' && i + 2 < text.length()) {
        int high = Character.digit(text.charAt(i + 1), 16);
        int low = Character.digit(text.charAt(i + 2), 16);
        if (high >= 0 && low >= 0 && high + low > 0) {
          c = (char) (high * 16 + low);
          i += 2;
        }
      }
      plain.append(c);
    }
    return plain.toString();
  }
}
