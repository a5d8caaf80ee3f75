package io.loligo.server.trace;

import io.loligo.core.message.Fields;
import io.loligo.server.record.ExchangeRecord;
import org.jspecify.annotations.Nullable;

/**
 * The field {@code traceparent} of a request (W3C Trace Context, section 3.2). Immutable.
 *
 * @param traceHigh first half of the id of the trace
 * @param traceLow its second half
 * @param spanId id of the span that sent the request; not 0
 * @param flags trace flags, one byte
 */
public record TraceParent(long traceHigh, long traceLow, long spanId, int flags) {
  /** Name of the field. */
  public static final String NAME = "traceparent";

  /** Length of the value in version 00: version, trace id, span id, flags. */
  private static final int LENGTH = 55;

  private static final int TRACE_AT = 3;
  private static final int SPAN_AT = 36;
  private static final int FLAGS_AT = 53;

  /** The flag "sampled". */
  static final int SAMPLED = 1;

  /** Sampled, and "the trace id is random": all flags that the standard defines. */
  private static final int KNOWN_FLAGS = 3;

  /** The only traceparent in {@code fields}; null: there is none, or it is invalid. */
  public static @Nullable TraceParent of(Fields fields) {
    int only = only(fields);
    return only < 0 ? null : parsed(fields.bytes(), fields.valueStart(only), fields.valueEnd(only));
  }

  /** The place of the only field; -1: there is none, or several. */
  private static int only(Fields fields) {
    int first = fields.next(NAME, 0);
    return first >= 0 && fields.next(NAME, first + 1) < 0 ? first : -1;
  }

  private static @Nullable TraceParent parsed(byte[] bytes, int start, int end) {
    int length = end - start;
    if (length < LENGTH || !dashesAt(bytes, start)) {
      return null;
    }
    long version = hex(bytes, start, 2);
    boolean longer = length > LENGTH;
    // a later version may add a dash and more behind the four parts
    boolean fits = version == 0 ? !longer : !longer || bytes[start + LENGTH] == '-';
    long high = hex(bytes, start + TRACE_AT, 16);
    long low = hex(bytes, start + TRACE_AT + 16, 16);
    long span = hex(bytes, start + SPAN_AT, 16);
    long flags = hex(bytes, start + FLAGS_AT, 2);
    boolean digits =
        isHex(bytes, start, 2)
            && isHex(bytes, start + TRACE_AT, 32)
            && isHex(bytes, start + SPAN_AT, 16)
            && isHex(bytes, start + FLAGS_AT, 2);
    boolean named = (high | low) != 0 && span != 0;
    return digits && named && fits && version != 0xff
        ? new TraceParent(high, low, span, (int) flags)
        : null;
  }

  private static boolean dashesAt(byte[] bytes, int start) {
    return bytes[start + TRACE_AT - 1] == '-'
        && bytes[start + SPAN_AT - 1] == '-'
        && bytes[start + FLAGS_AT - 1] == '-';
  }

  private static boolean isHex(byte[] bytes, int at, int digits) {
    for (int i = at; i < at + digits; i++) {
      byte b = bytes[i];
      boolean digit = (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f');
      if (!digit) {
        return false;
      }
    }
    return true;
  }

  /** The number of {@code digits} digits; any number where one is none. */
  private static long hex(byte[] bytes, int at, int digits) {
    long value = 0;
    for (int i = at; i < at + digits; i++) {
      value = (value << 4) | (Character.digit(bytes[i], 16) & 0xf);
    }
    return value;
  }

  /** Whether the caller records this trace. */
  public boolean sampled() {
    return (flags & SAMPLED) != 0;
  }

  /** The value for a request that the span {@code sending} sends: version 00, a new string. */
  public String sentBy(long sending) {
    return "00-" + traceId() + '-' + digits(sending) + "-0" + (flags & KNOWN_FLAGS);
  }

  /**
   * The value for the next hop of the exchange that {@code record} describes, whose request has
   * {@code fields}; null: they pass unchanged, because nothing records this trace.
   */
  public static @Nullable String sentOn(Fields fields, ExchangeRecord record) {
    TraceParent parent = of(fields);
    return parent == null || !parent.sampled() ? null : parent.sentBy(Span.FETCH.id(record));
  }

  /** 32 hexadecimal digits. */
  String traceId() {
    return digits(traceHigh) + digits(traceLow);
  }

  /** {@code id} as 16 hexadecimal digits. */
  static String digits(long id) {
    String digits = Long.toHexString(id);
    return "0".repeat(16 - digits.length()) + digits;
  }
}
