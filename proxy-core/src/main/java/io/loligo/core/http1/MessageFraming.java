package io.loligo.core.http1;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.Authority;
import io.loligo.core.message.Decimal;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides how content is delimited (RFC 9112 section 6.3), strictly: a message that two recipients
 * could read differently is refused, not repaired. Stateless.
 */
public final class MessageFraming {
  private static final String CHUNKED = "chunked";
  private static final FieldSet FRAMING_FIELDS =
      FieldSet.of(FieldName.TRANSFER_ENCODING, FieldName.CONTENT_LENGTH);

  private MessageFraming() {}

  /**
   * Framing of a request, or the failure that closes the connection. Host is checked too. CONNECT
   * has no content (RFC 9110 section 9.3.6), because it could be taken for bytes of the tunnel.
   * TRACE has none either, and must not be sent with any (section 9.3.8).
   */
  public static Framing of(RequestHead request) {
    Fields fields = request.fields();
    ParseFailure failure = hostFailure(fields, request.version());
    if (failure != null) {
      return refused(failure);
    }
    if (!fields.hasAny(FRAMING_FIELDS)) {
      return Framing.NONE;
    }
    Framing framing = ofFields(fields, request.version());
    if (framing.failure() != null) {
      return framing;
    }
    boolean empty = framing.length() == 0;
    return switch (request.methodId()) {
      // a length of 0 is implied by these methods anyway
      case Method.GET, Method.HEAD -> empty ? Framing.NONE : framing;
      case Method.CONNECT -> empty ? framing : refused(ParseFailure.CONTENT_OF_CONNECT);
      case Method.TRACE -> empty ? framing : refused(ParseFailure.CONTENT_OF_TRACE);
      default -> framing;
    };
  }

  /**
   * Whether a response has content that its status does not allow: an interim one, or 204 (RFC 9110
   * section 8.6, RFC 9112 section 6.1). The meaning of the following bytes is then unknown.
   */
  public static boolean announcesForbiddenContent(ResponseHead response) {
    Fields fields = response.fields();
    if ((response.status() >= 200 && response.status() != 204) || !fields.hasAny(FRAMING_FIELDS)) {
      return false;
    }
    Framing framing = ofFields(fields, response.version());
    return framing.length() != 0 || framing.failure() != null;
  }

  /** Framing of a response, final or not, to a request of this {@code Method} id. */
  public static Framing of(ResponseHead response, int requestMethodId) {
    int status = response.status();
    boolean tunnel = requestMethodId == Method.CONNECT && status / 100 == 2;
    if (status / 100 == 1 || status == 204 || tunnel) {
      return Framing.NONE;
    }
    Fields fields = response.fields();
    Framing framing =
        fields.hasAny(FRAMING_FIELDS) ? ofFields(fields, response.version()) : Framing.UNTIL_CLOSE;
    boolean bare = requestMethodId == Method.HEAD || status == 304;
    return bare && framing.failure() == null ? Framing.NONE : framing;
  }

  /** RFC 9112 section 3.2. */
  private static @Nullable ParseFailure hostFailure(Fields fields, int version) {
    int host = fields.first(FieldName.HOST);
    if (host < 0) {
      return version == 10 ? null : ParseFailure.MISSING_HOST;
    }
    int start = fields.valueStart(host);
    int end = fields.valueEnd(host);
    boolean valid = start == end || Authority.isValid(fields.bytes(), start, end);
    return valid && fields.next(FieldName.HOST, host + 1) < 0 ? null : ParseFailure.BAD_HOST;
  }

  private static Framing ofFields(Fields fields, int version) {
    int coding = fields.first(FieldName.TRANSFER_ENCODING);
    if (coding < 0) {
      return ofLength(fields);
    }
    if (version == 10) {
      return refused(ParseFailure.TRANSFER_ENCODING_IN_HTTP10);
    }
    if (fields.has(FieldName.CONTENT_LENGTH)) {
      return refused(ParseFailure.CONTENT_LENGTH_WITH_TRANSFER_ENCODING);
    }
    boolean several = fields.next(FieldName.TRANSFER_ENCODING, coding + 1) >= 0;
    if (!several && fields.valueEquals(coding, CHUNKED)) {
      return Framing.CHUNKED;
    }
    return refused(codingFailure(fields));
  }

  /**
   * The error of codings other than {@code chunked} alone; several lines are one list (RFC 9110
   * section 5.3). If chunked is not the last one, or is applied twice, the end of the content is
   * unknown (RFC 9112 section 6.3); codings before it are valid, but not supported.
   */
  private static ParseFailure codingFailure(Fields fields) {
    boolean chunked = false;
    for (String element :
        Objects.requireNonNull(fields.joined("Transfer-Encoding")).split(",", -1)) {
      String name = element.strip();
      if (chunked || name.isEmpty() || !Ascii.isToken(name)) {
        return ParseFailure.BAD_TRANSFER_ENCODING;
      }
      chunked = CHUNKED.equalsIgnoreCase(name);
    }
    return chunked
        ? ParseFailure.UNSUPPORTED_TRANSFER_ENCODING
        : ParseFailure.BAD_TRANSFER_ENCODING;
  }

  private static Framing ofLength(Fields fields) {
    int first = fields.first(FieldName.CONTENT_LENGTH);
    int second = fields.next(FieldName.CONTENT_LENGTH, first + 1);
    if (second >= 0) {
      return refused(
          fields.value(first).equals(fields.value(second))
              ? ParseFailure.BAD_CONTENT_LENGTH
              : ParseFailure.CONFLICTING_CONTENT_LENGTH);
    }
    long length = Decimal.of(fields, first);
    return length < 0
        ? refused(ParseFailure.BAD_CONTENT_LENGTH)
        : new Framing(Framing.Kind.LENGTH, length, null);
  }

  private static Framing refused(ParseFailure failure) {
    return new Framing(Framing.Kind.NONE, 0, failure);
  }
}
