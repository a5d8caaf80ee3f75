package io.loligo.core.acl;

import org.jspecify.annotations.Nullable;

/**
 * A value of an ACL about marks of netfilter: those bits of a mark that {@code mask} has are {@code
 * mark}. Immutable.
 *
 * @param mark 0 to 0xFFFFFFFF
 * @param mask 0 to 0xFFFFFFFF
 */
record MarkMask(long mark, long mask) {
  private static final long MOST = 0xffff_ffffL;

  /** Reads {@code MARK} or {@code MARK/MASK}, as numbers of C; null: the text is neither. */
  static @Nullable MarkMask read(String text) {
    int slash = text.indexOf('/');
    long mark = number(slash < 0 ? text : text.substring(0, slash));
    long mask = slash < 0 ? MOST : number(text.substring(slash + 1));
    return mark < 0 || mask < 0 ? null : new MarkMask(mark, mask);
  }

  /** From 0 to 0xFFFFFFFF; -1: it is none. */
  private static long number(String text) {
    if (text.isEmpty() || !Character.isDigit(text.charAt(0))) {
      return -1;
    }
    try {
      long number = Long.decode(text);
      return number > MOST ? -1 : number;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  boolean matches(long connection) {
    return (connection & mask) == mark;
  }
}
