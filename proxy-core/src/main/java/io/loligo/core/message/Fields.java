package io.loligo.core.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A field section (RFC 9110 section 5): bytes that belong to the head, and an index of offsets into
 * them. No heap object per field. Confined to one thread; reusable after {@link #clear}.
 *
 * <p>Fields are numbered from 0 in the order received. A value's bounds exclude the optional white
 * space around it. Values are ISO-8859-1: a byte is a char.
 */
public final class Fields {
  private static final byte[] NO_BYTES = {};
  private static final int STRIDE = 4;
  private static final int ID_SHIFT = 24;
  private static final int LENGTH_MASK = (1 << ID_SHIFT) - 1;

  /** Bytes of the longest name the index can hold. */
  public static final int MAX_NAME_BYTES = LENGTH_MASK;

  private byte[] bytes;
  // per field: id << 24 | name length, name start, value start, value end
  private int[] index;
  private int count;
  // the ids of all fields, in the words of a FieldSet
  private long knownLow;
  private long knownHigh;

  /** An empty section over no bytes, with room for {@code expectedFields} before it grows. */
  public Fields(int expectedFields) {
    this.bytes = NO_BYTES;
    this.index = new int[Math.max(1, expectedFields) * STRIDE];
  }

  /** Forgets all fields; offsets of fields added from now on refer to {@code bytes}, borrowed. */
  public void clear(byte[] bytes) {
    this.bytes = bytes;
    this.count = 0;
    this.knownLow = 0;
    this.knownHigh = 0;
  }

  /** Makes the same offsets refer to another array with the same bytes, borrowed. */
  public void rebase(byte[] sameBytes) {
    this.bytes = sameBytes;
  }

  /** An independent copy over another array with the same bytes, borrowed. */
  public Fields over(byte[] sameBytes) {
    Fields copy = new Fields(count);
    copy.bytes = sameBytes;
    copy.count = count;
    copy.knownLow = knownLow;
    copy.knownHigh = knownHigh;
    System.arraycopy(index, 0, copy.index, 0, count * STRIDE);
    return copy;
  }

  /** An independent copy over bytes of its own. */
  public Fields snapshot() {
    int end = 0;
    for (int i = 0; i < count; i++) {
      end = Math.max(end, valueEnd(i));
    }
    return over(Arrays.copyOf(bytes, end));
  }

  /** The fields whose number {@code kept} accepts, over the same bytes. */
  public Fields where(IntPredicate kept) {
    Fields some = new Fields(count);
    some.clear(bytes);
    for (int i = 0; i < count; i++) {
      if (kept.test(i)) {
        some.add(id(i), nameStart(i), nameLength(i), valueStart(i), valueEnd(i));
      }
    }
    return some;
  }

  /** Adds a field by its offsets into {@link #bytes()}. */
  public void add(int id, int nameStart, int nameLength, int valueStart, int valueEnd) {
    int at = count * STRIDE;
    if (at == index.length) {
      index = Arrays.copyOf(index, at * 2);
    }
    index[at] = id << ID_SHIFT | nameLength;
    index[at + 1] = nameStart;
    index[at + 2] = valueStart;
    index[at + 3] = valueEnd;
    if (id < Long.SIZE) {
      knownLow |= 1L << id;
    } else {
      knownHigh |= 1L << id;
    }
    count++;
  }

  /** The array all offsets refer to. */
  public byte[] bytes() {
    return bytes;
  }

  public int count() {
    return count;
  }

  /** The {@link FieldName} id of field {@code i}. */
  public int id(int i) {
    return index[i * STRIDE] >>> ID_SHIFT;
  }

  public int nameStart(int i) {
    return index[i * STRIDE + 1];
  }

  public int nameLength(int i) {
    return index[i * STRIDE] & LENGTH_MASK;
  }

  public int valueStart(int i) {
    return index[i * STRIDE + 2];
  }

  /** Exclusive. */
  public int valueEnd(int i) {
    return index[i * STRIDE + 3];
  }

  /** Whether a field of this known name is present. Constant time. */
  public boolean has(int id) {
    return ((id < Long.SIZE ? knownLow : knownHigh) & 1L << id) != 0;
  }

  /** Whether any field of {@code set} is present. Constant time. */
  public boolean hasAny(FieldSet set) {
    return ((knownLow & set.low()) | (knownHigh & set.high())) != 0;
  }

  /** Whether any field of {@code set} that is not in {@code but} is present. Constant time. */
  public boolean hasAny(FieldSet set, FieldSet but) {
    return ((knownLow & set.low() & ~but.low()) | (knownHigh & set.high() & ~but.high())) != 0;
  }

  /** The number of the first field of this known name, or -1. */
  public int first(int id) {
    return has(id) ? next(id, 0) : -1;
  }

  /** The number of the first field of this known name at or after number {@code from}, or -1. */
  public int next(int id, int from) {
    for (int i = from; i < count; i++) {
      if (id(i) == id) {
        return i;
      }
    }
    return -1;
  }

  /** The number of the first field named {@code name}, in any case, at or after {@code from}. */
  public int next(String name, int from) {
    int id = FieldName.of(name);
    if (id != FieldName.OTHER) {
      return next(id, from);
    }
    for (int i = from; i < count; i++) {
      if (id(i) == FieldName.OTHER && nameEquals(i, name)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether field {@code i} is named {@code name}, in any case. */
  public boolean nameEquals(int i, String name) {
    return equalsIgnoreCase(nameStart(i), nameLength(i), name);
  }

  /** Whether the value of field {@code i} is {@code text}, in any case. */
  public boolean valueEquals(int i, String text) {
    return equalsIgnoreCase(valueStart(i), valueEnd(i) - valueStart(i), text);
  }

  /** A new string: the name as received. */
  public String name(int i) {
    return new String(bytes, nameStart(i), nameLength(i), StandardCharsets.ISO_8859_1);
  }

  /** A new string: the name in lower case. */
  public String lowerName(int i) {
    return name(i).toLowerCase(Locale.ROOT);
  }

  /** A new string: the value as received. */
  public String value(int i) {
    return new String(
        bytes, valueStart(i), valueEnd(i) - valueStart(i), StandardCharsets.ISO_8859_1);
  }

  /** A new string: the value of the first field of this known name, or null. */
  public @Nullable String get(int id) {
    int i = first(id);
    return i < 0 ? null : value(i);
  }

  /**
   * A new string: all values under {@code name}, joined by ", " (RFC 9110 section 5.3), or null.
   */
  public @Nullable String joined(String name) {
    int i = next(name, 0);
    if (i < 0) {
      return null;
    }
    String first = value(i);
    int more = next(name, i + 1);
    if (more < 0) {
      return first;
    }
    StringBuilder all = new StringBuilder(first);
    for (; more >= 0; more = next(name, more + 1)) {
      all.append(", ").append(value(more));
    }
    return all.toString();
  }

  /**
   * Whether a comma-separated list field of this known name holds {@code token}, in any case, in
   * any of its lines.
   */
  public boolean hasToken(int id, String token) {
    for (int i = first(id); i >= 0; i = next(id, i + 1)) {
      if (listHolds(valueStart(i), valueEnd(i), token)) {
        return true;
      }
    }
    return false;
  }

  private boolean listHolds(int start, int end, String token) {
    int from = start;
    while (from < end) {
      int to = from;
      while (to < end && bytes[to] != ',') {
        to++;
      }
      int next = to + 1;
      while (from < to && Ascii.isBlank(bytes[from])) {
        from++;
      }
      while (to > from && Ascii.isBlank(bytes[to - 1])) {
        to--;
      }
      if (equalsIgnoreCase(from, to - from, token)) {
        return true;
      }
      from = next;
    }
    return false;
  }

  private boolean equalsIgnoreCase(int start, int length, String text) {
    if (length != text.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      int a = bytes[start + i] & 0xff;
      int b = text.charAt(i);
      if (a != b && Ascii.lower(a) != Ascii.lower(b)) {
        return false;
      }
    }
    return true;
  }
}
