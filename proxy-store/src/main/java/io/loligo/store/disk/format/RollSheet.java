package io.loligo.store.disk.format;

import java.util.stream.LongStream;

/**
 * What one directory has of the roll of directories; its file is ROLL. See {@code
 * docs/disk-format.md}. The array does not change.
 *
 * @param own the number the directory is known by to the others
 * @param number higher each time it is written
 * @param behind whether the directory may hold older copies of what another has
 * @param members who has heard of every removal
 */
public record RollSheet(long own, long number, boolean behind, long[] members) {
  /** Directories named at most; with more, those that are not configured are forgotten. */
  public static final int MAX_MEMBERS = 256;

  /** Whether {@code directory} is a member. */
  public boolean lists(long directory) {
    return LongStream.of(members).anyMatch(member -> member == directory);
  }
}
