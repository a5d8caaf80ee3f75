package io.loligo.core.http2;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Makes the head of a response from decoded fields, in the same form as a head of HTTP/1: bytes
 * with a status line, and offsets. Confined to one thread; reusable; allocates nothing once its
 * arrays have grown.
 *
 * <p>It refuses everything that HTTP/2 can express and a client of HTTP/1 must not receive (RFC
 * 9113 sections 8.2 and 8.3.2): names that are not tokens in lower case, values with control
 * characters or white space at their ends, fields of a connection, any pseudo-header field but one
 * {@code :status} of three digits at the beginning, and 101.
 */
public final class ResponseComposer implements HpackDecoder.Sink {
  private static final String STATUS = ":status";
  private static final int STATUS_DIGITS = 3;
  private static final int SWITCHING_PROTOCOLS = 101;
  private static final byte[] VERSION = "HTTP/2.0 ".getBytes(StandardCharsets.US_ASCII);

  private final ResponseHead head = new ResponseHead();
  private final ComposedHead lines = new ComposedHead(head.fields());
  private ParseLimits limits = ParseLimits.DEFAULT;
  private int status;
  private @Nullable ParseFailure failure;

  /** Begins another head, within {@code newLimits}. */
  public void begin(ParseLimits newLimits) {
    limits = newLimits;
    failure = null;
    status = 0;
    head.clear(lines.clear());
  }

  @Override
  public void field(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    if (failure != null) {
      return;
    }
    if (!lines.counts(nameLength, valueLength, limits)) {
      failure = ParseFailure.HEAD_TOO_LARGE;
    } else if (nameLength > 0 && name[nameStart] == ':') {
      pseudo(name, nameStart, nameLength, value, valueStart, valueLength);
    } else if (status == 0) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
    } else {
      regular(name, nameStart, nameLength, value, valueStart, valueLength);
    }
  }

  private void pseudo(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    if (status != 0 || !ComposedHead.equal(name, nameStart, nameStart + nameLength, STATUS)) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
      return;
    }
    int number = 0;
    for (int i = valueStart; i < valueStart + valueLength; i++) {
      if (!Ascii.isDigit(value[i])) {
        failure = ParseFailure.BAD_STATUS_LINE;
        return;
      }
      number = number * 10 + value[i] - '0';
    }
    if (valueLength != STATUS_DIGITS || number < 100 || number > 599) {
      failure = ParseFailure.BAD_STATUS_LINE;
      return;
    }
    if (number == SWITCHING_PROTOCOLS) {
      failure = ParseFailure.UNASKED_SWITCH; // RFC 9113 section 8.6
      return;
    }
    status = number;
    lines.append(VERSION, 0, VERSION.length);
    lines.append(value, valueStart, valueLength);
    lines.append(' ');
    head.statusLine(20, number, lines.length(), lines.length());
    lines.endLine();
  }

  private void regular(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    failure =
        ComposedHead.invalid(
            name, nameStart, nameLength, value, valueStart, valueStart + valueLength);
    if (failure != null) {
      return;
    }
    int id = FieldName.of(name, nameStart, nameLength);
    failure =
        ComposedHead.isOfConnection(id)
            ? ParseFailure.FIELD_OF_CONNECTION
            : lines.add(id, name, nameStart, nameLength, value, valueStart, valueLength, limits);
  }

  /**
   * Completes the head after the last field.
   *
   * @return why it is malformed or beyond a limit; null: {@link #head} has it
   */
  public @Nullable ParseFailure finish() {
    if (failure == null && status == 0) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
    }
    if (failure == null) {
      lines.endLine();
      head.end(lines.length());
    }
    return failure;
  }

  /** The head, borrowed until {@link #begin}; its version is 20, its reason phrase empty. */
  public ResponseHead head() {
    return head;
  }
}
