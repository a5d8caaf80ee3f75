package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The head of a response: status line and fields, as offsets into one array. Confined to one
 * thread; the parser fills a reusable instance. Code that needs it longer than the call takes a
 * {@link #snapshot}.
 */
public final class ResponseHead {
  private static final int EXPECTED_FIELDS = 32;

  private final Fields fields;
  private int status;
  private int reasonStart;
  private int reasonEnd;
  private int version;
  private int end;

  public ResponseHead() {
    this(new Fields(EXPECTED_FIELDS));
  }

  private ResponseHead(Fields fields) {
    this.fields = fields;
  }

  /** Starts over with {@code bytes}, borrowed until the next call or {@link #snapshot}. */
  public void clear(byte[] bytes) {
    fields.clear(bytes);
    status = 0;
    reasonStart = 0;
    reasonEnd = 0;
    version = 0;
    end = 0;
  }

  /** For the parser: sets the status line. */
  public void statusLine(int version, int status, int reasonStart, int reasonEnd) {
    this.version = version;
    this.status = status;
    this.reasonStart = reasonStart;
    this.reasonEnd = reasonEnd;
  }

  /** For the parser: the offset after the empty line that ends the head. */
  public void end(int end) {
    this.end = end;
  }

  /** An independent copy on its own exact array. */
  public ResponseHead snapshot() {
    ResponseHead copy = new ResponseHead(fields.over(Arrays.copyOf(fields.bytes(), end)));
    copy.status = status;
    copy.reasonStart = reasonStart;
    copy.reasonEnd = reasonEnd;
    copy.version = version;
    copy.end = end;
    return copy;
  }

  public Fields fields() {
    return fields;
  }

  public byte[] bytes() {
    return fields.bytes();
  }

  /** 100 to 999. */
  public int status() {
    return status;
  }

  /** {@code 10}, {@code 11} or {@code 20}. */
  public int version() {
    return version;
  }

  public int end() {
    return end;
  }

  /** A new string: the reason phrase as received, often empty. */
  public String reason() {
    return new String(bytes(), reasonStart, reasonEnd - reasonStart, StandardCharsets.ISO_8859_1);
  }
}
