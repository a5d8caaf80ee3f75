package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RecordFormTest {
  private static final SeriesList SERIES = SampleIntervals.series(5, 3, 2);

  private final RecordBytes record = new RecordBytes();

  private static void same(Interval actual, Interval expected) {
    assertThat(actual)
        .usingRecursiveComparison()
        .ignoringFields("slot", "startSeconds")
        .isEqualTo(expected);
  }

  private Interval again(RecordForm form, SeriesList series) throws DamagedRecordException {
    byte[] bytes = new byte[record.length()];
    System.arraycopy(record.array(), 0, bytes, 0, bytes.length);
    RecordBytes copy = new RecordBytes();
    System.arraycopy(bytes, 0, copy.room(bytes.length), 0, bytes.length);
    Interval read = new Interval(series);
    read.begin(0);
    form.addTo(read, copy);
    return read;
  }

  @Property(tries = 200)
  void anIntervalComesBackAsItWas(
      @ForAll long seed, @ForAll @LongRange(min = 1, max = 1L << 60) long most)
      throws DamagedRecordException {
    RecordForm form = new RecordForm(SERIES, SERIES);
    Interval sample = SampleIntervals.random(SERIES, new Random(seed), 7, most);
    form.write(sample, record);
    same(again(form, SERIES), sample);
  }

  @Property
  void anArrayComesBackAsItWas(@ForAll @Size(max = 40) List<@LongRange(max = 3) Long> list)
      throws DamagedRecordException {
    long[] numbers = list.stream().mapToLong(Long::longValue).toArray();
    record.clear();
    record.write(numbers);
    long[] read = new long[numbers.length];
    Arrays.fill(read, 9);
    int used = record.read(read);
    Arrays.fill(read, used, read.length, 0);
    assertThat(read).isEqualTo(numbers);
    assertThat(record.isRead()).isTrue();
  }

  @Test
  void anEmptyIntervalTakesAByteForEachArrayAndSum() {
    Interval nothing = new Interval(SERIES);
    nothing.begin(0);
    new RecordForm(SERIES, SERIES).write(nothing, record);
    assertThat(record.length()).isEqualTo(2 + 3 + 2 * 2);
  }

  @Test
  void seriesGoByNameAndUnknownOnesAreLeftOut() throws DamagedRecordException {
    SeriesList before = new SeriesList();
    before.add(Series.Kind.COUNTER, "gone");
    before.add(Series.Kind.COUNTER, "kept");
    before.add(Series.Kind.COUNTER, "changed");
    before.add(Series.Kind.TIMES, "times.gone");
    before.add(Series.Kind.TIMES, "times.kept");
    SeriesList after = new SeriesList();
    Series kept = after.add(Series.Kind.COUNTER, "kept");
    Series fresh = after.add(Series.Kind.COUNTER, "new");
    Series changed = after.add(Series.Kind.GAUGE, "changed");
    Series times = after.add(Series.Kind.TIMES, "times.kept");
    Interval sample = new Interval(before);
    sample.begin(0);
    sample.cover(1, 1000);
    sample.counters[0] = 5;
    sample.counters[1] = 6;
    sample.counters[2] = 7;
    sample.buckets[0][3] = 1;
    sample.buckets[1][4] = 2;
    sample.timeSums[1] = 8;
    new RecordForm(before, before).write(sample, record);
    Interval read = again(new RecordForm(before, after), after);
    assertThat(read.sum(kept)).isEqualTo(6);
    assertThat(read.sum(fresh)).isZero();
    assertThat(read.maximum(changed)).isZero();
    assertThat(read.count(times)).isEqualTo(2);
    assertThat(read.meanNanos(times)).isEqualTo(4);
  }

  @Property(tries = 500)
  void anyBytesAreARecordOrDamaged(@ForAll @Size(max = 200) byte[] bytes) {
    RecordForm form = new RecordForm(SERIES, SERIES);
    System.arraycopy(bytes, 0, record.room(bytes.length), 0, bytes.length);
    Interval sum = new Interval(SERIES);
    try {
      form.addTo(sum, record);
      assertThat(record.isRead()).isTrue();
    } catch (DamagedRecordException expected) {
      assertThat(expected).hasMessageMatching(".*(record|number|length|zeros).*");
    }
  }

  @Test
  void aRecordCutAnywhereIsDamaged() {
    RecordForm form = new RecordForm(SERIES, SERIES);
    form.write(SampleIntervals.random(SERIES, new Random(1), 0, 300), record);
    byte[] whole = record.array().clone();
    int length = record.length();
    for (int cut = 0; cut < length; cut++) {
      System.arraycopy(whole, 0, record.room(cut), 0, cut);
      assertThatThrownBy(() -> form.addTo(new Interval(SERIES), record))
          .isInstanceOf(DamagedRecordException.class);
    }
    System.arraycopy(whole, 0, record.room(length + 1), 0, length + 1);
    assertThatThrownBy(() -> form.addTo(new Interval(SERIES), record))
        .isInstanceOf(DamagedRecordException.class);
  }
}
