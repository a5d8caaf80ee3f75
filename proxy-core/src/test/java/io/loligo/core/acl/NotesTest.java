package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.Notes.Note;
import java.util.List;
import org.junit.jupiter.api.Test;

class NotesTest {
  @Test
  void addsValuesOfOneName() {
    Notes notes = Notes.NONE.with("group", "a").with("seat", "7").with("group", "b");

    assertThat(notes.values("group")).isEqualTo("a,b");
    assertThat(notes.values("Group")).isNull();
    assertThat(notes.has("group", "b")).isTrue();
    assertThat(notes.has("group", "7")).isFalse();
  }

  @Test
  void replacesAllOfTheNamesThatAnAnswerHas() {
    Notes notes = Notes.NONE.with("group", "a").with("seat", "7").with("group", "b");

    assertThat(notes.replacing(List.of(new Note("group", "c"), new Note("group", "d"))).all())
        .containsExactly(new Note("seat", "7"), new Note("group", "c"), new Note("group", "d"));
    assertThat(notes.replacing("seat", "8").values("seat")).isEqualTo("8");
    assertThat(notes.without("group").all()).containsExactly(new Note("seat", "7"));
    assertThat(notes.without("group").without("seat").isEmpty()).isTrue();
  }

  @Test
  void includesOthersOnce() {
    Notes notes = Notes.NONE.with("group", "a");
    Note other = new Note("group", "b");

    assertThat(notes.including(List.of(new Note("group", "a"), other, other)).all())
        .containsExactly(new Note("group", "a"), other);
    assertThat(notes.including(notes.all())).isSameAs(notes);
  }

  @Test
  void leavesNotesBeyondTheNumberOut() {
    Notes notes = Notes.NONE;
    for (int i = 0; i < Notes.MAX_NOTES; i++) {
      notes = notes.with("n", "" + i);
    }

    assertThat(notes.with("late", "x").values("late")).isNull();
    assertThat(notes.replacing("n", "x").with("late", "x").all()).hasSize(2);
  }

  @Test
  void leavesLongNotesOutWhole() {
    String name = "n".repeat(Notes.MAX_NAME_BYTES);
    String value = "v".repeat(Notes.MAX_BYTES - Notes.MAX_NAME_BYTES);

    assertThat(Notes.NONE.with(name + "n", "").isEmpty()).isTrue();
    assertThat(Notes.NONE.with(name, value + "v").isEmpty()).isTrue();
    Notes full = Notes.NONE.with(name, value);
    assertThat(full.has(name, value)).isTrue();
    assertThat(full.with("more", "").all()).hasSize(1);
    assertThat(full.without(name).with("more", "").all()).hasSize(1);
  }
}
