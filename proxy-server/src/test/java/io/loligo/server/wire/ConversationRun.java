package io.loligo.server.wire;

import io.loligo.server.wire.conversation.BracedWords;
import io.loligo.server.wire.conversation.Conversation;
import io.loligo.server.wire.conversation.Conversation.Exchange;
import io.loligo.server.wire.conversation.Conversation.Fetch;
import io.loligo.server.wire.conversation.Conversation.Pause;
import io.loligo.server.wire.conversation.Conversation.Step;
import io.loligo.server.wire.conversation.Message;
import io.loligo.server.wire.conversation.Message.Field;
import io.loligo.server.wire.conversation.Message.Kind;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * One conversation: this thread is the client, the origin's threads call {@link #answer}. Their
 * failures are reported here. State is guarded by {@code this}.
 */
final class ConversationRun {
  private final Conversation conversation;
  private final String here;
  private final int port;
  private final int forwardPort;
  private final PassingTime time;
  private final ArrayDeque<Fetch> due = new ArrayDeque<>();
  private final List<String> troubles = new ArrayList<>();

  /**
   * @param here path that begins all URLs of this conversation and of no other
   * @param port the proxy's that stands for the origin
   * @param forwardPort the proxy's that forwards
   */
  ConversationRun(
      Conversation conversation, String here, int port, int forwardPort, PassingTime time) {
    this.forwardPort = forwardPort;
    this.conversation = conversation;
    this.here = here;
    this.port = port;
    this.time = time;
  }

  /** Holds it. */
  void run() throws IOException {
    for (Step step : conversation.steps()) {
      if (step instanceof Pause pause) {
        time.pass(pause.seconds());
      } else {
        exchange((Exchange) step);
      }
    }
  }

  private void exchange(Exchange exchange) throws IOException {
    synchronized (this) {
      due.addAll(exchange.fetches());
    }
    Message request = exchange.request();
    List<WireMessage> responses = new ArrayList<>();
    try (RawClient client = RawClient.connect(exchange.forward() ? forwardPort : port)) {
      client.send(bytes(startLine(request, exchange.forward()), request));
      for (int i = 0; i < exchange.responses().size(); i++) {
        responses.add(client.responseTo(request.word(0)));
      }
    } catch (IOException e) {
      throw new AssertionError("line " + request.line() + ": no whole answer" + trouble(), e);
    }
    synchronized (this) {
      if (!due.isEmpty() && !isSilence(due.peek())) {
        Message answer = due.peek().answers().get(0);
        trouble(
            answer.line(), "the origin was not asked for this, and the client got " + responses);
      }
      due.clear();
    }
    for (int i = 0; i < responses.size(); i++) {
      Message expected = exchange.responses().get(i);
      WireMessage response = responses.get(i);
      if (!expected.word(0).equals(Integer.toString(response.status()))) {
        trouble(expected.line(), "the client got " + response.startLine());
      }
      compare(expected, response);
    }
    synchronized (this) {
      if (!troubles.isEmpty()) {
        throw new AssertionError(trouble() + "\nlast response: " + responses);
      }
    }
  }

  private synchronized String trouble() {
    return troubles.isEmpty() ? "" : "\n" + String.join("\n", troubles);
  }

  private synchronized void trouble(int line, String text) {
    troubles.add("line " + line + ": " + text);
  }

  // ---- the origin's side

  /** Answers a request that arrived at the origin. Any thread. */
  void answer(ScriptedOrigin.Call call) throws IOException {
    WireMessage request = call.whole();
    Fetch fetch;
    synchronized (this) {
      fetch = isSilence(due.peek()) ? due.peek() : due.poll();
    }
    if (fetch == null) {
      trouble(0, "the origin was asked more often than the file says: " + request);
      call.send("HTTP/1.1 500 Not expected\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    if (fetch.expected() != null) {
      compareRequest(fetch.expected(), request);
    }
    if (isSilence(fetch)) {
      call.close();
      return;
    }
    boolean isHead = request.head().startsWith("HEAD ");
    for (Message answer : fetch.answers()) {
      String bytes = bytes(statusLine(answer), answer);
      call.send(isHead ? bytes.substring(0, bytes.indexOf("\r\n\r\n") + 4) : bytes);
      if (answer.has("Connection")) {
        call.close();
      }
    }
  }

  private static String statusLine(Message answer) {
    return answer.start().startsWith("HTTP/") ? answer.start() : "HTTP/1.1 " + answer.start();
  }

  /** An origin that closes instead of answering does so however often it is tried. */
  private static boolean isSilence(Fetch fetch) {
    return fetch != null && fetch.answers().get(0).start().equals("nothing");
  }

  private void compareRequest(Message expected, WireMessage request) {
    String[] words = request.startLine().split(" ", -1);
    if (!words[0].equals(expected.word(0)) || !words[1].equals(target(expected.word(1)))) {
      trouble(expected.line(), "the origin got " + request.startLine());
    }
    compare(expected, request);
  }

  // ---- both

  private String startLine(Message request, boolean forward) {
    String version = request.word(2).isEmpty() ? "HTTP/1.1" : request.word(2);
    String target = target(request.word(1));
    return request.word(0) + " " + (forward ? words().in("{site}") : "") + target + " " + version;
  }

  private String target(String word) {
    return word.startsWith("/") ? here + word : words().in(word);
  }

  private BracedWords words() {
    return new BracedWords(here, time.millis());
  }

  private String bytes(String startLine, Message message) {
    BracedWords words = words();
    boolean response = startLine.startsWith("HTTP/");
    StringBuilder head = new StringBuilder(startLine).append(response ? " \r\n" : "\r\n");
    StringBuilder trailers = new StringBuilder();
    if (!response && !message.has("Host")) {
      head.append("Host: ").append(BracedWords.SITE).append("\r\n");
    }
    for (Field field : message.fields()) {
      StringBuilder lines = field.kind() == Kind.TRAILER ? trailers : head;
      lines.append(field.name()).append(": ").append(words.in(field.value())).append("\r\n");
    }
    String body = message.body() == null ? "" : words.in(message.body());
    if (message.has("Transfer-Encoding")) {
      String chunk =
          body.isEmpty() ? "" : Integer.toHexString(body.length()) + "\r\n" + body + "\r\n";
      return head + "\r\n" + chunk + "0\r\n" + trailers + "\r\n";
    }
    boolean counted = response ? hasContent(message) : message.body() != null;
    if (counted && !message.has("Content-Length")) {
      head.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    return head + "\r\n" + body;
  }

  private static boolean hasContent(Message answer) {
    String status = answer.word(0);
    return !status.startsWith("1") && !status.equals("204") && !status.equals("304");
  }

  private void compare(Message expected, WireMessage actual) {
    BracedWords words = words();
    for (Field field : expected.fields()) {
      String value = words.in(field.value());
      String found =
          field.kind() == Kind.TRAILER
              ? WireMessage.field(String.join("\r\n", actual.trailers()), field.name())
              : String.join(", ", actual.fields(field.name()));
      boolean right =
          switch (field.kind()) {
            case IS, TRAILER -> value.equals(found);
            case CONTAINS -> found.contains(value);
            case ABSENT -> actual.fields(field.name()).isEmpty();
          };
      if (!right) {
        trouble(field.line(), field.name() + " is: " + found);
      }
    }
    if (expected.body() != null && !words.in(expected.body()).equals(actual.text())) {
      trouble(expected.line(), "the content is: " + actual.text());
    }
  }
}
