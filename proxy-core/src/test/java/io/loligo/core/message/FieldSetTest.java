package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class FieldSetTest {
  private static final int LAST = FieldSet.CAPACITY - 1;

  @Test
  void hasRoomForTheIdsOfAllNames() {
    assertThat(FieldName.COUNT).isLessThanOrEqualTo(FieldSet.CAPACITY);
  }

  @Test
  void eachIdHasAPlaceOfItsOwn() {
    for (int id = 0; id < FieldSet.CAPACITY; id++) {
      FieldSet set = FieldSet.of(id);
      for (int other = 0; other < FieldSet.CAPACITY; other++) {
        assertThat(set.has(other)).as("%d in the set of %d", other, id).isEqualTo(other == id);
      }
    }
  }

  @Test
  void refusesIdsThatDoNotFit() {
    assertThatThrownBy(() -> FieldSet.of(FieldSet.CAPACITY))
        .hasMessage("id: 128 (expected: 0 to 127)");
    assertThatThrownBy(() -> FieldSet.of(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property
  void setsBehaveLikeBitSets(
      @ForAll @Size(max = 20) List<@IntRange(max = LAST) Integer> some,
      @ForAll @Size(max = 20) List<@IntRange(max = LAST) Integer> more) {
    int[] ids = ids(some);
    int[] others = ids(more);
    FieldSet set = FieldSet.of(ids);
    FieldSet other = FieldSet.of(others);

    BitSet both = bits(ids);
    both.or(bits(others));
    BitSet rest = bits(ids);
    rest.andNot(bits(others));

    assertThat(bits(set)).isEqualTo(bits(ids));
    assertThat(bits(set.and(other))).isEqualTo(both);
    assertThat(bits(set.and(others))).isEqualTo(both);
    assertThat(bits(set.without(other))).isEqualTo(rest);
  }

  /** A section knows ids that no name has yet: there is room for more names. */
  @Property
  void sectionsKnowTheirFieldsByIdsOfEitherWord(
      @ForAll @Size(max = 20) List<@IntRange(max = LAST) Integer> received,
      @ForAll @Size(max = 5) List<@IntRange(max = LAST) Integer> wanted,
      @ForAll @Size(max = 5) List<@IntRange(max = LAST) Integer> left) {
    int[] ids = ids(received);
    int[] asked = ids(wanted);
    int[] but = ids(left);
    Fields fields = new Fields(1);
    fields.clear(new byte[0]);
    for (int id : ids) {
      fields.add(id, 0, 0, 0, 0);
    }

    for (Fields each : new Fields[] {fields, fields.snapshot(), fields.where(i -> true)}) {
      for (int id = 0; id < FieldSet.CAPACITY; id++) {
        assertThat(each.has(id)).isEqualTo(bits(ids).get(id));
        assertThat(each.first(id)).isEqualTo(firstOf(ids, id));
      }
      BitSet rest = bits(asked);
      rest.andNot(bits(but));
      FieldSet set = FieldSet.of(asked);
      assertThat(each.hasAny(set)).isEqualTo(bits(ids).intersects(bits(asked)));
      assertThat(each.hasAny(set, FieldSet.of(but))).isEqualTo(bits(ids).intersects(rest));
    }

    fields.clear(new byte[0]);
    assertThat(fields.hasAny(FieldSet.of(ids))).isFalse();
  }

  private static int[] ids(List<Integer> ids) {
    return ids.stream().mapToInt(Integer::intValue).toArray();
  }

  private static int firstOf(int[] ids, int id) {
    for (int i = 0; i < ids.length; i++) {
      if (ids[i] == id) {
        return i;
      }
    }
    return -1;
  }

  private static BitSet bits(int... ids) {
    BitSet bits = new BitSet();
    for (int id : ids) {
      bits.set(id);
    }
    return bits;
  }

  private static BitSet bits(FieldSet set) {
    BitSet bits = new BitSet();
    for (int id = 0; id < FieldSet.CAPACITY; id++) {
      bits.set(id, set.has(id));
    }
    return bits;
  }
}
