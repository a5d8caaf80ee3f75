package io.loligo.server.wire.hostile;

import io.loligo.server.wire.hostile.HostileVector.Expected;
import io.loligo.server.wire.hostile.HostileVector.Fact;
import io.loligo.server.wire.hostile.HostileVector.Fate;
import io.loligo.server.wire.hostile.HostileVector.Kind;
import io.loligo.server.wire.hostile.HostileVector.Manner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the vectors of a file. Confined to one thread; for one file. */
public final class HostileFile {
  private static final Map<String, Kind> FACTS =
      Map.of(
          "origin sees", Kind.ORIGIN_SEES,
          "origin never sees", Kind.ORIGIN_NEVER_SEES,
          "client sees", Kind.CLIENT_SEES,
          "client never sees", Kind.CLIENT_NEVER_SEES,
          "client connection", Kind.CLIENT_CONNECTION,
          "origin connection", Kind.ORIGIN_CONNECTION,
          "stored", Kind.STORED);
  private static final String CASE = "{case}";

  private final List<String> lines;
  private final List<HostileVector> vectors = new ArrayList<>();
  private int at;

  // the vector being read
  private int line;
  private String title;
  private String source;
  private boolean gateway;
  private StringBuilder client;
  private StringBuilder later;
  private StringBuilder origin;
  private List<Manner> manners;
  private Expected expected;
  private List<Fact> facts;
  private int cases;

  private HostileFile(List<String> lines) {
    this.lines = lines;
  }

  /**
   * Reads the lines of a file.
   *
   * @throws IllegalArgumentException where they have another form; says the line
   */
  public static List<HostileVector> read(List<String> lines) {
    return new HostileFile(lines).read();
  }

  private List<HostileVector> read() {
    for (at = 0; at < lines.size(); at++) {
      String text = lines.get(at);
      if (text.startsWith("== ")) {
        end();
        begin(text.substring(3));
      } else if (!text.isBlank() && !text.startsWith("#")) {
        if (title == null) {
          throw wrong("== title");
        }
        part(text);
      }
    }
    end();
    return List.copyOf(vectors);
  }

  private void begin(String what) {
    line = at + 1;
    title = what;
    source = null;
    gateway = false;
    client = new StringBuilder();
    later = new StringBuilder();
    origin = null;
    manners = new ArrayList<>();
    expected = null;
    facts = new ArrayList<>();
    cases = 0;
  }

  private void part(String text) {
    if (text.startsWith(">>")) {
      bytes(text.substring(2), later);
    } else if (text.startsWith(">")) {
      bytes(text.substring(1), client);
    } else if (text.startsWith("<")) {
      origin = origin == null ? new StringBuilder() : origin;
      bytes(text.substring(1), origin);
    } else if (text.startsWith("| ")) {
      oneCase(text.substring(2));
    } else {
      word(text);
    }
  }

  private void word(String text) {
    int colon = text.indexOf(':');
    String word = colon < 0 ? text : text.substring(0, colon);
    String value = colon < 0 ? "" : text.substring(colon + 1).strip();
    switch (word) {
      case "source" -> source = value;
      case "through" -> gateway = value.equals("gateway");
      case "expect" -> expected = expected(value);
      case "client half closes", "origin closes", "origin answers at once" ->
          manners.add(Manner.valueOf(word.toUpperCase(Locale.ROOT).replace(' ', '_')));
      default -> {
        if (!FACTS.containsKey(word)) {
          throw wrong("one of the words the README lists");
        }
        facts.add(new Fact(FACTS.get(word), value));
      }
    }
  }

  /** A vector for one of the values that stand in place of {@code {case}}. */
  private void oneCase(String text) {
    int arrow = text.indexOf(" => ");
    String value = arrow < 0 ? text : text.substring(0, arrow);
    cases++;
    add(value, arrow < 0 ? expected : expected(text.substring(arrow + 4)));
  }

  private void end() {
    if (title != null && cases == 0) {
      add("", expected);
    }
  }

  private void add(String value, Expected what) {
    if (source == null || what == null || (client.length() == 0 && origin == null)) {
      throw wrong("source, bytes and expect before the cases or the end of: " + title);
    }
    vectors.add(
        new HostileVector(
            line,
            value.isEmpty() ? title : title + ": " + value,
            source,
            gateway,
            client.length() == 0 ? "{GET}\r\n" : client.toString().replace(CASE, value),
            later.toString().replace(CASE, value),
            origin == null ? null : origin.toString().replace(CASE, value),
            List.copyOf(manners),
            what,
            facts.stream()
                .map(fact -> new Fact(fact.kind(), fact.text().replace(CASE, value)))
                .toList()));
  }

  /** A line of bytes: CRLF ends it unless a backslash does. */
  private static void bytes(String text, StringBuilder into) {
    String value = text.startsWith(" ") ? text.substring(1) : text;
    boolean open = value.endsWith("\\") && !value.endsWith("\\\\");
    into.append(open ? value.substring(0, value.length() - 1) : value + "\r\n");
  }

  private Expected expected(String value) {
    String[] words = value.split(" ", -1);
    try {
      return switch (words[0]) {
        case "refused" -> new Expected(Fate.REFUSED, Integer.parseInt(words[1]), words[2]);
        case "cut" -> new Expected(Fate.CUT, 0, words.length > 1 ? words[1] : null);
        case "passes" ->
            new Expected(
                Fate.PASSES, Integer.parseInt(words[1]), words.length > 3 ? words[3] : null);
        default -> throw wrong("refused, cut or passes");
      };
    } catch (ArrayIndexOutOfBoundsException | NumberFormatException e) {
      throw wrong("refused STATUS REASON, cut REASON or passes STATUS [counted REASON]");
    }
  }

  private IllegalArgumentException wrong(String expectation) {
    String text = at < lines.size() ? lines.get(at) : "the end";
    return new IllegalArgumentException(
        "line " + (at + 1) + ": " + text + " (expected: " + expectation + ")");
  }
}
