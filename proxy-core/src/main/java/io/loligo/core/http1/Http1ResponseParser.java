package io.loligo.core.http1;

import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;

/**
 * Parses a response head in place, resuming where it stopped. Confined to one thread; reusable.
 *
 * <p>The caller keeps the octets in one array from offset 0 and calls again with more of them, in
 * the same array or in a copy; an octet is looked at no more than twice however the head is cut.
 */
public final class Http1ResponseParser {
  /** Outcome of a call. */
  public enum Result {
    NEED_MORE,
    COMPLETE,
    FAILED
  }

  /** A parser with these limits. */
  public Http1ResponseParser(ParseLimits limits) {
    throw new AssertionError("http1 work package: " + limits);
  }

  /** Forgets everything: the next call starts a new head at offset 0. */
  public void reset() {
    throw new AssertionError("http1 work package");
  }

  /**
   * Parses {@code bytes[0, length)}. On {@link Result#COMPLETE} {@code head} refers to {@code
   * bytes}, borrowed, and {@code head.end()} tells where content starts.
   */
  public Result parse(byte[] bytes, int length, ResponseHead head) {
    throw new AssertionError("http1 work package");
  }

  /** Why, after {@link Result#FAILED}. */
  public ParseFailure failure() {
    throw new AssertionError("http1 work package");
  }

  /** Offset of the offending octet, after {@link Result#FAILED}. */
  public int failureOffset() {
    throw new AssertionError("http1 work package");
  }
}
