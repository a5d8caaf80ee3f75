package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FieldLinesTest {
  @Test
  void linesOfABlockGoBeforeAllOthers() {
    ByteBuf block = Unpooled.copiedBuffer("..A: 1\r\n\r\n", StandardCharsets.ISO_8859_1);
    FieldLines lines = new FieldLines(4).add("B", "2").add("C", "3").prepend(block, 2, 6);
    lines.add("D", "4");
    assertThat(new String(lines.toBytes(), StandardCharsets.ISO_8859_1))
        .isEqualTo("A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n");
    assertThat(block.readerIndex()).isZero();
    block.release();
  }
}
