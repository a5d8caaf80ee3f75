package io.loligo.core.caching;

import com.google.re2j.Pattern;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import java.util.List;

/** The meaning of a status code for the store. Stateless. */
final class StatusCaching {
  /**
   * Parts of lower-case names: other methods under any name, expectations, content and encodings
   * (RFC 9110 section 9.3.4: HTTP once required 501 for anything not understood), and fields to
   * which object stores that do not support them answer 501.
   */
  private static final Pattern SPEAK_OF_A_METHOD =
      Pattern.compile("method|verb|^expect$|^content[-_]|^transfer[-_]|^x[-_](amz|goog|ms)[-_]");

  private StatusCaching() {}

  /**
   * Whether a lifetime may be assumed (RFC 9110 section 15.1), without the codes that negative_ttl
   * governs.
   */
  static boolean isHeuristic(int status) {
    return switch (status) {
      case 200, 203, 300, 301, 308, 410 -> true;
      default -> false;
    };
  }

  /**
   * Whether a lifetime may be assumed from Last-Modified alone, if negative_ttl gives none: those
   * of its codes that are cacheable by default in RFC 9110 section 15.1. An origin that dates them
   * describes the resource.
   */
  static boolean isHeuristicWhereDated(int status) {
    return switch (status) {
      case 204, 404, 405, 414, 501 -> true;
      default -> false;
    };
  }

  /** Whether negative_ttl gives the lifetime if the origin gave none, as in Squid. */
  static boolean isNegative(int status) {
    return switch (status) {
      case 204, 305, 400, 403, 404, 405, 414, 500, 501, 502, 503, 504 -> true;
      default -> false;
    };
  }

  /** Whether the code's own caching rules are known (must-understand, RFC 9111 section 5.2.2.3). */
  static boolean isUnderstood(int status) {
    return switch (status) {
      case 200, 203, 204, 300, 301, 302, 303, 307, 308 -> true;
      case 400, 401, 403, 404, 405, 410, 414, 451 -> true;
      case 500, 501, 502, 503, 504 -> true;
      default -> false;
    };
  }

  /**
   * Whether a response with this status to {@code request} may depend on properties of the request
   * that are not in the key: it would be wrong for correct requests. It is stored for requests with
   * the same fields, byte for byte.
   *
   * <p>405 and 501 refer to the method. A plain GET that does not name another method gets them
   * because of the resource.
   */
  static boolean isOfOneRequest(int status, RequestHead request) {
    boolean ofMethod = status == 405 || status == 501;
    return mayBeOfOneRequest(status) && !(ofMethod && isOrdinaryGet(request));
  }

  /**
   * Whether {@code request} is a GET, all visible ASCII, without any field that servers are known
   * to take for another method, for content, or for a demand that they may have to refuse.
   */
  private static boolean isOrdinaryGet(RequestHead request) {
    Fields fields = request.fields();
    if (request.methodId() != Method.GET || !OverridingFields.all(fields, List.of())) {
      return false;
    }
    for (int i = 0; i < fields.count(); i++) {
      String name = fields.lowerName(i);
      if (SPEAK_OF_A_METHOD.matcher(name).find()) {
        return false;
      }
    }
    return isVisible(fields);
  }

  /** Whether all values are visible ASCII and white space. */
  static boolean isVisible(Fields fields) {
    for (int i = 0; i < fields.count(); i++) {
      if (!isVisible(fields, i)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isVisible(Fields fields, int line) {
    byte[] bytes = fields.bytes();
    for (int i = fields.valueStart(line); i < fields.valueEnd(line); i++) {
      if ((bytes[i] < ' ' && bytes[i] != '\t') || bytes[i] == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private static boolean mayBeOfOneRequest(int status) {
    return switch (status) {
      case 400, 402, 405, 406, 409, 411, 413, 415, 418, 422, 423, 424 -> true;
      case 501, 505, 506, 507, 508, 510 -> true;
      default -> false;
    };
  }

  /**
   * Whether a response with this status is never stored, regardless of its lifetime: it is not
   * final, or not whole, it refers to the connection, the moment, a condition or a range, or its
   * definition forbids it (RFC 9111 section 3, RFC 6585, RFC 8470).
   */
  static boolean isNeverStored(int status) {
    return switch (status) {
      case 206, 304 -> true;
      case 407, 408, 412, 416, 417, 421, 425, 426, 428, 429, 431, 511 -> true;
      default -> status < 200 || status > 599;
    };
  }
}
