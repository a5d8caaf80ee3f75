package io.loligo.server.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ReplyFieldsTest {
  private static final int COUNT = 100_000;

  /** Comparing each name with each field would take 10^10 comparisons. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void looksForManyWithheldNamesInOnePass() {
    byte[] bytes = "X-900000: value\r\nX-100001: value\r\n".getBytes(StandardCharsets.ISO_8859_1);
    ResponseHead head = new ResponseHead();
    head.clear(bytes);
    head.fields().add(FieldName.OTHER, 17, 8, 27, 32);
    for (int i = 0; i < COUNT; i++) {
      head.fields().add(FieldName.OTHER, 0, 8, 10, 15);
    }
    List<String> withheld = IntStream.range(COUNT, 2 * COUNT).mapToObj(i -> "x-" + i).toList();
    FieldLines lines = new FieldLines(64);
    ReplyFields.addWithheld(head, withheld, lines);
    assertThat(new String(lines.toBytes(), StandardCharsets.ISO_8859_1))
        .isEqualTo("X-100001: value\r\n");
  }
}
