package io.loligo.cluster.share;

import org.jspecify.annotations.Nullable;

/**
 * How far a node is with the purges of each stream. Immutable. {@link AppliedPurges} makes it.
 *
 * <p>The wire form is a field value. {@link #tag} has 16 digits of a hash of all numbers. {@link
 * #text} adds up to {@value #SENT} streams, those that moved last first: {@code
 * 00c5…;9f1c…:2a,77ab…:3}, all in hexadecimal digits.
 */
public final class PurgeVector {
  /** Streams that a node keeps and sends. */
  static final int SENT = 160;

  /** Streams that have to be in the other vector. There are fewer, since the order may differ. */
  static final int CHECKED = 100;

  private static final int HASH_DIGITS = 16;

  private final long[] streams;
  private final long[] numbers;
  private final long hash;
  private final String tag;
  private @Nullable String text;

  private PurgeVector(long[] streams, long[] numbers, long hash) {
    this.streams = streams;
    this.numbers = numbers;
    this.hash = hash;
    tag = digits(hash);
  }

  /**
   * A vector.
   *
   * @param streams given away; those that moved last first
   * @param numbers given away; last purge of each
   */
  static PurgeVector of(long[] streams, long[] numbers) {
    long hash = 0;
    for (int i = 0; i < streams.length; i++) {
      hash += Mix.of(Mix.of(streams[i]) ^ numbers[i]);
    }
    return new PurgeVector(streams, numbers, hash);
  }

  /** The hash, which a request to a peer carries. */
  public String tag() {
    return tag;
  }

  /** Hash and streams. */
  String text() {
    String known = text;
    if (known == null) {
      StringBuilder made = new StringBuilder(HASH_DIGITS + 24 * streams.length).append(tag);
      for (int i = 0; i < Math.min(SENT, streams.length); i++) {
        made.append(i == 0 ? ';' : ',').append(digits(streams[i])).append(':');
        made.append(Long.toHexString(numbers[i]));
      }
      known = made.toString();
      text = known;
    }
    return known;
  }

  /**
   * The field value of a response to another node. This vector has the purges that were applied
   * before this node looked for the response.
   *
   * @param asked of the request; null: it had none
   */
  public String answer(@Nullable String asked) {
    return tag.equals(asked) ? tag : text();
  }

  /**
   * Whether the peer had applied all purges of this vector, so that others may use its bytes too.
   *
   * @param answer as the response had it; false if it is null or malformed
   */
  public boolean isCoveredBy(@Nullable String answer) {
    if (answer == null || answer.length() < HASH_DIGITS) {
      return false;
    }
    if (answer.startsWith(tag)) {
      return true;
    }
    PurgeVector other = parse(answer);
    return other != null && other.covers(this);
  }

  /** Whether it has at least the numbers of {@code other}, as far as they are checked. */
  boolean covers(PurgeVector other) {
    if (hash == other.hash) {
      return true;
    }
    for (int i = 0; i < Math.min(CHECKED, other.streams.length); i++) {
      if (number(other.streams[i]) < other.numbers[i]) {
        return false;
      }
    }
    return true;
  }

  private long number(long stream) {
    for (int i = 0; i < streams.length; i++) {
      if (streams[i] == stream) {
        return numbers[i];
      }
    }
    return 0;
  }

  /** Reads {@link #text}; null: malformed or too long. */
  static @Nullable PurgeVector parse(String text) {
    int at = HASH_DIGITS;
    if (text.length() < at || (text.length() > at && text.charAt(at) != ';')) {
      return null;
    }
    try {
      long hash = Long.parseUnsignedLong(text, 0, at, 16);
      String[] pairs = text.length() == at ? new String[0] : text.substring(at + 1).split(",", -1);
      if (pairs.length > SENT) {
        return null;
      }
      long[] streams = new long[pairs.length];
      long[] numbers = new long[pairs.length];
      for (int i = 0; i < pairs.length; i++) {
        String pair = pairs[i];
        if (pair.length() <= HASH_DIGITS || pair.charAt(HASH_DIGITS) != ':') {
          return null;
        }
        streams[i] = Long.parseUnsignedLong(pair, 0, HASH_DIGITS, 16);
        numbers[i] = Long.parseLong(pair, HASH_DIGITS + 1, pair.length(), 16);
      }
      return new PurgeVector(streams, numbers, hash);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static String digits(long bits) {
    String digits = Long.toHexString(bits);
    return "0".repeat(HASH_DIGITS - digits.length()) + digits;
  }

  @Override
  public String toString() {
    return text();
  }
}
