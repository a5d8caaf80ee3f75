package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Reads HTTP/1 messages as they arrive (RFC 9112), on its own and with no code of the proxy. */
final class MessageReader {
  /** Told of each element. */
  interface Listener {
    /** Whether the message with {@code head} has no content, regardless of its fields. */
    boolean hasNoContent(Message head);

    /** Whether the bytes after the message with {@code head} are no message any more. */
    default boolean switches(Message head) {
      return false;
    }

    /** Told of the bytes after such a message. */
    default void raw(byte[] bytes) {
      throw new AssertionError("nothing was switched to");
    }

    void head(Message head);

    void complete(Message message);
  }

  /** A message, as far as it arrived. */
  static final class Message {
    final String startLine;
    final Map<String, String> fields = new HashMap<>();
    final ByteArrayOutputStream content = new ByteArrayOutputStream();

    /** Whether the close ends it. */
    boolean untilClose;

    Message(String startLine) {
      this.startLine = startLine;
    }

    String field(String name) {
      return fields.get(name);
    }

    int status() {
      return Integer.parseInt(startLine.substring(9, 12));
    }
  }

  private enum State {
    HEAD,
    LENGTH,
    CHUNK_SIZE,
    CHUNK,
    CHUNK_END,
    TRAILERS,
    UNTIL_CLOSE,
    RAW
  }

  private final Listener listener;
  private final boolean responses;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private State state = State.HEAD;
  private Message message;
  private long left;

  MessageReader(boolean responses, Listener listener) {
    this.responses = responses;
    this.listener = listener;
  }

  /** The message that is arriving; null: none. */
  Message partial() {
    return message;
  }

  /** Whether part of a message has arrived. */
  boolean isWithin() {
    return message != null || line.size() > 0;
  }

  void read(byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      switch (state) {
        case LENGTH, CHUNK -> {
          int length = (int) Math.min(left, bytes.length - at);
          message.content.write(bytes, at, length);
          at += length;
          left -= length;
          if (left == 0) {
            if (state == State.LENGTH) {
              complete();
            } else {
              state = State.CHUNK_END;
            }
          }
        }
        case UNTIL_CLOSE -> {
          message.content.write(bytes, at, bytes.length - at);
          at = bytes.length;
        }
        case RAW -> {
          listener.raw(Arrays.copyOfRange(bytes, at, bytes.length));
          at = bytes.length;
        }
        default -> {
          byte next = bytes[at++];
          if (next == '\n') {
            String text = line.toString(ISO_8859_1);
            line.reset();
            if (!text.endsWith("\r")) {
              throw new AssertionError("a line without CR: " + text);
            }
            line(text.substring(0, text.length() - 1));
          } else {
            line.write(next);
          }
        }
      }
    }
  }

  /** No more bytes come; whether that ends a message properly. */
  boolean closed() {
    if (state == State.UNTIL_CLOSE) {
      complete();
      return true;
    }
    return !isWithin();
  }

  private void line(String text) {
    switch (state) {
      case HEAD -> headLine(text);
      case CHUNK_SIZE -> {
        left = Long.parseLong(text.split(";", 2)[0].trim(), 16);
        state = left == 0 ? State.TRAILERS : State.CHUNK;
      }
      case CHUNK_END -> {
        if (!text.isEmpty()) {
          throw new AssertionError("bytes after a chunk: " + text);
        }
        state = State.CHUNK_SIZE;
      }
      default -> {
        if (text.isEmpty()) {
          complete();
        }
      }
    }
  }

  private void headLine(String text) {
    if (message == null) {
      message = new Message(text);
    } else if (!text.isEmpty()) {
      int colon = text.indexOf(':');
      String name = text.substring(0, colon).toLowerCase(Locale.ROOT);
      message.fields.merge(name, text.substring(colon + 1).trim(), (a, b) -> a + ", " + b);
    } else {
      headComplete();
    }
  }

  private void headComplete() {
    if (listener.switches(message)) {
      Message head = message;
      message = null;
      state = State.RAW;
      listener.head(head);
      return;
    }
    boolean none = listener.hasNoContent(message);
    String length = message.field("content-length");
    String coding = message.field("transfer-encoding");
    Message head = message;
    if (responses && head.status() / 100 == 1) {
      message = null; // an interim one
      return;
    }
    if (none || (coding == null && "0".equals(length))) {
      listener.head(head);
      complete();
    } else if (coding != null) {
      state = State.CHUNK_SIZE;
      listener.head(head);
    } else if (length != null) {
      left = Long.parseLong(length);
      state = State.LENGTH;
      listener.head(head);
    } else if (responses) {
      head.untilClose = true;
      state = State.UNTIL_CLOSE;
      listener.head(head);
    } else {
      listener.head(head);
      complete();
    }
  }

  private void complete() {
    Message done = message;
    message = null;
    state = State.HEAD;
    listener.complete(done);
  }
}
