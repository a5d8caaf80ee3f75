package io.loligo.server.adapt;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses responses of an ICAP service (RFC 3507 section 4). The head has the syntax of HTTP, and so
 * have the heads inside; they are parsed as strictly as those of HTTP, with the same limits. The
 * heads inside have to end where Encapsulated says. Confined to one event loop; reusable.
 *
 * <pre>
 * state    at                                   goes to
 * HEAD     inside the ICAP head                 INSIDE, CONTENT, OVER
 * INSIDE   inside the encapsulated heads        CONTENT, OVER
 * CONTENT  inside the chunks                    OVER
 * OVER     after the response                   HEAD, by begin
 * </pre>
 */
final class IcapReader {
  /** What the bytes at hand are. */
  enum Event {
    /** Nothing complete. */
    NEED_MORE,
    /** {@link #reply} is complete. */
    REPLY,
    /** {@link #dataLength} bytes of content are at the reader index: take them, call again. */
    DATA,
    /** The response is complete. */
    END,
    FAILED
  }

  /** The message that a response may have inside. */
  enum Expected {
    /** None: the response is one to OPTIONS. */
    NOTHING,
    /** A request or a response. */
    REQUEST,
    /** A response. */
    RESPONSE
  }

  private enum State {
    HEAD,
    INSIDE,
    CONTENT,
    OVER,
    FAILED
  }

  private static final byte[] ICAP = "ICAP/1.0 ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] HTTP = "HTTP/1.1 ".getBytes(StandardCharsets.US_ASCII);
  private static final int LEAST = 1_024;
  private static final byte[] NO_BYTES = {};
  private static final String REQUEST_HEAD = "req-hdr";
  private static final String RESPONSE_HEAD = "res-hdr";
  private static final String NO_BODY = "null-body";

  private final ParseLimits limits;
  private final Http1ResponseParser heads;
  private final ResponseHead head = new ResponseHead();
  private final ChunkedDecoder chunks;

  private Expected expected = Expected.NOTHING;
  private byte[] kept = NO_BYTES;
  private State state = State.OVER;
  private byte[] bytes = NO_BYTES;
  private int length;

  /** Whether the version is known to be ICAP's. That of HTTP then stands in its place. */
  private boolean icap;

  /** Bytes of the heads inside. */
  private int insideBytes;

  private boolean insideIsRequest;
  private boolean hasContent;
  private @Nullable IcapReply reply;
  private long originalFrom = OriginalBody.NONE;
  private String failure = "";

  /** A reader with the limits of responses. */
  IcapReader(ParseLimits limits) {
    this.limits = limits;
    heads = new Http1ResponseParser(limits);
    chunks = new ChunkedDecoder(limits, /* keepsExtensions= */ true);
  }

  /**
   * A response follows.
   *
   * @param kept field lines that are added to a request inside, borrowed until the end
   */
  void begin(Expected expected, byte[] kept) {
    this.expected = expected;
    this.kept = kept;
    reply = null;
    originalFrom = OriginalBody.NONE;
    failure = "";
    beginHead();
  }

  private void beginHead() {
    state = State.HEAD;
    icap = false;
    heads.reset();
    bytes = NO_BYTES;
    length = 0;
  }

  /** Whether some bytes of a head have arrived, and not all. */
  boolean isInsideHead() {
    return (state == State.HEAD && length > 0) || state == State.INSIDE;
  }

  /** The last head. */
  IcapReply reply() {
    assert reply != null : "no head";
    return reply;
  }

  /** After {@link Event#DATA}: bytes at the reader index. */
  int dataLength() {
    return chunks.dataLength();
  }

  /** After {@link Event#END}: the trailers, valid until the next response; may be empty. */
  Fields trailers() {
    return chunks.trailers();
  }

  /**
   * After {@link Event#END}: the byte of the original from which on its content follows that of the
   * response (use-original-body); {@link OriginalBody#NONE}: nothing follows.
   */
  long originalFrom() {
    return originalFrom;
  }

  /** After {@link Event#FAILED}: the reason. */
  String failure() {
    return failure;
  }

  /** Consumes everything but content from {@code in}, borrowed. */
  Event next(ByteBuf in) {
    return switch (state) {
      case HEAD -> head(in);
      case INSIDE -> inside(in);
      case CONTENT -> content(in);
      case OVER -> Event.END;
      case FAILED -> Event.FAILED;
    };
  }

  private Event fail(String why) {
    failure = why;
    state = State.FAILED;
    return Event.FAILED;
  }

  private static String text(@Nullable ParseFailure found) {
    return found == null ? "malformed" : found.text();
  }

  // ---- the ICAP head

  private Event head(ByteBuf in) {
    while (in.isReadable()) {
      take(in, Math.min(LEAST, in.readableBytes()));
      if (!icap) {
        int first = Math.min(length, ICAP.length);
        if (!Arrays.equals(bytes, 0, first, ICAP, 0, first)) {
          return fail("not ICAP/1.0");
        }
        if (length < ICAP.length) {
          continue;
        }
        icap = true;
        System.arraycopy(HTTP, 0, bytes, 0, HTTP.length);
      }
      Http1ResponseParser.Result result = heads.parse(bytes, length, head);
      if (result == Http1ResponseParser.Result.FAILED) {
        return fail("head: " + text(heads.failure()));
      }
      if (result == Http1ResponseParser.Result.COMPLETE) {
        in.readerIndex(in.readerIndex() - (length - head.end()));
        return headRead(in);
      }
    }
    return Event.NEED_MORE;
  }

