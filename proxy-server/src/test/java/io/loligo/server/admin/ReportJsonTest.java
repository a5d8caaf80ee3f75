package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.DiskTimes;
import org.junit.jupiter.api.Test;

class ReportJsonTest {
  @Test
  void hasRowsOfSizesAndOfTimesBySize() {
    DiskTimes disk = new DiskTimes(() -> 0);
    assertThat(ReportJson.of(false, disk.sizes()))
        .isEqualTo("{\"historySaved\":false,\"sizes\":[],\"bySize\":[]}");
    disk.stored(16, 4_000, 0, 0);
    disk.stored(16, 4_000, 0, 0);
    disk.stored(2048, 9_000, 0, 0);
    assertThat(ReportJson.of(true, disk.sizes()))
        .isEqualTo(
            "{\"historySaved\":true,\"sizes\":[[16,2],[2048,1]],\"bySize\":[[1024,4,2],[2048,9,1]]}");
  }
}
