package io.loligo.server.upstream;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** A set of status codes, 100 to 599. Immutable. */
public final class StatusSet {
  private static final int LOWEST = 100;
  private static final int HIGHEST = 599;

  /** No status. */
  public static final StatusSet NONE = new StatusSet(new BitSet());

  private final BitSet codes;

  private StatusSet(BitSet codes) {
    this.codes = codes;
  }

  /** The set of {@code statuses}. */
  public static StatusSet of(int... statuses) {
    BitSet codes = new BitSet();
    for (int status : statuses) {
      codes.set(status);
    }
    return new StatusSet(codes);
  }

  /** The set that {@code text} lists, such as {@code 404,500-599}; null: it is none. */
  public static @Nullable StatusSet of(String text) {
    BitSet codes = new BitSet();
    for (String part : text.split(",", -1)) {
      if (!part.matches("[1-5][0-9]{2}(-[1-5][0-9]{2})?")) {
        return null;
      }
      int first = Integer.parseInt(part.substring(0, 3));
      int last = part.length() == 3 ? first : Integer.parseInt(part.substring(4));
      if (first < LOWEST || last > HIGHEST || last < first) {
        return null;
      }
      codes.set(first, last + 1);
    }
    return new StatusSet(codes);
  }

  /** Whether {@code status} is in it. */
  public boolean contains(int status) {
    return status > 0 && codes.get(status);
  }
}
