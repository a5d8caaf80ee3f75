package io.loligo.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class CountsMessageTest {
  private static final CountsMessage MESSAGE =
      new CountsMessage(
          7, List.of(new NameCount(-1, 1), new NameCount(0, 0xffff), new NameCount(5, 300)));

  @Property
  void isReadAsWritten(
      @ForAll long limit,
      @ForAll @Size(min = 1, max = 50) Map<Long, @IntRange(min = 1, max = 0xffff) Integer> counts) {
    List<NameCount> names = new ArrayList<>();
    new TreeMap<>(counts).forEach((name, count) -> names.add(new NameCount(name, count)));
    CountsMessage message = new CountsMessage(limit, names);
    assertThat(CountsMessage.decode(message.encode())).isEqualTo(message);
  }

  @Property
  void anyBytesAreReadOrRefused(@ForAll byte[] bytes) {
    CountsMessage read = CountsMessage.decode(bytes);
    if (read != null) {
      assertThat(read.encode()).isEqualTo(bytes);
    }
  }

  @Test
  void hasTheFormOfItsDescription() {
    assertThat(MESSAGE.encode())
        .hasSize(9 + 3 * 10)
        .startsWith(1, 0, 0, 0, 0, 0, 0, 0, 7, 0xff, 0xff)
        .endsWith(0, 0, 0, 0, 0, 0, 0, 5, 1, 44);
  }

  @Test
  void refusesWhatBreaksALimit() {
    byte[] written = MESSAGE.encode();
    for (int length = 0; length < written.length; length++) {
      boolean whole = length > 9 && (length - 9) % 10 == 0;
      assertThat(CountsMessage.decode(Arrays.copyOf(written, length)) != null)
          .as("%s bytes", length)
          .isEqualTo(whole);
    }
    assertThat(CountsMessage.decode(changed(0, 2))).as("version").isNull();
    assertThat(CountsMessage.decode(changed(18, 0))).as("no request").isNull();
    assertThat(CountsMessage.decode(changed(9, 0))).as("descending").isNull();
    assertThat(CountsMessage.decode(repeated(HeaviestNames.MOST))).isNotNull();
    assertThat(CountsMessage.decode(repeated(HeaviestNames.MOST + 1))).as("too many").isNull();
  }

  private static byte[] changed(int at, int value) {
    byte[] written = MESSAGE.encode();
    if (at == 18) {
      written[17] = 0;
    }
    written[at] = (byte) value;
    return written;
  }

  private static byte[] repeated(int size) {
    List<NameCount> names = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      names.add(new NameCount(i, 1));
    }
    return new CountsMessage(1, names).encode();
  }
}
