package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The head of a request: request line and fields, as offsets into one array. Confined to one
 * thread; the parser fills a reusable instance. Code that needs it longer than the call takes a
 * {@link #snapshot}.
 *
 * <p>Versions are {@code 10} for HTTP/1.0 and {@code 11} for HTTP/1.1.
 */
public final class RequestHead {
  private static final int EXPECTED_FIELDS = 32;

  private final Fields fields;
  private int methodId;
  private int methodStart;
  private int methodEnd;
  private int targetStart;
  private int targetEnd;
  private int version;
  private int end;

  public RequestHead() {
    this(new Fields(EXPECTED_FIELDS));
  }

  private RequestHead(Fields fields) {
    this.fields = fields;
  }

  /** Starts over with {@code bytes}, borrowed until the next call or {@link #snapshot}. */
  public void clear(byte[] bytes) {
    fields.clear(bytes);
    methodId = Method.OTHER;
    methodStart = 0;
    methodEnd = 0;
    targetStart = 0;
    targetEnd = 0;
    version = 0;
    end = 0;
  }

  /** For the parser: sets the request line by offsets. */
  public void requestLine(
      int methodStart, int methodEnd, int targetStart, int targetEnd, int version) {
    this.methodStart = methodStart;
    this.methodEnd = methodEnd;
    this.methodId = Method.of(fields.bytes(), methodStart, methodEnd - methodStart);
    this.targetStart = targetStart;
    this.targetEnd = targetEnd;
    this.version = version;
  }

  /** For the parser: the offset after the empty line that ends the head. */
  public void end(int end) {
    this.end = end;
  }

  /** An independent copy on its own exact array: the head's bytes only. */
  public RequestHead snapshot() {
    RequestHead copy = new RequestHead(fields.over(Arrays.copyOf(fields.bytes(), end)));
    copy.methodId = methodId;
    copy.methodStart = methodStart;
    copy.methodEnd = methodEnd;
    copy.targetStart = targetStart;
    copy.targetEnd = targetEnd;
    copy.version = version;
    copy.end = end;
    return copy;
  }

  /** The same, with GET in place of HEAD. */
  public RequestHead snapshotAsGet() {
    RequestHead copy = snapshot();
    if (methodId == Method.HEAD) {
      byte[] get = Method.text(Method.GET).getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(get, 0, copy.bytes(), methodStart, get.length);
      copy.methodId = Method.GET;
      copy.methodEnd = methodStart + get.length;
    }
    return copy;
  }

  /** An independent copy with another request-target. */
  public RequestHead snapshotFor(String target) {
    Fields old = fields;
    int fieldsStart = old.count() == 0 ? end - 2 : old.nameStart(0);
    FieldLines text = new FieldLines(end + target.length());
    text.append(bytes(), methodStart, methodEnd).append(' ').append(target);
    int newTargetEnd = text.length();
    text.append(" HTTP/1.1\r\n");
    int moved = text.length() - fieldsStart;
    text.append(bytes(), fieldsStart, end);
    Fields changed = new Fields(EXPECTED_FIELDS);
    for (int i = 0; i < old.count(); i++) {
      changed.add(
          old.id(i),
          old.nameStart(i) + moved,
          old.nameLength(i),
          old.valueStart(i) + moved,
          old.valueEnd(i) + moved);
    }
    RequestHead copy = new RequestHead(changed.over(text.toBytes()));
    int methodLength = methodEnd - methodStart;
    copy.requestLine(0, methodLength, methodLength + 1, newTargetEnd, version);
    copy.end = text.length();
    return copy;
  }

  /**
   * An independent copy, a GET, without the fields in {@code without}, and with others after the
   * remaining ones.
   *
   * @param more names and values by turns
   */
  public RequestHead snapshotAsGet(FieldSet without, String... more) {
    RequestHead get = snapshotAsGet();
    Fields old = get.fields;
    int start = old.count() == 0 ? get.end : old.nameStart(0);
    FieldLines lines = new FieldLines(get.end + 128).append(old.bytes(), 0, start);
    Fields changed = new Fields(EXPECTED_FIELDS);
    for (int i = 0; i < old.count(); i++) {
      if (!without.has(old.id(i))) {
        int name = lines.length();
        lines.add(old, i);
        changed.add(
            old.id(i),
            name,
            old.nameLength(i),
            valueAt(name, old.nameLength(i)),
            lines.length() - 2);
      }
    }
    for (int i = 0; i < more.length; i += 2) {
      int name = lines.length();
      int length = more[i].length();
      lines.add(more[i], more[i + 1]);
      changed.add(
          FieldName.of(lines.bytes(), name, length),
          name,
          length,
          valueAt(name, length),
          lines.length() - 2);
    }
    RequestHead copy = new RequestHead(changed.over(lines.endLine().toBytes()));
    copy.methodId = get.methodId;
    copy.methodStart = get.methodStart;
    copy.methodEnd = get.methodEnd;
    copy.targetStart = get.targetStart;
    copy.targetEnd = get.targetEnd;
    copy.version = get.version;
    copy.end = lines.length();
    return copy;
  }

  private static int valueAt(int nameStart, int nameLength) {
    return nameStart + nameLength + 2;
  }

  public Fields fields() {
    return fields;
  }

  public byte[] bytes() {
    return fields.bytes();
  }

  /** A {@link Method} id. */
  public int methodId() {
    return methodId;
  }

  public int methodStart() {
    return methodStart;
  }

  public int methodEnd() {
    return methodEnd;
  }

  public int targetStart() {
    return targetStart;
  }

  public int targetEnd() {
    return targetEnd;
  }

  public int version() {
    return version;
  }

  /** Bytes of the head, the empty line included (and any empty lines before the request line). */
  public int end() {
    return end;
  }

  /** A new string, or a constant if the method is known. */
  public String method() {
    return methodId != Method.OTHER
        ? Method.text(methodId)
        : new String(bytes(), methodStart, methodEnd - methodStart, StandardCharsets.ISO_8859_1);
  }

  /** A new string: the request-target as received. */
  public String target() {
    return new String(bytes(), targetStart, targetEnd - targetStart, StandardCharsets.ISO_8859_1);
  }
}
