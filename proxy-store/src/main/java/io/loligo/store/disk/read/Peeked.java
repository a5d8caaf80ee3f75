package io.loligo.store.disk.read;

import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Glimpse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a look at all variants under a key. Immutable.
 *
 * @param variants the newest of each directory first
 * @param selected the response that a load would return; null if there is none
 * @param selectedId number of its object; 0 if it is joined from several
 * @param load the outcome of such a load
 * @param outcome DAMAGED or BUSY if one of the variants could not be read
 */
public record Peeked(
    List<Glimpse> variants,
    @Nullable Glimpse selected,
    long selectedId,
    LoadOutcome load,
    LoadOutcome outcome) {
  /** Nothing was seen, for the reason {@code outcome}. */
  public static Peeked none(LoadOutcome outcome) {
    return new Peeked(List.of(), null, 0, outcome, outcome);
  }
}
