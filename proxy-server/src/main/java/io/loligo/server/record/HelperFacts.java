package io.loligo.server.record;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What helpers have told about a request. Immutable; the characters of its texts are bytes.
 *
 * @param notes all pairs of all answers, in their order, at most {@value #MAX_NOTES}
 * @param tag the first {@code tag=}; null: none
 * @param log the last {@code log=}; null: none
 * @param user the last {@code user=} of an external ACL; null: none
 * @param message the last {@code message=} of an external ACL; null: none
 */
public record HelperFacts(
    List<Note> notes,
    @Nullable String tag,
    @Nullable String log,
    @Nullable String user,
    @Nullable String message) {
  /** The most notes that are kept. */
  public static final int MAX_NOTES = 64;

  /** Nothing. */
  public static final HelperFacts NONE = new HelperFacts(List.of(), null, null, null, null);

  /** One pair. Immutable. */
  public record Note(String key, String value) {}

  /** These facts and {@code more} notes; one that is there already is not added again. */
  public HelperFacts with(List<Note> more) {
    List<Note> all = new ArrayList<>(notes);
    for (Note note : more) {
      if (all.size() < MAX_NOTES && !all.contains(note)) {
        all.add(note);
      }
    }
    return new HelperFacts(List.copyOf(all), tag, log, user, message);
  }

  /** The same facts with those of the answer of an external ACL; null: it does not say so. */
  public HelperFacts told(
      @Nullable String newTag,
      @Nullable String newLog,
      @Nullable String newUser,
      @Nullable String newMessage) {
    return new HelperFacts(
        notes,
        tag == null ? newTag : tag,
        newLog == null ? log : newLog,
        newUser == null ? user : newUser,
        newMessage == null ? message : newMessage);
  }

  /** The values of all notes with {@code key}, joined by commas; null: there is none. */
  public @Nullable String values(String key) {
    StringBuilder values = null;
    for (Note note : notes) {
      if (note.key().equals(key)) {
        values = values == null ? new StringBuilder() : values.append(',');
        values.append(note.value());
      }
    }
    return values == null ? null : values.toString();
  }
}
