package io.loligo.core.acl;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the request has a note, with one of some values. As in Squid, the value of a note is a
 * list, and each token of it counts; a note with an empty value never matches. Immutable.
 *
 * @param values empty: any value
 * @param delimiters the characters between tokens
 */
record NoteCondition(String name, Set<String> values, String delimiters) implements Condition {
  /** The delimiters without {@code -m=}. */
  static final String USUAL_DELIMITERS = ",";

  NoteCondition {
    values = Set.copyOf(values);
  }

  @Override
  public int test(AclInput request, byte @Nullable [] destination) {
    List<Notes.Note> notes = request.notes().all();
    for (int i = 0; i < notes.size(); i++) {
      Notes.Note note = notes.get(i);
      if (note.name().equals(name) && hasToken(note.value())) {
        return YES;
      }
    }
    return NO;
  }

  private boolean hasToken(String value) {
    for (String token : tokens(value, delimiters)) {
      if (values.isEmpty() || values.contains(token)) {
        return true;
      }
    }
    return false;
  }

  /** The parts of {@code value} between any of {@code delimiters}, without empty ones. */
  static List<String> tokens(String value, String delimiters) {
    List<String> tokens = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= value.length(); i++) {
      if (i == value.length() || delimiters.indexOf(value.charAt(i)) >= 0) {
        if (i > start) {
          tokens.add(value.substring(start, i));
        }
        start = i + 1;
      }
    }
    return tokens;
  }
}
