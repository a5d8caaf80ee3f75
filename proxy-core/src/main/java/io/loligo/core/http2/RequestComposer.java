package io.loligo.core.http2;

import io.loligo.core.http1.ByteRuns;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.WebSocketHandshake;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes the head of a request from decoded fields, in the same form as a head of HTTP/1: bytes with
 * a request line, and offsets. Confined to one thread; reusable; allocates nothing once its arrays
 * have grown.
 *
 * <p>It refuses everything that HTTP/2 can express and HTTP/1 must not receive (RFC 9113 sections
 * 8.2 and 8.3): names that are not tokens in lower case, values with control characters or white
 * space at their ends, fields of a connection, pseudo-header fields that are unknown, repeated or
 * late, an {@code :authority} that differs from Host.
 *
 * <p>Cookie lines become one (section 8.2.3).
 *
 * <p>An extended CONNECT for WebSocket becomes the handshake of HTTP/1.1, with a key of this class
 * (RFC 8441 section 5).
 */
public final class RequestComposer implements HpackDecoder.Sink {
  private static final int DEFAULT_URGENCY = 3;
  private static final String PRIORITY = "priority";
  private static final Pseudo[] OTHERS = {Pseudo.SCHEME, Pseudo.AUTHORITY, Pseudo.PATH};
  private static final byte[] VERSION = ascii(" HTTP/2.0\r\n");
  private static final byte[] HOST = ascii("Host: ");
  private static final byte[] COOKIE = ascii("Cookie: ");
  private static final byte[] CRUMB_END = ascii("; ");
  private static final byte[] GET = ascii("GET");
  private static final byte[] CONNECTION = ascii("Connection");
  private static final byte[] UPGRADE = ascii("Upgrade");
  private static final byte[] PROTOCOL_NAME = ascii("websocket");
  private static final byte[] KEY = ascii(WebSocketHandshake.KEY);
  private static final String CLIENT_KEY = "sec-websocket-key";

  private final ParseLimits limits;
  private final RandomGenerator random;
  // pseudo-header fields: their values, one after the other; a negative start: absent
  private byte[] pseudo = new byte[256];
  private int pseudoLength;
  private final int[] starts = new int[Pseudo.values().length];
  private final int[] ends = new int[Pseudo.values().length];

  private byte[] cookie = new byte[256];
  private int cookieLength;

  private final RequestHead head = new RequestHead();
  private final ComposedHead lines = new ComposedHead(head.fields());
  private boolean absolute;
  private boolean regular;
  private boolean webSocket;
  private int urgency;
  private boolean incremental;
  private @Nullable ParseFailure failure;

  private enum Pseudo {
    METHOD,
    SCHEME,
    AUTHORITY,
    PATH,
    PROTOCOL
  }

  /**
   * Composes heads within {@code limits}.
   *
   * @param random source of the keys of WebSocket handshakes
   */
  public RequestComposer(ParseLimits limits, RandomGenerator random) {
    this.limits = limits;
    this.random = random;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Begins another head.
   *
   * @param absolute whether the request-target has the absolute form, as a forward proxy expects;
   *     else the origin form
   */
  public void begin(boolean absolute) {
    this.absolute = absolute;
    regular = false;
    webSocket = false;
    failure = null;
    pseudoLength = 0;
    cookieLength = 0;
    urgency = DEFAULT_URGENCY;
    incremental = false;
    Arrays.fill(starts, -1);
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
    } else {
      if (!regular) {
        requestLine();
      }
      if (failure == null) {
        regular(name, nameStart, nameLength, value, valueStart, valueLength);
      }
    }
  }

