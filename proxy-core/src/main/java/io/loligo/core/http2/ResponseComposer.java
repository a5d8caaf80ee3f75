package io.loligo.core.http2;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
  private ParseLimits limits = ParseLimits.DEFAULT;
  private byte[] bytes = new byte[1_024];
  private int length;
  private int size;
  private int status;
  private @Nullable ParseFailure failure;

  /** Begins another head, within {@code newLimits}. */
  public void begin(ParseLimits newLimits) {
    limits = newLimits;
    failure = null;
    length = 0;
    size = 0;
    status = 0;
    head.clear(bytes);
  }

  @Override
  public void field(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    if (failure != null) {
      return;
    }
    size += nameLength + valueLength + 4;
    if (size > limits.maxHeadBytes()) {
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
    if (status != 0 || !isStatus(name, nameStart, nameLength)) {
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
    append(VERSION, 0, VERSION.length);
    append(value, valueStart, valueLength);
    reserve(1);
    bytes[length++] = ' ';
    head.statusLine(20, number, length, length);
    endLine();
  }

  private static boolean isStatus(byte[] name, int start, int nameLength) {
    if (nameLength != STATUS.length()) {
      return false;
    }
    for (int i = 0; i < nameLength; i++) {
      if (name[start + i] != STATUS.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private void regular(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    failure =
        RequestComposer.invalid(
            name, nameStart, nameLength, value, valueStart, valueStart + valueLength);
    if (failure != null) {
      return;
    }
    int id = FieldName.of(name, nameStart, nameLength);
    if (HpackEncoder.OF_CONNECTION.has(id) || id == FieldName.HTTP2_SETTINGS) {
      failure = ParseFailure.FIELD_OF_CONNECTION;
      return;
    }
    if (head.fields().count() >= limits.maxFields()) {
      failure = ParseFailure.TOO_MANY_FIELDS;
      return;
    }
    int lineStart = length;
    append(name, nameStart, nameLength);
    reserve(2);
    bytes[length++] = ':';
    bytes[length++] = ' ';
    int start = length;
    append(value, valueStart, valueLength);
    head.fields().add(id, lineStart, nameLength, start, length);
    endLine();
  }

  private void endLine() {
    reserve(2);
    bytes[length++] = '\r';
    bytes[length++] = '\n';
  }

  private void append(byte[] source, int start, int count) {
    reserve(count);
    System.arraycopy(source, start, bytes, length, count);
    length += count;
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
      head.fields().rebase(bytes);
    }
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
      endLine();
      head.end(length);
    }
    return failure;
  }

  /** The head, borrowed until {@link #begin}; its version is 20, its reason phrase empty. */
  public ResponseHead head() {
    return head;
  }
}
