package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
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
}
