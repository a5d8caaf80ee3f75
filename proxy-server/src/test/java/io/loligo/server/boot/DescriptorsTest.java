package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DescriptorsTest {
  private static final long NONE = Long.MAX_VALUE;

  @ParameterizedTest
  @CsvSource({"0, 1024, 1024", "500, 1024, 500", "5000, 1024, 1024", "0, 1073741816, 1073741816"})
  void aDirectiveOnlyLowersTheLimit(int wanted, long system, long limit) {
    assertThat(Descriptors.limit(wanted, system)).isEqualTo(limit);
  }

  @Test
  void infinityIsNoLimit() {
    assertThat(Descriptors.limit(0, -1)).isEqualTo(NONE);
    assertThat(Descriptors.limit(4096, -1)).isEqualTo(4096);
  }
}
