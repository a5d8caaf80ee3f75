package io.loligo.core.message;

/**
 * A set of {@link FieldName} ids, {@link FieldName#OTHER} among them. Immutable.
 *
 * <p>A set holds ids below {@value #CAPACITY}. A third word would make room for 64 more ids; only
 * this record and {@link Fields} know the number of words. The ids of frequent fields are below 64:
 * a set of such ids costs one test of one word.
 *
 * <p>Sets are constants of the classes that use them. They are records because the JVM treats the
 * components of a constant record as constants; it would have to load the fields of a constant
 * object of another class.
 *
 * @param low bit {@code id} of the ids below 64
 * @param high bit {@code id - 64} of the ids from 64
 */
public record FieldSet(long low, long high) {
  /** Exclusive limit of ids. */
  public static final int CAPACITY = 2 * Long.SIZE;

  /** No id. */
  public static final FieldSet NONE = new FieldSet(0, 0);

  /** The set of {@code ids}. */
  public static FieldSet of(int... ids) {
    return NONE.and(ids);
  }

  /** A new set: these ids, and {@code more}. */
  public FieldSet and(int... more) {
    long newLow = low;
    long newHigh = high;
    for (int id : more) {
      if (id < 0 || id >= CAPACITY) {
        throw new IllegalArgumentException(
            "id: " + id + " (expected: 0 to " + (CAPACITY - 1) + ")");
      }
      newLow |= id < Long.SIZE ? 1L << id : 0;
      newHigh |= id < Long.SIZE ? 0 : 1L << id;
    }
    return new FieldSet(newLow, newHigh);
  }

  /** A new set: these ids, and those of {@code more}. */
  public FieldSet and(FieldSet more) {
    return new FieldSet(low | more.low, high | more.high);
  }

  /** A new set: these ids without those of {@code others}. */
  public FieldSet without(FieldSet others) {
    return new FieldSet(low & ~others.low, high & ~others.high);
  }

  /** Whether {@code id} is in the set. */
  public boolean has(int id) {
    return ((id < Long.SIZE ? low : high) & 1L << id) != 0;
  }
}
