package io.loligo.server.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.exchange.ExchangeFixture.Outcome;
import io.loligo.server.explain.Question;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HitStreamTest {
  private static final Question QUESTION =
      new Question("http://a.example/", "GET", List.of(), "", "127.0.0.1", "");
  private static final int LENGTH = 3 << 20;
  private static final int SLICE_BYTES = 64 << 10;
  private static final int GATHERED_BYTES = 512 << 10;

  private static Outcome hit(ExchangeFixture bench) {
    bench.answers =
        request ->
            "HTTP/1.1 200 \r\nCache-Control: max-age=60\r\nContent-Length: " + LENGTH + "\r\n\r\n";
    bench.send(QUESTION);
    Outcome hit = bench.send(QUESTION);
    assertThat(hit.asked).isZero();
    assertThat(hit.content.size()).isEqualTo(LENGTH);
    return hit;
  }

  @Test
  void gathersContentInMemoryIntoFewBoundedWrites() {
    try (ExchangeFixture bench = new ExchangeFixture("maximum_object_size_in_memory 4 MB")) {
      List<Integer> writes = hit(bench).writes;
      assertThat(writes).hasSize(LENGTH / GATHERED_BYTES);
      assertThat(writes).allMatch(bytes -> bytes < GATHERED_BYTES + 2 * SLICE_BYTES);
    }
  }

  @Test
  void writesTheFirstContentTogetherWithItsHead() {
    try (ExchangeFixture bench = new ExchangeFixture("maximum_object_size_in_memory 4 MB")) {
      assertThat(hit(bench).writes).first().matches(bytes -> bytes >= GATHERED_BYTES);
    }
  }

  @Test
  void readsFromDiskNoFasterThanTheClientTakes(@TempDir Path folder) {
    try (ExchangeFixture bench =
        new ExchangeFixture(
            "maximum_object_size_in_memory 8 KB", "cache_dir rock " + folder + " 64")) {
      assertThat(hit(bench).writes).allMatch(bytes -> bytes <= 2 * SLICE_BYTES);
      // bytes taken by the client, queued on its connection, and being read
      assertThat(bench.given(QUESTION, SLICE_BYTES)).isLessThan(GATHERED_BYTES);
    }
  }
}
