package io.loligo.server.traffic;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Sums for the heaviest of many keys, in a fixed number of rows. A key is a text and a number. Not
 * thread-safe. Nothing is allocated after construction, except by {@link #rows}.
 *
 * <p>If all rows are taken, a new key of weight {@code w} gets the row of the lightest one, of
 * weight {@code m}, with the probability {@code w / (m + w)}, and has then both weights. So the
 * weight of a key is right on average, heavy keys get rows soon and keep them, and a storm of light
 * keys changes few rows (RAP: Ben Basat, Chen, Einziger, Friedman, Kassner: "Randomized Admission
 * Policy for Efficient Top-k, Frequency, and Volume Estimation", 2019; without the chance, it is
 * Space-Saving). The sums of a key begin with its row: they are exact since then. {@link #others}
 * has the sums of all keys while they have no row, so no sum is lost.
 *
 * <p>Peers choose the keys. The hash has a secret, a search compares at most all rows, and a text
 * counts up to a length. Most keys come again soon, often as the same object: a small table by the
 * strings' own hash, which they keep, finds those without the keyed hash. A collision there leads
 * to the search.
 */
public final class HeavyKeys {
  private static final int FREE = -1;
  private static final int RECENT = 256;

  /** A key with its sums. Immutable by agreement: nobody changes the array. */
  public static final class Row {
    private final String text;
    private final int number;
    private final long weight;
    private final long[] sums;

    Row(String text, int number, long weight, long[] sums) {
      this.text = text;
      this.number = number;
      this.weight = weight;
      this.sums = sums;
    }

    /** The text of the key, cut to the length that counts. */
    public String text() {
      return text;
    }

    /** The number of the key. */
    public int number() {
      return number;
    }

    /** A host and a port as {@code host:port}, an IPv6 address in brackets. */
    public String origin() {
      return (text.indexOf(':') < 0 ? text : '[' + text + ']') + ':' + number;
    }

    /** Its weight, with that of the keys which had its row before. */
    public long weight() {
      return weight;
    }

    /** A sum. */
    public long sum(int column) {
      return sums[column];
    }
  }

  private final KeyedHash hash;
  private final int capacity;
  private final int textBytes;
  private final int columns;
  private final SplittableRandom random;

  private final byte[] texts;
  private final int[] lengths;
  private final int[] numbers;
  private final long[] hashes;
  private final long[] weights;

  /** Of each row; after them, of the keys without a row. */
  private final long[] sums;

  /** The row of each cell, by hash with linear probing, or {@link #FREE}. */
  private final int[] cells;

  /** The last string of each row; null: it was longer than the text. */
  private final @Nullable String[] seen;

  /** A row for each slot, which may be that of a string with such a hash. */
  private final int[] recent = new int[RECENT];

  private int used;

  /** No row is lighter. */
  private long least;

  /**
   * No key yet.
   *
   * @param secret a random number
   * @param capacity most rows
   * @param textBytes the part of a text that counts
   * @param columns sums of a row
   */
  public HeavyKeys(long secret, int capacity, int textBytes, int columns) {
    hash = new KeyedHash(secret);
    random = new SplittableRandom(secret);
    this.capacity = capacity;
    this.textBytes = textBytes;
    this.columns = columns;
    texts = new byte[capacity * textBytes];
    lengths = new int[capacity];
    numbers = new int[capacity];
    hashes = new long[capacity];
    weights = new long[capacity + 1];
    sums = new long[(capacity + 1) * columns];
    seen = new @Nullable String[capacity];
    cells = new int[Integer.highestOneBit(capacity) * 4];
    clear();
  }

  /** Forgets everything. */
  public void clear() {
    Arrays.fill(cells, FREE);
    Arrays.fill(sums, capacity * columns, sums.length, 0);
    Arrays.fill(seen, null);
    used = 0;
    least = 0;
  }

  /**
   * The row of a key, or of those without one, for {@link #add} until the next call.
   *
   * @param text each character is one byte
   * @param weight of this occurrence, at least 1
   */
  public int row(String text, int number, long weight) {
    int slot = text.hashCode() + number & RECENT - 1;
    int row = recent[slot];
    if (!text.equals(seen[row]) || numbers[row] != number) {
      row = searched(text, number, weight);
      if (row < capacity) {
        recent[slot] = row;
        seen[row] = text.length() > textBytes ? null : text;
      }
    }
    weights[row] += weight;
    return row;
  }

  private int searched(String text, int number, long weight) {
    int length = Math.min(text.length(), textBytes);
    long hashed = hash.of(text, length, number);
    for (int cell = cell(hashed); cells[cell] != FREE; cell = next(cell)) {
      int row = cells[cell];
      if (hashes[row] == hashed && isKey(row, text, length, number)) {
        return row;
      }
    }
    int row = freeRow(weight);
    if (row < capacity) {
      use(row, hashed, text, length, number);
    }
    return row;
  }

  private void use(int row, long hashed, String text, int length, int number) {
    hashes[row] = hashed;
    numbers[row] = number;
    lengths[row] = length;
    for (int i = 0; i < length; i++) {
      texts[row * textBytes + i] = (byte) text.charAt(i);
    }
    Arrays.fill(sums, row * columns, (row + 1) * columns, 0);
    place(row);
  }

  /** Adds to a sum of {@code row}. */
  public void add(int row, int column, long amount) {
    sums[row * columns + column] += amount;
  }

  private boolean isKey(int row, String text, int length, int number) {
    if (numbers[row] != number || lengths[row] != length) {
      return false;
    }
    int start = row * textBytes;
    for (int i = 0; i < length; i++) {
      if (texts[start + i] != (byte) text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A row for a key of {@code weight}, or the one behind all rows. */
  private int freeRow(long weight) {
    if (used < capacity) {
      weights[used] = 0;
      return used++;
    }
    double chance = random.nextDouble();
    if (!mayReplace(least, weight, chance)) {
      return capacity;
    }
    int lightest = lightest();
    least = weights[lightest];
    if (!mayReplace(least, weight, chance)) {
      return capacity;
    }
    for (int column = 0; column < columns; column++) {
      sums[capacity * columns + column] += sums[lightest * columns + column];
    }
    unplace(lightest);
    return lightest;
  }

  private static boolean mayReplace(long lightest, long weight, double chance) {
    return chance * ((double) lightest + (double) weight) < (double) weight;
  }

  private int lightest() {
    int lightest = 0;
    for (int row = 1; row < capacity; row++) {
      if (weights[row] < weights[lightest]) {
        lightest = row;
      }
    }
    return lightest;
  }

  private void place(int row) {
    int cell = cell(hashes[row]);
    while (cells[cell] != FREE) {
      cell = next(cell);
    }
    cells[cell] = row;
  }

  /** Frees the cell of {@code row}, and moves back those that were probed past it. */
  private void unplace(int row) {
    int gap = cell(hashes[row]);
    while (cells[gap] != row) {
      gap = next(gap);
    }
    for (int at = next(gap); cells[at] != FREE; at = next(at)) {
      int home = cell(hashes[cells[at]]);
      if (distance(home, at) >= distance(gap, at)) {
        cells[gap] = cells[at];
        gap = at;
      }
    }
    cells[gap] = FREE;
  }

  private int distance(int from, int to) {
    return to - from & cells.length - 1;
  }

  private int cell(long hashed) {
    return (int) (hashed ^ hashed >>> 32) & cells.length - 1;
  }

  private int next(int cell) {
    return cell + 1 & cells.length - 1;
  }

  /** Copies of all rows, in no order. */
  public List<Row> rows() {
    List<Row> all = new ArrayList<>(used);
    for (int row = 0; row < used; row++) {
      all.add(
          new Row(
              new String(texts, row * textBytes, lengths[row], ISO_8859_1),
              numbers[row],
              weights[row],
              Arrays.copyOfRange(sums, row * columns, (row + 1) * columns)));
    }
    return all;
  }

  /** A copy of the sums of all keys while they had no row. */
  public long[] others() {
    return Arrays.copyOfRange(sums, capacity * columns, sums.length);
  }
}
