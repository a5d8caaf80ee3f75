package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RepeatedValueTest {
  private final RepeatedValue value = new RepeatedValue();

  /** Peer-Port with {@code text} after {@code before} bytes of other things. */
  private static Fields port(String text, int before) {
    byte[] bytes =
        ("x".repeat(before) + "Peer-Port: " + text).getBytes(StandardCharsets.ISO_8859_1);
    Fields fields = new Fields(1);
    fields.clear(bytes);
    fields.add(FieldName.PEER_PORT, before, 9, before + 11, bytes.length);
    return fields;
  }

  @Test
  void isTheSameStringAsLongAsTheValueIsTheSame() {
    String first = value.of(port("3128/forward", 0), FieldName.PEER_PORT);
    assertThat(first).isEqualTo("3128/forward");
    assertThat(value.of(port("3128/forward", 7), FieldName.PEER_PORT)).isSameAs(first);
    assertThat(value.of(port("3128/forward2", 0), FieldName.PEER_PORT)).isEqualTo("3128/forward2");
    assertThat(value.of(port("3128/forwar", 0), FieldName.PEER_PORT)).isEqualTo("3128/forwar");
    assertThat(value.of(port("", 0), FieldName.PEER_PORT)).isEmpty();
    assertThat(value.of(port("\u00e9", 0), FieldName.PEER_PORT)).isEqualTo("\u00e9");
  }

  @Test
  void isNullWithoutTheField() {
    assertThat(value.of(port("", 0), FieldName.PEER_PORT)).isEmpty();
    assertThat(value.of(port("a", 0), FieldName.PEER_NODE)).isNull();
    assertThat(value.of(port("a", 0), FieldName.PEER_PORT)).isEqualTo("a");
  }

  @Test
  void aRepeatedValueAllocatesNothing() {
    Fields fields = port("3128/forward", 0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    value.of(fields, FieldName.PEER_PORT);
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 10_000; i++) {
      value.of(fields, FieldName.PEER_PORT);
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }
}
