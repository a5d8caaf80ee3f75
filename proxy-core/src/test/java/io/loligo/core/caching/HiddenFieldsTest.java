package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HiddenFieldsTest {
  @ParameterizedTest
  @CsvSource({
    "''|,0",
    "Date: x|,0",
    "xkey: a:b|Date: x|,11",
    "SURROGATE-KEY: a|xkey:b|Loligo-Cache-Control: max-age=1|,59",
    "Date: x|xkey: a|,0",
  })
  void measuresTheHiddenLinesInFront(String lines, int length) {
    ByteBuf block =
        Unpooled.copiedBuffer((lines + "|").replace("|", "\r\n"), StandardCharsets.ISO_8859_1);
    assertThat(HiddenFields.length(block)).isEqualTo(length);
    block.release();
  }

  /** Each hit with Age or a surrogate key asks for the length. */
  @Test
  void measuresWithoutAllocation() {
    ByteBuf block =
        Unpooled.copiedBuffer("Age: 1\r\nxkey: a\r\nDate: x\r\n\r\n", StandardCharsets.ISO_8859_1);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long before = 0;
    long sum = 0;
    for (int i = 0; i < 20_000; i++) {
      if (i == 10_000) {
        before = threads.getThreadAllocatedBytes(self);
      }
      sum += HiddenFields.length(block);
    }
    assertThat((threads.getThreadAllocatedBytes(self) - before) / 10_000).isZero();
    assertThat(sum).isEqualTo(20_000 * 17);
    block.release();
  }
}
