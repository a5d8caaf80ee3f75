package io.loligo.cluster.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ConfigurationMessageTest {
  private static ConfigurationMessage message(int age, String... names) {
    Map<String, List<String>> lines = new TreeMap<>();
    for (String name : names) {
      lines.put(name, List.of("on"));
    }
    return new ConfigurationMessage(age, Configuration.of(lines));
  }

  @Property(tries = 100)
  void isReadAsWritten(@ForAll @IntRange(min = 0) int age, @ForAll @IntRange(max = 256) int size) {
    String[] names = IntStream.range(0, size).mapToObj(i -> "name_" + i).toArray(String[]::new);
    ConfigurationMessage message = message(age, names);
    assertThat(ConfigurationMessage.decode(message.encode())).isEqualTo(message);
  }

  @Property
  void anyBytesAreReadOrRefused(@ForAll byte[] bytes) {
    ConfigurationMessage read = ConfigurationMessage.decode(bytes);
    if (read != null) {
      assertThat(read.encode()).isEqualTo(bytes);
    }
  }

  @Test
  void refusesWhatBreaksALimit() {
    byte[] written = message(7, "acl", "via").encode();
    for (int length = 0; length < written.length; length++) {
      assertThat(ConfigurationMessage.decode(Arrays.copyOf(written, length)))
          .as("%s bytes", length)
          .isNull();
    }
    assertThat(ConfigurationMessage.decode(Arrays.copyOf(written, written.length + 1))).isNull();
    assertThat(changed(written, 0, 2)).as("version").isNull();
    assertThat(changed(written, 1, 0x80)).as("age").isNull();
    assertThat(changed(written, 8, 'A')).as("a letter").isNull();
    assertThat(changed(written, 8, '\n')).as("a line").isNull();
    assertThat(changed(written, 8, 'z')).as("the order").isNull();
    assertThat(changed(written, 8, 'b')).as("another name").isNotNull();
    String long64 = IntStream.range(0, 64).mapToObj(i -> "a").collect(Collectors.joining());
    assertThat(ConfigurationMessage.decode(message(7, long64).encode())).isNotNull();
    assertThat(ConfigurationMessage.decode(message(7, long64 + "a").encode())).isNull();
  }

  private static ConfigurationMessage changed(byte[] written, int at, int value) {
    byte[] copy = written.clone();
    copy[at] = (byte) value;
    return ConfigurationMessage.decode(copy);
  }
}
