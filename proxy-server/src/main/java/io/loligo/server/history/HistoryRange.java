package io.loligo.server.history;

import org.jspecify.annotations.Nullable;

/** The ranges that are kept, each in slots of its own length. Immutable. */
public enum HistoryRange {
  FIVE_MINUTES("5m", 1, 300, 2),
  HOUR("1h", 10, 360, 3),
  DAY("24h", 60, 1440, 14),
  MONTH("30d", 600, 4320, 45);

  /** The sum of the shares. */
  private static final int SHARES = 64;

  private final String word;
  private final int slotSeconds;
  private final int slots;
  private final int share;

  HistoryRange(String word, int slotSeconds, int slots, int share) {
    this.word = word;
    this.slotSeconds = slotSeconds;
    this.slots = slots;
    this.share = share;
  }

  /** The range that operators call so; null: none. */
  public static @Nullable HistoryRange of(String word) {
    for (HistoryRange range : values()) {
      if (range.word.equals(word)) {
        return range;
      }
    }
    return null;
  }

  /** Its name for operators. */
  public String word() {
    return word;
  }

  /** Length of a slot. */
  public int slotSeconds() {
    return slotSeconds;
  }

  /** Number of slots. */
  public int slots() {
    return slots;
  }

  /** Length of the range. */
  public int seconds() {
    return slotSeconds * slots;
  }

  /** Its part of {@code bytes} of memory. */
  int bytesOf(int bytes) {
    return (int) ((long) bytes * share / SHARES);
  }

  /** The first second of the slot with {@code second}. */
  long slotOf(long second) {
    return second - Math.floorMod(second, (long) slotSeconds);
  }
}
