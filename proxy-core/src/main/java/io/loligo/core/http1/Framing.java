package io.loligo.core.http1;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.ParseFailure;
import org.jspecify.annotations.Nullable;

/**
 * How the content of a message is delimited (RFC 9112 section 6). Immutable.
 *
 * @param kind which rule applies
 * @param length bytes for {@link Kind#LENGTH}; 0 for {@link Kind#NONE}; -1 otherwise
 * @param failure why the framing was refused, or null
 */
public record Framing(Kind kind, long length, @Nullable ParseFailure failure) {
  public static final Framing NONE = new Framing(Kind.NONE, 0, null);
  public static final Framing CHUNKED = new Framing(Kind.CHUNKED, -1, null);
  public static final Framing UNTIL_CLOSE = new Framing(Kind.UNTIL_CLOSE, -1, null);

  /** How content ends. */
  public enum Kind {
    NONE,
    LENGTH,
    CHUNKED,
    UNTIL_CLOSE
  }

  /** The same as a {@link ContentLength}, for code that does not speak HTTP/1. */
  public long contentLength() {
    return switch (kind) {
      case NONE -> ContentLength.NONE;
      case LENGTH -> length;
      case CHUNKED -> ContentLength.UNKNOWN;
      case UNTIL_CLOSE -> ContentLength.UNDELIMITED;
    };
  }
}
