package io.loligo.store.disk.format;

import java.util.stream.LongStream;

/**
 * One directory's copy of the roll of directories; its file is ROLL. See {@code
 * docs/disk-format.md}. The array does not change.
 *
 * @param own the number by which others know the directory
 * @param number increases each time it is written
 * @param behind whether the directory may hold older copies of responses that another has
 * @param members directories that have heard of every removal
 */
public record RollSheet(long own, long number, boolean behind, long[] members) {
  /** Directories named at most; with more, unconfigured ones are forgotten. */
  public static final int MAX_MEMBERS = 256;

  /** Whether {@code directory} is a member. */
  public boolean lists(long directory) {
    return LongStream.of(members).anyMatch(member -> member == directory);
  }
}
