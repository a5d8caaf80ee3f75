package io.loligo.core.caching;

/** What a status code means to the store. Stateless. */
final class StatusCaching {
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
   * Whether a lifetime may be assumed from Last-Modified alone, where negative_ttl gives none:
   * those of its codes that RFC 9110 section 15.1 has cacheable by default. An origin that dates
   * them speaks of the resource.
   */
  static boolean isHeuristicWhereDated(int status) {
    return switch (status) {
      case 204, 404, 405, 414, 501 -> true;
      default -> false;
    };
  }

  /** Whether negative_ttl gives the lifetime where the origin gave none, as in Squid. */
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
   * Whether an answer with this code may speak of how one request was made, which is not in the
   * key: given to requests that were made well it would be wrong. It is stored for requests with
   * the same fields, octet for octet.
   */
  static boolean isOfOneRequest(int status) {
    return switch (status) {
      case 400, 402, 405, 406, 409, 411, 413, 415, 418, 422, 423, 424 -> true;
      case 501, 505, 506, 507, 508, 510 -> true;
      default -> false;
    };
  }

  /**
   * Whether an answer with this code is never stored, whatever lifetime it has: it is not final,
   * not whole, it speaks of the connection, the moment, a condition or a range, or its definition
   * forbids it (RFC 9111 section 3, RFC 6585, RFC 8470).
   */
  static boolean isNeverStored(int status) {
    return switch (status) {
      case 206, 304 -> true;
      case 407, 408, 412, 416, 417, 421, 425, 426, 428, 429, 431, 511 -> true;
      default -> status < 200 || status > 599;
    };
  }
}
