package io.loligo.core.acl;

import io.loligo.core.message.CNumber;
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
    long mark = CNumber.of(slash < 0 ? text : text.substring(0, slash), MOST);
    long mask = slash < 0 ? MOST : CNumber.of(text.substring(slash + 1), MOST);
    return mark < 0 || mask < 0 ? null : new MarkMask(mark, mask);
  }

  boolean matches(long connection) {
    return (connection & mask) == mark;
  }
}
