package io.loligo.server.explain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StoredSlicesTest {
  @Test
  void joinsNumbersInARow() {
    assertThat(new StoredSlices(1, List.of(), true).text()).isEmpty();
    assertThat(new StoredSlices(1, List.of(0L, 2L, 3L, 4L, 9L), true).text())
        .isEqualTo("0, 2-4, 9");
    assertThat(new StoredSlices(1, List.of(1L, 2L), false).text()).isEqualTo("1-2, perhaps more");
    assertThat(new StoredSlices(1, List.of(), false).text()).isEqualTo("perhaps some");
  }
}