  private void take(ByteBuf in, int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(LEAST, Math.max(2 * bytes.length, length + more)));
    }
    in.readBytes(bytes, length, more);
    length += more;
  }

  private Event headRead(ByteBuf in) {
    ResponseHead whole = head.snapshot();
    Fields fields = whole.fields();
    int status = whole.status();
    boolean closes = fields.hasToken(FieldName.CONNECTION, "close");
    insideBytes = 0;
    hasContent = false;
    String places = fields.joined("Encapsulated");
    String wrong = places == null ? null : place(places, status);
    if (wrong != null) {
      return fail("Encapsulated: " + wrong);
    }
    reply = new IcapReply(status, fields, null, null, null, hasContent, closes);
    bytes = NO_BYTES;
    length = 0;
    if (status < 200) {
      beginHead();
      return Event.REPLY;
    }
    if (insideBytes > 0) {
      state = State.INSIDE;
      return inside(in);
    }
    return complete();
  }

  /** The reason why {@code places}, the value of Encapsulated, is wrong; null: it is not. */
  private @Nullable String place(String places, int status) {
    String[] parts = places.split(",", 4);
    int headParts = parts.length - 1;
    if (headParts > 1) {
      return "more than one head";
    }
    long body = offset(parts[headParts]);
    String bodyName = name(parts[headParts]);
    if (body < 0 || body > limits.maxHeadBytes()) {
      return "offset of the body";
    }
    boolean ofRequest = headParts == 1 && name(parts[0]).equals(REQUEST_HEAD);
    if (headParts == 1) {
      if (!ofRequest && !name(parts[0]).equals(RESPONSE_HEAD)) {
        return "unknown part";
      }
      if (offset(parts[0]) != 0 || body == 0) {
        return "offset of the head";
      }
      boolean right = ofRequest ? expected == Expected.REQUEST : expected != Expected.NOTHING;
      if (!right || status < 200) {
        return "a head that belongs to no such response";
      }
    } else if (body != 0) {
      return "offset of the body";
    }
    String wanted = headParts == 0 ? "opt-body" : ofRequest ? "req-body" : "res-body";
    if (!bodyName.equals(NO_BODY) && !bodyName.equals(wanted)) {
      return "unknown part";
    }
    insideIsRequest = ofRequest;
    insideBytes = (int) body;
    hasContent = !bodyName.equals(NO_BODY);
    return null;
  }

  private static String name(String part) {
    int equals = part.indexOf('=');
    return equals < 0 ? "" : part.substring(0, equals).strip();
  }

  private static long offset(String part) {
    int equals = part.indexOf('=');
    String number = part.substring(equals + 1).strip();
    return equals < 0 ? -1 : Decimal.of(number, 0, number.length());
  }

  // ---- the heads inside

  private Event inside(ByteBuf in) {
    take(in, Math.min(insideBytes - length, in.readableBytes()));
    if (length < insideBytes) {
      return Event.NEED_MORE;
    }
    byte[] whole = Arrays.copyOf(bytes, length);
    bytes = NO_BYTES;
    length = 0;
    return insideIsRequest ? request(whole) : response(whole);
  }

  private Event response(byte[] whole) {
    ResponseHead found = new ResponseHead();
    Http1ResponseParser parser = new Http1ResponseParser(limits);
    Http1ResponseParser.Result result = parser.parse(whole, whole.length, found);
    if (result != Http1ResponseParser.Result.COMPLETE || found.end() != whole.length) {
      return fail("response inside: " + text(parser.failure()));
    }
    if (found.status() < 200) {
      return fail("response inside: status " + found.status());
    }
    IcapReply outer = reply();
    reply =
        new IcapReply(
            outer.status(), outer.fields(), null, null, found, hasContent, outer.closes());
    return complete();
  }

  private Event request(byte[] whole) {
    Http1RequestParser parser = new Http1RequestParser(limits);
    RequestHead found = new RequestHead();
    Http1RequestParser.Result result = parser.parse(whole, whole.length, found);
    if (result != Http1RequestParser.Result.COMPLETE || found.end() != whole.length) {
      return fail("request inside: " + text(parser.failure()));
    }
    byte[] all = whole;
    if (kept.length > 0) {
      all = Arrays.copyOf(whole, whole.length + kept.length);
      System.arraycopy(kept, 0, all, whole.length - 2, kept.length);
      System.arraycopy(whole, whole.length - 2, all, all.length - 2, 2);
      parser.reset();
      found = new RequestHead();
      if (parser.parse(all, all.length, found) != Http1RequestParser.Result.COMPLETE) {
        return fail("request inside: " + text(parser.failure()));
      }
    }
    IcapReply outer = reply();
    reply =
        new IcapReply(outer.status(), outer.fields(), all, found, null, hasContent, outer.closes());
    return complete();
  }

  private Event complete() {
    state = hasContent ? State.CONTENT : State.OVER;
    chunks.reset();
    return Event.REPLY;
  }

  // ---- content

  private Event content(ByteBuf in) {
    return switch (chunks.next(in)) {
      case NEED_MORE -> Event.NEED_MORE;
      case DATA -> Event.DATA;
      case END -> ended();
      case FAILED -> fail("content: " + text(chunks.failure()));
    };
  }

  private Event ended() {
    state = State.OVER;
    if (reply().status() == IcapReply.PARTIAL) {
      originalFrom = OriginalBody.from(chunks.lastExtensions());
      if (originalFrom == OriginalBody.MALFORMED) {
        return fail("use-original-body is malformed");
      }
    }
    return Event.END;
  }
}