  private void pseudo(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    Pseudo which = which(name, nameStart, nameStart + nameLength);
    if (regular || which == null || starts[which.ordinal()] >= 0) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
      return;
    }
    int end = pseudoLength + valueLength;
    if (end > pseudo.length) {
      pseudo = Arrays.copyOf(pseudo, Math.max(end, 2 * pseudo.length));
    }
    System.arraycopy(value, valueStart, pseudo, pseudoLength, valueLength);
    starts[which.ordinal()] = pseudoLength;
    ends[which.ordinal()] = end;
    pseudoLength = end;
  }

  private static @Nullable Pseudo which(byte[] name, int start, int end) {
    // the third letter tells them apart; then the whole name is compared
    Pseudo which =
        end - start < 5
            ? null
            : switch (name[start + 2]) {
              case 'e' -> Pseudo.METHOD;
              case 'c' -> Pseudo.SCHEME;
              case 'u' -> Pseudo.AUTHORITY;
              case 'a' -> Pseudo.PATH;
              case 'r' -> Pseudo.PROTOCOL;
              default -> null;
            };
    if (which == null) {
      return null;
    }
    String text =
        switch (which) {
          case METHOD -> ":method";
          case SCHEME -> ":scheme";
          case AUTHORITY -> ":authority";
          case PATH -> ":path";
          case PROTOCOL -> ":protocol";
        };
    return ComposedHead.equal(name, start, end, text) ? which : null;
  }

  private boolean has(Pseudo which) {
    return starts[which.ordinal()] >= 0;
  }

  private boolean isEmpty(Pseudo which) {
    return starts[which.ordinal()] >= ends[which.ordinal()];
  }

  /** All pseudo-header fields are there: checks them, and writes the request line and Host. */
  private void requestLine() {
    regular = true;
    boolean connect =
        has(Pseudo.METHOD)
            && ComposedHead.equal(
                pseudo,
                starts[Pseudo.METHOD.ordinal()],
                ends[Pseudo.METHOD.ordinal()],
                Method.text(Method.CONNECT));
    boolean extended = connect && has(Pseudo.PROTOCOL);
    if (!isValid(connect, extended)) {
      return;
    }
    int method = lines.length();
    if (extended) {
      lines.append(GET, 0, GET.length);
    } else {
      append(Pseudo.METHOD);
    }
    int methodEnd = lines.length();
    lines.append(' ');
    int target = lines.length();
    if (connect && !extended) {
      append(Pseudo.AUTHORITY);
    } else {
      if (absolute && has(Pseudo.AUTHORITY) && pseudo[starts[Pseudo.PATH.ordinal()]] == '/') {
        append(Pseudo.SCHEME);
        lines.append(':');
        lines.append('/');
        lines.append('/');
        append(Pseudo.AUTHORITY);
      }
      append(Pseudo.PATH);
    }
    int targetEnd = lines.length();
    if (targetEnd - target > limits.maxTargetBytes()) {
      failure = ParseFailure.TARGET_TOO_LONG;
      return;
    }
    lines.append(VERSION, 0, VERSION.length);
    head.fields().rebase(lines.bytes());
    head.requestLine(method, methodEnd, target, targetEnd, 20);
    if (has(Pseudo.AUTHORITY)) {
      int name = lines.length();
      lines.append(HOST, 0, HOST.length);
      int value = lines.length();
      append(Pseudo.AUTHORITY);
      head.fields().add(FieldName.HOST, name, 4, value, lines.length());
      lines.endLine();
    }
    if (extended) {
      handshake();
    }
  }

  private void handshake() {
    webSocket = true;
    add(FieldName.CONNECTION, CONNECTION, UPGRADE);
    add(FieldName.UPGRADE, UPGRADE, PROTOCOL_NAME);
    add(FieldName.OTHER, KEY, WebSocketHandshake.key(random));
  }

  private boolean isValid(boolean connect, boolean extended) {
    if (!has(Pseudo.METHOD) || isEmpty(Pseudo.METHOD) || has(Pseudo.PROTOCOL) != extended) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
      return false;
    }
    boolean complete =
        (connect && !extended)
            ? !has(Pseudo.SCHEME) && !has(Pseudo.PATH) && has(Pseudo.AUTHORITY)
            : has(Pseudo.SCHEME)
                && !isEmpty(Pseudo.SCHEME)
                && has(Pseudo.PATH)
                && !isEmpty(Pseudo.PATH);
    if (!complete || (extended && isEmpty(Pseudo.PROTOCOL))) {
      failure = ParseFailure.BAD_PSEUDO_FIELD;
      return false;
    }
    int methodStart = starts[Pseudo.METHOD.ordinal()];
    int methodEnd = ends[Pseudo.METHOD.ordinal()];
    if (ByteRuns.endOfToken(pseudo, methodStart, methodEnd) != methodEnd) {
      failure = ParseFailure.BAD_METHOD;
      return false;
    }
    // the other values become parts of the request-target, and of Host
    if (!othersAreVisible() || !isPathOrAsterisk(connect && !extended)) {
      failure = ParseFailure.BAD_TARGET;
      return false;
    }
    if (extended && !isWebSocket()) {
      failure = ParseFailure.UNSUPPORTED_PROTOCOL;
      return false;
    }
    return true;
  }

  /**
   * Whether {@code :path} is a path or an asterisk (RFC 9113 section 8.3.1): a URL would name
   * another host than {@code :authority}.
   *
   * @param without whether the request has no {@code :path}
   */
  private boolean isPathOrAsterisk(boolean without) {
    if (without) {
      return true;
    }
    int start = starts[Pseudo.PATH.ordinal()];
    return pseudo[start] == '/'
        || (pseudo[start] == '*' && ends[Pseudo.PATH.ordinal()] - start == 1);
  }

  /** Whether the protocol is WebSocket, in any case (RFC 9110 section 7.8). */
  private boolean isWebSocket() {
    int start = starts[Pseudo.PROTOCOL.ordinal()];
    boolean same = ends[Pseudo.PROTOCOL.ordinal()] - start == PROTOCOL_NAME.length;
    for (int i = 0; same && i < PROTOCOL_NAME.length; i++) {
      same = Ascii.lower(pseudo[start + i]) == PROTOCOL_NAME[i];
    }
    return same;
  }

  private boolean othersAreVisible() {
    for (Pseudo which : OTHERS) {
      int start = starts[which.ordinal()];
      int end = ends[which.ordinal()];
      if (start >= 0 && ByteRuns.endOfTarget(pseudo, start, end) != end) {
        return false;
      }
    }
    return true;
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
    switch (id) {
      case FieldName.COOKIE -> crumb(value, valueStart, valueLength);
      case FieldName.HOST -> host(name, nameStart, nameLength, value, valueStart, valueLength);
      case FieldName.TE -> {
        if (ComposedHead.equal(value, valueStart, valueStart + valueLength, "trailers")) {
          add(id, name, nameStart, nameLength, value, valueStart, valueLength);
        } else {
          failure = ParseFailure.FIELD_OF_CONNECTION;
        }
      }
      default -> {
        if (ComposedHead.isOfConnection(id)) {
          failure = ParseFailure.FIELD_OF_CONNECTION;
        } else if (!webSocket
            || !ComposedHead.equal(name, nameStart, nameStart + nameLength, CLIENT_KEY)) {
          add(id, name, nameStart, nameLength, value, valueStart, valueLength);
          if (id == FieldName.OTHER
              && ComposedHead.equal(name, nameStart, nameStart + nameLength, PRIORITY)) {
            urgency = urgency(value, valueStart, valueStart + valueLength);
            incremental = isIncremental(value, valueStart, valueStart + valueLength);
          }
        }
      }
    }
  }

  private void host(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    if (!has(Pseudo.AUTHORITY)) {
      add(FieldName.HOST, name, nameStart, nameLength, value, valueStart, valueLength);
      return;
    }
    int start = starts[Pseudo.AUTHORITY.ordinal()];
    boolean same = ends[Pseudo.AUTHORITY.ordinal()] - start == valueLength;
    for (int i = 0; same && i < valueLength; i++) {
      same = Ascii.lower(pseudo[start + i]) == Ascii.lower(value[valueStart + i]);
    }
    if (!same) {
      failure = ParseFailure.BAD_HOST;
    }
  }

  private void crumb(byte[] value, int start, int valueLength) {
    int more = cookieLength == 0 ? 0 : CRUMB_END.length;
    int end = cookieLength + more + valueLength;
    if (end > cookie.length) {
      cookie = Arrays.copyOf(cookie, Math.max(end, 2 * cookie.length));
    }
    System.arraycopy(CRUMB_END, 0, cookie, cookieLength, more);
    System.arraycopy(value, start, cookie, cookieLength + more, valueLength);
    cookieLength = end;
  }

  private void add(int id, byte[] name, byte[] value) {
    add(id, name, 0, name.length, value, 0, value.length);
  }

  private void add(
      int id,
      byte[] name,
      int nameStart,
      int nameLength,
      byte[] value,
      int valueStart,
      int valueLength) {
    failure = lines.add(id, name, nameStart, nameLength, value, valueStart, valueLength, limits);
  }

  private void append(Pseudo which) {
    int start = starts[which.ordinal()];
    lines.append(pseudo, start, ends[which.ordinal()] - start);
  }

  /**
   * Completes the head after the last field.
   *
   * @return why it is malformed or beyond a limit; null: {@link #head} has it
   */
  public @Nullable ParseFailure finish() {
    if (failure == null && !regular) {
      requestLine();
    }
    if (failure == null && cookieLength > 0) {
      add(FieldName.COOKIE, COOKIE, 0, 6, cookie, 0, cookieLength);
    }
    if (failure == null) {
      lines.endLine();
      head.end(lines.length());
    }
    return failure;
  }

  /** The head, borrowed until {@link #begin}; its version is 20. */
  public RequestHead head() {
    return head;
  }

  /** The urgency that the request asks for, 0 to 7 (RFC 9218 section 4.1). */
  public int urgency() {
    return urgency;
  }

  /** Whether the request says that parts of the response are useful (section 4.2). */
  public boolean isIncremental() {
    return incremental;
  }

  /** The urgency in the value of a Priority field; 3 if it gives none. */
  public static int urgency(byte[] value, int start, int end) {
    for (int i = start; i + 2 < end; i++) {
      boolean key = value[i] == 'u' && value[i + 1] == '=' && isStart(value, start, i);
      if (key && value[i + 2] >= '0' && value[i + 2] <= '7') {
        return value[i + 2] - '0';
      }
    }
    return DEFAULT_URGENCY;
  }

  /** Whether the value of a Priority field has {@code i}. */
  public static boolean isIncremental(byte[] value, int start, int end) {
    for (int i = start; i < end; i++) {
      if (value[i] == 'i' && isStart(value, start, i)) {
        boolean off = i + 3 < end && value[i + 1] == '=' && value[i + 3] == '0';
        return !off;
      }
    }
    return false;
  }

  /** Whether a key of a dictionary starts at {@code at}. */
  private static boolean isStart(byte[] value, int start, int at) {
    return at == start || value[at - 1] == ',' || Ascii.isBlank(value[at - 1]);
  }
}
