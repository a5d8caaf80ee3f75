package io.loligo.server.wire.conversation;

import io.loligo.server.wire.conversation.Conversation.Exchange;
import io.loligo.server.wire.conversation.Conversation.Fetch;
import io.loligo.server.wire.conversation.Conversation.Pause;
import io.loligo.server.wire.conversation.Conversation.Step;
import io.loligo.server.wire.conversation.Message.Field;
import io.loligo.server.wire.conversation.Message.Kind;
import java.util.ArrayList;
import java.util.List;

/** Reads a {@link Conversation}. Confined to one thread; for one file. */
public final class ConversationReader {
  private static final String CLIENT_SENDS = "client sends:";
  private static final String FORWARD_CLIENT_SENDS = "forward client sends:";
  private static final String CLIENT_GETS = "client gets:";
  private static final String ORIGIN_SENDS = "origin sends:";
  private static final String ORIGIN_GETS = "origin gets:";
  private static final String TIME_PASSES = "time passes:";
  private static final String PROXY = "proxy:";

  private final List<String> lines;
  private final List<String> proxyLines = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private int at;

  // the exchange being read
  private Message request;
  private boolean forward;
  private List<Fetch> fetches = new ArrayList<>();
  private List<Message> responses = new ArrayList<>();
  private Message expected;
  private List<Message> answers = new ArrayList<>();

  private ConversationReader(List<String> lines) {
    this.lines = lines;
  }

  /**
   * Reads the lines of a file.
   *
   * @throws IllegalArgumentException where they have another form; says the line
   */
  public static Conversation read(List<String> lines) {
    return new ConversationReader(lines).conversation();
  }

  private Conversation conversation() {
    if (lines.isEmpty() || !lines.get(0).startsWith("# ")) {
      throw wrong(0, "a comment that says what it shows");
    }
    while (at < lines.size()) {
      String line = lines.get(at);
      if (line.isBlank() || line.startsWith("#")) {
        at++;
      } else {
        part(line);
      }
    }
    endExchange();
    return new Conversation(lines.get(0).substring(2), List.copyOf(proxyLines), List.copyOf(steps));
  }

  private void part(String line) {
    if (line.startsWith(PROXY)) {
      proxyLines.add(rest(line, PROXY));
      at++;
    } else if (line.startsWith(TIME_PASSES)) {
      endExchange();
      steps.add(new Pause(seconds(rest(line, TIME_PASSES))));
      at++;
    } else if (line.startsWith(CLIENT_SENDS)) {
      endExchange();
      forward = false;
      request = message(rest(line, CLIENT_SENDS));
    } else if (line.startsWith(FORWARD_CLIENT_SENDS)) {
      endExchange();
      forward = true;
      request = message(rest(line, FORWARD_CLIENT_SENDS));
    } else if (request == null) {
      throw wrong(at, CLIENT_SENDS);
    } else if (line.startsWith(ORIGIN_GETS)) {
      endFetch();
      expected = message(rest(line, ORIGIN_GETS));
    } else if (line.startsWith(ORIGIN_SENDS)) {
      originSends(message(rest(line, ORIGIN_SENDS)));
    } else if (line.startsWith(CLIENT_GETS)) {
      endFetch();
      responses.add(message(rest(line, CLIENT_GETS)));
    } else {
      throw wrong(at, "one of the words the README lists");
    }
  }

  private void originSends(Message answer) {
    boolean anotherFetch = !answers.isEmpty() && !isInterim(answers.get(answers.size() - 1));
    if (anotherFetch) {
      endFetch();
    }
    answers.add(answer);
  }

  private static boolean isInterim(Message answer) {
    return answer.start().startsWith("1") && !answer.start().startsWith("101");
  }

  private void endFetch() {
    if (!answers.isEmpty()) {
      fetches.add(new Fetch(expected, List.copyOf(answers)));
    } else if (expected != null) {
      throw wrong(expected.line() - 1, "what the origin sends");
    }
    expected = null;
    answers = new ArrayList<>();
  }

  private void endExchange() {
    endFetch();
    if (request == null) {
      return;
    }
    if (responses.isEmpty()) {
      throw wrong(request.line() - 1, "what the client gets");
    }
    steps.add(new Exchange(request, forward, List.copyOf(fetches), List.copyOf(responses)));
    request = null;
    fetches = new ArrayList<>();
    responses = new ArrayList<>();
  }

  private Message message(String start) {
    int line = ++at;
    List<Field> fields = new ArrayList<>();
    List<String> body = null;
    for (; at < lines.size() && lines.get(at).startsWith("  "); at++) {
      String text = lines.get(at).strip();
      if (text.startsWith(">")) {
        body = body == null ? new ArrayList<>() : body;
        body.add(text.startsWith("> ") ? text.substring(2) : text.substring(1));
      } else {
        fields.add(field(text));
      }
    }
    return new Message(
        line, start, List.copyOf(fields), body == null ? null : String.join("\r\n", body));
  }

  private Field field(String text) {
    int number = at + 1;
    if (text.startsWith("no ")) {
      return new Field(number, Kind.ABSENT, text.substring(3).strip(), "");
    }
    boolean trailer = text.startsWith("+ ");
    String line = trailer ? text.substring(2) : text;
    int tilde = line.indexOf(" ~ ");
    int colon = line.indexOf(':');
    if (tilde > 0 && (colon < 0 || tilde < colon)) {
      return new Field(number, Kind.CONTAINS, line.substring(0, tilde), line.substring(tilde + 3));
    }
    if (colon <= 0) {
      throw wrong(at, "Name: value");
    }
    return new Field(
        number,
        trailer ? Kind.TRAILER : Kind.IS,
        line.substring(0, colon),
        line.substring(colon + 1).strip());
  }

  private long seconds(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != 2 || !words[0].matches("\\d+") || !words[1].matches("seconds?")) {
      throw wrong(at, "a number and the word seconds");
    }
    return Long.parseLong(words[0]);
  }

  private static String rest(String line, String word) {
    return line.substring(word.length()).strip();
  }

  private IllegalArgumentException wrong(int index, String expectation) {
    String text = index < lines.size() ? lines.get(index) : "";
    return new IllegalArgumentException(
        "line " + (index + 1) + ": " + text + " (expected: " + expectation + ")");
  }
}
