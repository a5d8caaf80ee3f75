package io.loligo.server.explain;

import java.util.List;

/**
 * The slices of a response ({@code loligo_slice_size}), and which of them are stored. Immutable.
 *
 * @param sliceBytes size of each but the last
 * @param numbers of the stored ones, for any variant, in ascending order; the first is 0
 * @param all whether these are all; else only the first ones were looked for
 */
public record StoredSlices(long sliceBytes, List<Long> numbers, boolean all) {
  /** Keeps a copy of the list. */
  public StoredSlices {
    numbers = List.copyOf(numbers);
  }

  /** The numbers, consecutive ones joined, such as {@code 0, 2-5}. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < numbers.size(); i++) {
      long first = numbers.get(i);
      while (i + 1 < numbers.size() && numbers.get(i + 1) == numbers.get(i) + 1) {
        i++;
      }
      long last = numbers.get(i);
      text.append(text.isEmpty() ? "" : ", ").append(first);
      text.append(first == last ? "" : "-" + last);
    }
    return text.append(all ? "" : text.isEmpty() ? "perhaps some" : ", perhaps more").toString();
  }
}
