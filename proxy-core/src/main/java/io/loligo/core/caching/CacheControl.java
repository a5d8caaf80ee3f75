package io.loligo.core.caching;

import io.loligo.core.message.Ascii;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The directives of Cache-Control (RFC 9111 section 5.2), of a request or a response. Immutable.
 *
 * <p>Invalid directives have their restrictive meaning: a lifetime that is not a number is 0, the
 * most restrictive of several values holds, and a directive that only permits is ignored if junk
 * follows it. Times are seconds, {@link #ABSENT} if not given, at most {@link #MAX_SECONDS}.
 *
 * @param flags {@link #NO_STORE} and its siblings
 * @param maxAgeSeconds max-age
 * @param sharedMaxAgeSeconds s-maxage
 * @param minFreshSeconds min-fresh
 * @param maxStaleSeconds max-stale; {@link #MAX_SECONDS} if given without a value
 * @param staleWhileRevalidateSeconds stale-while-revalidate (RFC 5861 section 3)
 * @param staleIfErrorSeconds stale-if-error (RFC 5861 section 4)
 * @param withheldFields names, in lower case, of the fields that private or no-cache of a response
 *     reserve for the requesting client (RFC 9111 sections 5.2.2.4 and 5.2.2.7)
 */
public record CacheControl(
    int flags,
    long maxAgeSeconds,
    long sharedMaxAgeSeconds,
    long minFreshSeconds,
    long maxStaleSeconds,
    long staleWhileRevalidateSeconds,
    long staleIfErrorSeconds,
    List<String> withheldFields) {
  public static final long ABSENT = -1;

  /** The largest delta-seconds (RFC 9111 section 1.2.2). */
  public static final long MAX_SECONDS = 1L << 31;

  public static final int NO_STORE = 1;

  /** no-cache; if it names fields of a response, these are {@link #withheldFields} instead. */
  public static final int NO_CACHE = 1 << 1;

  /** private; if it names fields of a response, these are {@link #withheldFields} instead. */
  public static final int PRIVATE = 1 << 2;

  public static final int PUBLIC = 1 << 3;
  public static final int MUST_REVALIDATE = 1 << 4;
  public static final int PROXY_REVALIDATE = 1 << 5;
  public static final int MUST_UNDERSTAND = 1 << 6;
  public static final int IMMUTABLE = 1 << 7;
  public static final int ONLY_IF_CACHED = 1 << 8;

  /** They come from a targeted field, which replaces Cache-Control and Expires. */
  public static final int TARGETED = 1 << 9;

  /** No directives. */
  public static final CacheControl NONE =
      new CacheControl(0, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, List.of());

  private static final CacheControl ONLY_IF_CACHED_ALONE =
      new CacheControl(ONLY_IF_CACHED, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, List.of());

  /** The directives of a response; {@link #NONE} without allocation if it has none. */
  public static CacheControl ofResponse(Fields response) {
    return response.has(FieldName.CACHE_CONTROL) ? new Reading(response, true).result() : NONE;
  }

  /**
   * The directives of a request. {@code Pragma: no-cache} counts if there is no Cache-Control (RFC
   * 9111 section 5.4).
   */
  public static CacheControl ofRequest(Fields request) {
    if (request.has(FieldName.CACHE_CONTROL)) {
      return new Reading(request, false).result();
    }
    return request.has(FieldName.PRAGMA) && request.hasToken(FieldName.PRAGMA, "no-cache")
        ? new CacheControl(NO_CACHE, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, List.of())
        : NONE;
  }

  /** Only-if-cached alone, if it is among these directives; else none. */
  CacheControl onlyIfCached() {
    return has(ONLY_IF_CACHED) ? ONLY_IF_CACHED_ALONE : NONE;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /**
   * delta-seconds (RFC 9111 section 1.2.2): clamped to {@link #MAX_SECONDS}, -1 if the bytes are
   * not a non-negative decimal number.
   */
  static long deltaSeconds(byte[] bytes, int start, int end) {
    if (start >= end) {
      return -1;
    }
    long seconds = 0;
    for (int i = start; i < end; i++) {
      if (!Ascii.isDigit(bytes[i])) {
        return -1;
      }
      seconds = Math.min(MAX_SECONDS, seconds * 10 + (bytes[i] - '0'));
    }
    return seconds;
  }

  /** One pass over all lines of the field. */
  private static final class Reading {
    private final byte[] bytes;
    private final boolean response;
    private Set<String> withheld = Set.of();
    private int flags;
    private long maxAge = ABSENT;
    private long sharedMaxAge = ABSENT;
    private long minFresh = ABSENT;
    private long maxStale = ABSENT;
    private long staleWhileRevalidate = ABSENT;
    private long staleIfError = ABSENT;

    // the argument of the directive being read; start > end: none
    private byte[] argument;
    private int argumentStart;
    private int argumentEnd;
    private boolean malformed;
    private boolean quotesCount = true;

    Reading(Fields fields, boolean response) {
      bytes = fields.bytes();
      argument = bytes;
      this.response = response;
      int id = FieldName.CACHE_CONTROL;
      for (int i = fields.first(id); i >= 0; i = fields.next(id, i + 1)) {
        line(fields.valueStart(i), fields.valueEnd(i));
      }
    }

    CacheControl result() {
      return new CacheControl(
          flags,
          maxAge,
          sharedMaxAge,
          minFresh,
          maxStale,
          staleWhileRevalidate,
          staleIfError,
          List.copyOf(withheld));
    }

    private void line(int start, int end) {
      int at = start;
      quotesCount = true;
      while (at < end) {
        if (separates(bytes[at]) || Ascii.isBlank(bytes[at])) {
          at++;
          continue;
        }
        int nameStart = at;
        while (at < end && !separates(bytes[at]) && bytes[at] != '=' && !Ascii.isBlank(bytes[at])) {
          at++;
        }
        int nameEnd = at;
        at = argument(at, end);
        directive(nameStart, nameEnd);
      }
    }

    /** Reads the rest after a name; returns where the next directive may begin. */
    private int argument(int from, int end) {
      argument = bytes;
      argumentStart = 1;
      argumentEnd = 0;
      malformed = false;
      int at = from;
      if (at < end && bytes[at] == '=') {
        at++;
        int close = at < end && bytes[at] == '"' ? closingQuote(at + 1, end) : end;
        if (close < end) {
          quoted(at + 1, close);
          at = close + 1;
        } else {
          argumentStart = at;
          while (at < end && !separates(bytes[at]) && !Ascii.isBlank(bytes[at])) {
            at++;
          }
          argumentEnd = at;
        }
      }
      return junk(at, end);
    }

    /** The argument is the quoted text there (RFC 9110 section 5.6.4). */
    private void quoted(int start, int close) {
      argumentStart = start;
      argumentEnd = close;
      int escape = start;
      while (escape < close && bytes[escape] != '\\') {
        escape++;
      }
      if (escape == close) {
        return;
      }
      argument = new byte[close - start];
      argumentStart = 0;
      argumentEnd = 0;
      for (int i = start; i < close; i++) {
        i += bytes[i] == '\\' ? 1 : 0;
        argument[argumentEnd++] = bytes[i];
      }
    }

    /** Skips to the next separator; a semicolon is none, but the text after it counts. */
    private int junk(int from, int end) {
      int at = from;
      while (at < end && !separates(bytes[at])) {
        int close = bytes[at] == '"' ? closingQuote(at + 1, end) : end;
        at = close < end ? close : at;
        malformed |= !Ascii.isBlank(bytes[at]);
        at++;
      }
      malformed |= at < end && bytes[at] == ';';
      return at;
    }

    private static boolean separates(byte b) {
      return b == ',' || b == ';';
    }

    /**
     * The end of the quoted string; {@code end} if it is unterminated, and then no quote on the
     * line counts.
     */
    private int closingQuote(int from, int end) {
      int at = quotesCount ? from : end;
      while (at < end && bytes[at] != '"') {
        at += bytes[at] == '\\' ? 2 : 1;
      }
      quotesCount = at < end;
      return Math.min(at, end);
    }

    private void directive(int start, int end) {
      switch (end - start) {
        case 6 -> flag(start, end, "public", PUBLIC, true);
        case 7 -> {
          if (is(start, end, "max-age")) {
            maxAge = smaller(maxAge);
          } else {
            restriction(start, end, "private", PRIVATE);
          }
        }
        case 8 -> {
          if (is(start, end, "s-maxage")) {
            sharedMaxAge = smaller(sharedMaxAge);
          } else {
            restriction(start, end, "no-cache", NO_CACHE);
            flag(start, end, "no-store", NO_STORE, false);
          }
        }
        case 9 -> {
          if (is(start, end, "min-fresh")) {
            minFresh = Math.max(minFresh, Math.max(0, seconds()));
          } else if (is(start, end, "max-stale")) {
            maxStale = staleAccepted();
          } else {
            flag(start, end, "immutable", IMMUTABLE, true);
          }
        }
        case 14 -> {
          if (is(start, end, "stale-if-error")) {
            staleIfError = smaller(staleIfError);
          } else {
            flag(start, end, "only-if-cached", ONLY_IF_CACHED, false);
          }
        }
        case 15 -> {
          flag(start, end, "must-revalidate", MUST_REVALIDATE, false);
          flag(start, end, "must-understand", MUST_UNDERSTAND, true);
        }
        case 16 -> flag(start, end, "proxy-revalidate", PROXY_REVALIDATE, false);
        case 22 -> {
          if (is(start, end, "stale-while-revalidate")) {
            staleWhileRevalidate = smaller(staleWhileRevalidate);
          }
        }
        default -> {
          return;
        }
      }
    }

    private boolean is(int start, int end, String name) {
      return Ascii.equalsIgnoreCase(bytes, start, end, name);
    }

    private void flag(int start, int end, String name, int flag, boolean permits) {
      if (is(start, end, name) && !(permits && malformed)) {
        flags |= flag;
      }
    }

    /**
     * A list with a member that is not a field name counts as none: the whole response is
     * restricted.
     */
    private void restriction(int start, int end, String name, int flag) {
      if (!is(start, end, name)) {
        return;
      }
      List<String> names = response && !malformed ? fieldNames() : List.of();
      if (names.isEmpty()) {
        flags |= flag;
      } else {
        withheld = withheld.isEmpty() ? new LinkedHashSet<>() : withheld;
        withheld.addAll(names);
      }
    }

    private List<String> fieldNames() {
      if (argumentStart >= argumentEnd) {
        return List.of();
      }
      String list =
          new String(
              argument, argumentStart, argumentEnd - argumentStart, StandardCharsets.ISO_8859_1);
      List<String> names = new ArrayList<>();
      FieldName.addListed(list, names);
      return names.stream().allMatch(Ascii::isToken) ? names : List.of();
    }

    private long seconds() {
      return malformed ? -1 : deltaSeconds(argument, argumentStart, argumentEnd);
    }

    private long smaller(long before) {
      long seconds = Math.max(0, seconds());
      return before == ABSENT ? seconds : Math.min(before, seconds);
    }

    private long staleAccepted() {
      boolean any = argumentStart > argumentEnd && !malformed;
      long seconds = any ? MAX_SECONDS : Math.max(0, seconds());
      return maxStale == ABSENT ? seconds : Math.min(maxStale, seconds);
    }
  }
}
