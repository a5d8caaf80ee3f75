package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request head in place (RFC 9112 sections 2.2, 3 and 5), resuming where it stopped.
 * Confined to one thread; reusable; allocates nothing.
 *
 * <p>The caller keeps the bytes in one array from offset 0 and calls again with more of them, in
 * the same array or in a copy, and with the same head. It reads each byte at most twice, however
 * the head is cut: once in the scan, which never goes back; and, in the method, in field names and
 * in white space after a value, once more when the name or the value is complete.
 *
 * <p>It refuses heads that another recipient might read differently: bare CR and LF, folded lines,
 * white space around names, a second space in the request line, control characters.
 *
 * <pre>
 * state         at                                    goes to
 * START         first byte, or after an empty line    EMPTY_LF, METHOD
 * EMPTY_LF      after the CR of an empty line         START
 * METHOD        inside the method                     TARGET
 * TARGET        inside the request-target             VERSION
 * VERSION       inside the version                    LINE_CR
 * LINE_CR       after the version                     LINE_LF
 * LINE_LF       after the CR of the request line      FIELDS
 * FIELDS        see {@link FieldSection}              COMPLETE
 * </pre>
 */
public final class Http1RequestParser {
  /** Outcome of a call. */
  public enum Result {
    NEED_MORE,
    COMPLETE,
    FAILED
  }

  /** Empty lines tolerated before a request line (RFC 9112 section 2.2): {@value}. */
  public static final int MAX_EMPTY_LINES = 4;

  private static final int START = 0;
  private static final int EMPTY_LF = 1;
  private static final int METHOD = 2;
  private static final int TARGET = 3;
  private static final int VERSION = 4;
  private static final int LINE_CR = 5;
  private static final int LINE_LF = 6;
  private static final int FIELDS = 7;
  private static final int COMPLETE = 8;
  private static final int FAILED = 9;

  private final int maxHeadBytes;
  private final int maxTargetBytes;
  private final FieldSection section;
  private boolean begun;
  private int state;
  private int position;
  private int emptyLines;
  private int methodStart;
  private int targetStart;
  private int targetEnd;
  private int version;
  private @Nullable ParseFailure failure;
  private int failureOffset;

  /** A parser with these limits. */
  public Http1RequestParser(ParseLimits limits) {
    maxHeadBytes = Math.min(limits.maxHeadBytes(), Fields.MAX_NAME_BYTES);
    maxTargetBytes = limits.maxTargetBytes();
    section = new FieldSection(limits.maxFields());
  }

  /** Forgets everything: the next call starts a new head at offset 0. */
  public void reset() {
    begun = false;
    state = START;
    position = 0;
    emptyLines = 0;
    failure = null;
    section.reset();
  }

  /** Counts empty lines that the caller has left out before the head. */
  public void skipped(int lines) {
    emptyLines = lines;
  }

  /**
   * Parses {@code bytes[0, length)}. On {@link Result#COMPLETE} {@code head} refers to {@code
   * bytes}, borrowed, and {@code head.end()} tells where content starts. A head over the limit
   * fails as soon as that is certain, complete or not.
   */
  public Result parse(byte[] bytes, int length, RequestHead head) {
    if (begun) {
      head.fields().rebase(bytes);
    } else {
      begun = true;
      head.clear(bytes);
    }
    int end = Math.min(length, maxHeadBytes);
    int at = position;
    while (at < end && state < FIELDS) {
      at = step(bytes, at, end, head);
    }
    if (state == FIELDS) {
      at = fields(bytes, at, end, head);
    }
    position = at;
    if (state < COMPLETE) {
      if (end < maxHeadBytes) {
        return Result.NEED_MORE;
      }
      fail(ParseFailure.HEAD_TOO_LARGE, end);
    }
    return state == COMPLETE ? Result.COMPLETE : Result.FAILED;
  }

  /** The reason of {@link Result#FAILED}. */
  public @Nullable ParseFailure failure() {
    return failure;
  }

  /** Offset of the offending byte, after {@link Result#FAILED}. */
  public int failureOffset() {
    return failureOffset;
  }

  /** Bytes scanned so far; the scan continues from here. */
  int position() {
    return position;
  }

