package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import org.jspecify.annotations.Nullable;

/**
 * Parses field lines up to the empty line (RFC 9112 section 5), resuming where it stopped. Confined
 * to one thread; reusable.
 *
 * <pre>
 * state      at                                  goes to
 * LINE       first byte of a line               NAME, LAST_LF
 * NAME       inside the field name               SPACE
 * SPACE      white space before the value        VALUE
 * VALUE      inside the value                    LINE_LF
 * LINE_LF    after the CR of a field line        LINE
 * LAST_LF    after the CR of the empty line      COMPLETE
 * </pre>
 */
final class FieldSection {
  private static final int LINE = 0;
  private static final int NAME = 1;
  private static final int SPACE = 2;
  private static final int VALUE = 3;
  private static final int LINE_LF = 4;
  private static final int LAST_LF = 5;
  private static final int COMPLETE = 6;
  private static final int FAILED = 7;

  private final int maxFields;
  private int state;
  private int nameStart;
  private int nameEnd;
  private int valueStart;
  private @Nullable ParseFailure failure;
  private int failureOffset;

  FieldSection(int maxFields) {
    this.maxFields = maxFields;
  }

  void reset() {
    state = LINE;
    failure = null;
  }

  /**
   * Adds the fields of {@code bytes[position, end)} to {@code fields}, a section over {@code
   * bytes}, and returns the offset up to which bytes were consumed: the position of the next call,
   * the end of the section, or {@link #failureOffset}.
   */
  int parse(byte[] bytes, int position, int end, Fields fields) {
    int at = position;
    while (at < end && state < COMPLETE) {
      at =
          switch (state) {
            case LINE -> line(bytes, at, end, fields);
            case NAME -> name(bytes, at, end, fields);
            case SPACE -> space(bytes, at, end, fields);
            case VALUE -> value(bytes, at, end, fields);
            default -> lineFeed(bytes, at);
          };
    }
    return at;
  }

  boolean isComplete() {
    return state == COMPLETE;
  }

  /** Why the section was refused, or null. */
  @Nullable ParseFailure failure() {
    return failure;
  }

  int failureOffset() {
    return failureOffset;
  }

  private int line(byte[] bytes, int at, int end, Fields fields) {
    byte first = bytes[at];
    if (Ascii.isToken(first)) {
      if (fields.count() >= maxFields) {
        return fail(ParseFailure.TOO_MANY_FIELDS, at);
      }
      nameStart = at;
      state = NAME;
      return name(bytes, at, end, fields);
    }
    return switch (first) {
      case '\r' -> {
        state = LAST_LF;
        yield at + 1;
      }
      case '\n' -> fail(ParseFailure.BARE_LF, at);
      case ' ', '\t' -> fail(ParseFailure.OBSOLETE_FOLDING, at);
      default -> fail(ParseFailure.BAD_FIELD_NAME, at);
    };
  }

  private int name(byte[] bytes, int at, int end, Fields fields) {
    int to = ByteRuns.endOfToken(bytes, at, end);
    if (to == end) {
      return end;
    }
    if (bytes[to] != ':') {
      return fail(ParseFailure.BAD_FIELD_NAME, to);
    }
    nameEnd = to;
    state = SPACE;
    return space(bytes, to + 1, end, fields);
  }

  private int space(byte[] bytes, int at, int end, Fields fields) {
    int to = at;
    while (to < end && Ascii.isBlank(bytes[to])) {
      to++;
    }
    if (to == end) {
      return end;
    }
    valueStart = to;
    state = VALUE;
    return value(bytes, to, end, fields);
  }

  private int value(byte[] bytes, int at, int end, Fields fields) {
    int to = ByteRuns.endOfValue(bytes, at, end);
    if (to == end) {
      return end;
    }
    if (bytes[to] != '\r') {
      return fail(bytes[to] == '\n' ? ParseFailure.BARE_LF : ParseFailure.BAD_FIELD_VALUE, to);
    }
    int valueEnd = to;
    while (valueEnd > valueStart && Ascii.isBlank(bytes[valueEnd - 1])) {
      valueEnd--;
    }
    int length = nameEnd - nameStart;
    fields.add(FieldName.of(bytes, nameStart, length), nameStart, length, valueStart, valueEnd);
    state = LINE_LF;
    return to + 1 < end ? lineFeed(bytes, to + 1) : end;
  }

  private int lineFeed(byte[] bytes, int at) {
    if (bytes[at] != '\n') {
      return fail(ParseFailure.BARE_CR, at - 1);
    }
    state = state == LAST_LF ? COMPLETE : LINE;
    return at + 1;
  }

  private int fail(ParseFailure why, int offset) {
    state = FAILED;
    failure = why;
    failureOffset = offset;
    return offset;
  }
}
