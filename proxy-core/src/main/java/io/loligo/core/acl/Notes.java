package io.loligo.core.acl;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The notes of a request (Squid: annotations): names with values from helpers, rules and
 * directives. A name may occur several times. Immutable; any thread. Each character is one byte
 * (ISO 8859-1), control bytes included.
 *
 * <p>There are at most {@value #MAX_NOTES} notes, with names of at most {@value #MAX_NAME_BYTES}
 * bytes, and names and values of {@value #MAX_BYTES} bytes together. A note beyond a limit is left
 * out whole: rules never decide by a part of a value.
 */
public final class Notes {
  /** The most notes. */
  public static final int MAX_NOTES = 64;

  /** The most bytes of a name. */
  public static final int MAX_NAME_BYTES = 256;

  /** The most bytes of all names and values together. */
  public static final int MAX_BYTES = 64 << 10;

  /** No notes. */
  public static final Notes NONE = new Notes(List.of());

  private final List<Note> all;

  /** One note. Immutable. */
  public record Note(String name, String value) {
    private int bytes() {
      return name.length() + value.length();
    }
  }

  private Notes(List<Note> all) {
    this.all = all;
  }

  /** All notes, in the order in which they were added. */
  public List<Note> all() {
    return all;
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** Whether there is a note with this name and value. */
  public boolean has(String name, String value) {
    for (Note note : all) {
      if (note.name.equals(name) && note.value.equals(value)) {
        return true;
      }
    }
    return false;
  }

  /** The values of all notes with this name, joined by commas; null: there is none. */
  public @Nullable String values(String name) {
    StringBuilder values = null;
    for (Note note : all) {
      if (note.name.equals(name)) {
        values = values == null ? new StringBuilder() : values.append(',');
        values.append(note.value);
      }
    }
    return values == null ? null : values.toString();
  }

  /** These notes and one more; those of the same name stay. */
  public Notes with(String name, String value) {
    return joined(all, List.of(new Note(name, value)));
  }

  /** These notes and those of {@code others} that are not among them. */
  public Notes including(List<Note> others) {
    if (others.isEmpty()) {
      return this;
    }
    List<Note> more = others.stream().filter(other -> !all.contains(other)).distinct().toList();
    return more.isEmpty() ? this : joined(all, more);
  }

  /** These notes with the ones of this name replaced by one. */
  public Notes replacing(String name, String value) {
    return replacing(List.of(new Note(name, value)));
  }

  /**
   * These notes and {@code others}, which replace all of the same names: each answer of a helper
   * does that.
   */
  public Notes replacing(List<Note> others) {
    List<Note> kept = new ArrayList<>(all);
    kept.removeIf(note -> others.stream().anyMatch(other -> other.name.equals(note.name)));
    return joined(kept, others);
  }

  /** These notes without those of this name. */
  public Notes without(String name) {
    return joined(all.stream().filter(note -> !note.name.equals(name)).toList(), List.of());
  }

  private static Notes joined(List<Note> first, List<Note> others) {
    List<Note> joined = new ArrayList<>(first);
    int bytes = 0;
    for (Note note : first) {
      bytes += note.bytes();
    }
    for (Note note : others) {
      boolean fits = joined.size() < MAX_NOTES && note.bytes() <= MAX_BYTES - bytes;
      if (fits && note.name.length() <= MAX_NAME_BYTES) {
        joined.add(note);
        bytes += note.bytes();
      }
    }
    return joined.isEmpty() ? NONE : new Notes(List.copyOf(joined));
  }

  @Override
  public String toString() {
    return all.toString();
  }
}