  private int step(byte[] bytes, int at, int end, RequestHead head) {
    return switch (state) {
      case START -> start(bytes, at, end);
      case EMPTY_LF -> emptyLine(bytes, at);
      case METHOD -> method(bytes, at, end);
      case TARGET -> target(bytes, at, end);
      case VERSION -> version(bytes, at, end);
      default -> endOfLine(bytes, at, head);
    };
  }

  private int start(byte[] bytes, int at, int end) {
    byte first = bytes[at];
    if (Ascii.isToken(first)) {
      methodStart = at;
      state = METHOD;
      return method(bytes, at, end);
    }
    return switch (first) {
      case '\r' -> {
        state = EMPTY_LF;
        yield at + 1;
      }
      case '\n' -> fail(ParseFailure.BARE_LF, at);
      case ' ' -> fail(ParseFailure.BAD_REQUEST_LINE, at);
      default -> fail(ParseFailure.BAD_METHOD, at);
    };
  }

  private int emptyLine(byte[] bytes, int at) {
    if (bytes[at] != '\n') {
      return fail(ParseFailure.BARE_CR, at - 1);
    }
    if (++emptyLines > MAX_EMPTY_LINES) {
      return fail(ParseFailure.BAD_REQUEST_LINE, at);
    }
    state = START;
    return at + 1;
  }

  private int method(byte[] bytes, int at, int end) {
    int to = ByteRuns.endOfToken(bytes, at, end);
    if (to == end) {
      return end;
    }
    byte b = bytes[to];
    if (b != ' ') {
      boolean lineEnds = b == '\r' || b == '\n';
      return fail(lineEnds ? ParseFailure.BAD_REQUEST_LINE : ParseFailure.BAD_METHOD, to);
    }
    targetStart = to + 1;
    state = TARGET;
    return targetStart;
  }

  private int target(byte[] bytes, int at, int end) {
    int to = ByteRuns.endOfTarget(bytes, at, end);
    if (to - targetStart > maxTargetBytes) {
      return fail(ParseFailure.TARGET_TOO_LONG, targetStart + maxTargetBytes);
    }
    if (to == end) {
      return end;
    }
    byte b = bytes[to];
    if (b != ' ' || to == targetStart) {
      boolean misplaced = b == '\r' || b == '\n' || b == ' ';
      return fail(misplaced ? ParseFailure.BAD_REQUEST_LINE : ParseFailure.BAD_TARGET, to);
    }
    targetEnd = to;
    state = VERSION;
    return to + 1;
  }

  private int version(byte[] bytes, int at, int end) {
    int start = targetEnd + 1;
    int to = Version.scan(bytes, start, at, end);
    if (to < 0) {
      boolean major = ~to == start + Version.MAJOR && Ascii.isDigit(bytes[~to]);
      return fail(major ? ParseFailure.UNSUPPORTED_VERSION : ParseFailure.BAD_REQUEST_LINE, ~to);
    }
    if (to == start + Version.LENGTH) {
      version = Version.of(bytes, start);
      state = LINE_CR;
    }
    return to;
  }

  private int endOfLine(byte[] bytes, int at, RequestHead head) {
    if (state == LINE_CR) {
      if (bytes[at] != '\r') {
        boolean bare = bytes[at] == '\n';
        return fail(bare ? ParseFailure.BARE_LF : ParseFailure.BAD_REQUEST_LINE, at);
      }
      state = LINE_LF;
      return at + 1;
    }
    if (bytes[at] != '\n') {
      return fail(ParseFailure.BARE_CR, at - 1);
    }
    head.requestLine(methodStart, targetStart - 1, targetStart, targetEnd, version);
    state = FIELDS;
    return at + 1;
  }

  private int fields(byte[] bytes, int at, int end, RequestHead head) {
    int to = section.parse(bytes, at, end, head.fields());
    if (section.isComplete()) {
      head.end(to);
      state = COMPLETE;
    } else if (section.failure() != null) {
      fail(section.failure(), section.failureOffset());
    }
    return to;
  }

  private int fail(ParseFailure why, int offset) {
    state = FAILED;
    failure = why;
    failureOffset = offset;
    return offset;
  }
}
