package io.loligo.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.memory.MemoryLedger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadSizeTest {
  /** Of an MTU of 65,536: without the headers of IPv4 and TCP and its timestamps. */
  private static final int LOOPBACK_SEGMENT = 65_483;

  @ParameterizedTest
  @CsvSource({"4096, 4096", "32768, 32768", "65535, 65535", "65536, 64512", "524288, 516096"})
  void aLargeBufferIsNotFilledToTheLastByte(int buffer, int read) {
    ReadSize size = new ReadSize(4096, new MemoryLedger(1 << 20));
    size.streamBuffer(buffer);
    assertThat(size.newHandle().guess()).isEqualTo(read);
  }

  @Test
  void bytesPassedOnUnchangedHaveNoTinyLastSegment() {
    for (int buffer = 65_536; buffer <= 1 << 20; buffer *= 2) {
      int last = ReadSize.intoBufferOf(buffer) % LOOPBACK_SEGMENT;
      assertThat(last).as("of %d", buffer).isGreaterThan(LOOPBACK_SEGMENT / 2);
    }
  }
}
