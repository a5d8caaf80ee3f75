package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * Parses a response head in place (RFC 9112 sections 4 and 5), resuming where it stopped. Confined
 * to one thread; reusable; allocates nothing.
 *
 * <p>The caller keeps the bytes in one array from offset 0 and calls again with more of them, in
 * the same array or in a copy, and with the same head. It reads each byte at most twice, however
 * the head is cut.
 *
 * <p>As strict as {@link Http1RequestParser}, with one leniency of the RFC's grammar in common use:
 * the space before an empty reason phrase may be missing.
 *
 * <pre>
 * state         at                                    goes to
 * VERSION       inside the version                    SPACE
 * SPACE         after the version                     STATUS
 * STATUS        inside the status code                REASON_SPACE
 * REASON_SPACE  after the status code                 REASON, LINE_LF
 * REASON        inside the reason phrase              LINE_LF
 * LINE_LF       after the CR of the status line       FIELDS
 * FIELDS        see {@link FieldSection}              COMPLETE
 * </pre>
 */
public final class Http1ResponseParser {
  /** Outcome of a call. */
  public enum Result {
    NEED_MORE,
    COMPLETE,
    FAILED
  }

  private static final int VERSION = 0;
  private static final int SPACE = 1;
  private static final int STATUS = 2;
  private static final int REASON_SPACE = 3;
  private static final int REASON = 4;
  private static final int LINE_LF = 5;
  private static final int FIELDS = 6;
  private static final int COMPLETE = 7;
  private static final int FAILED = 8;

  private static final int STATUS_START = Version.LENGTH + 1;
  private static final int STATUS_END = STATUS_START + 3;

  private final int maxHeadBytes;
  private final FieldSection section;
  private boolean begun;
  private int state;
  private int position;
  private int status;
  private int reasonStart;
  private int reasonEnd;
  private @Nullable ParseFailure failure;
  private int failureOffset;

  /** A parser with these limits. */
  public Http1ResponseParser(ParseLimits limits) {
    maxHeadBytes = Math.min(limits.maxHeadBytes(), Fields.MAX_NAME_BYTES);
    section = new FieldSection(limits.maxFields());
  }

  /** Forgets everything: the next call starts a new head at offset 0. */
  public void reset() {
    begun = false;
    state = VERSION;
    position = 0;
    status = 0;
    failure = null;
    section.reset();
  }

  /**
   * Parses {@code bytes[0, length)}. On {@link Result#COMPLETE} {@code head} refers to {@code
   * bytes}, borrowed, and {@code head.end()} tells where content starts. A head over the limit
   * fails as soon as that is certain, complete or not.
   */
  public Result parse(byte[] bytes, int length, ResponseHead head) {
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

  private int step(byte[] bytes, int at, int end, ResponseHead head) {
    return switch (state) {
      case VERSION -> version(bytes, at, end);
      case SPACE -> space(bytes, at);
      case STATUS -> status(bytes, at);
      case REASON_SPACE -> reasonSpace(bytes, at);
      case REASON -> reason(bytes, at, end);
      default -> lineFeed(bytes, at, head);
    };
  }

  private int version(byte[] bytes, int at, int end) {
    int to = Version.scan(bytes, 0, at, end);
    if (to < 0) {
      boolean major = ~to == Version.MAJOR && Ascii.isDigit(bytes[~to]);
      return fail(major ? ParseFailure.UNSUPPORTED_VERSION : ParseFailure.BAD_STATUS_LINE, ~to);
    }
    if (to == Version.LENGTH) {
      state = SPACE;
    }
    return to;
  }

  private int space(byte[] bytes, int at) {
    if (bytes[at] != ' ') {
      return fail(ParseFailure.BAD_STATUS_LINE, at);
    }
    state = STATUS;
    return at + 1;
  }

  private int status(byte[] bytes, int at) {
    byte b = bytes[at];
    if (!Ascii.isDigit(b) || (at == STATUS_START && (b < '1' || b > '5'))) {
      return fail(ParseFailure.BAD_STATUS_LINE, at);
    }
    status = status * 10 + b - '0';
    if (at + 1 == STATUS_END) {
      state = REASON_SPACE;
    }
    return at + 1;
  }

  private int reasonSpace(byte[] bytes, int at) {
    reasonStart = at + 1;
    if (bytes[at] == ' ') {
      state = REASON;
      return at + 1;
    }
    if (bytes[at] == '\r') {
      reasonStart = at;
      reasonEnd = at;
      state = LINE_LF;
      return at + 1;
    }
    return fail(bytes[at] == '\n' ? ParseFailure.BARE_LF : ParseFailure.BAD_STATUS_LINE, at);
  }

  private int reason(byte[] bytes, int at, int end) {
    int to = ByteRuns.endOfValue(bytes, at, end);
    if (to == end) {
      return end;
    }
    if (bytes[to] != '\r') {
      return fail(bytes[to] == '\n' ? ParseFailure.BARE_LF : ParseFailure.BAD_STATUS_LINE, to);
    }
    reasonEnd = to;
    state = LINE_LF;
    return to + 1;
  }

  private int lineFeed(byte[] bytes, int at, ResponseHead head) {
    if (bytes[at] != '\n') {
      return fail(ParseFailure.BARE_CR, at - 1);
    }
    head.statusLine(Version.of(bytes, 0), status, reasonStart, reasonEnd);
    state = FIELDS;
    return at + 1;
  }

  private int fields(byte[] bytes, int at, int end, ResponseHead head) {
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
