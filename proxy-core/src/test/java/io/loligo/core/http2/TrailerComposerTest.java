package io.loligo.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.ParseLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrailerComposerTest {
  private static final ParseLimits LIMITS = new ParseLimits(4_000, 100, 20, 100, 100);

  @Test
  void dropsFieldsThatFrameRouteOrControl() {
    TrailerComposer trailers = new TrailerComposer(LIMITS);
    Decoded.give(
        trailers, "x-sum", "1", "content-length", "2", "cookie", "a", "etag", "b", "host", "c");
    assertThat(trailers.fields().count()).isEqualTo(2);
    assertThat(trailers.fields().name(0)).isEqualTo("x-sum");
    assertThat(trailers.fields().value(1)).isEqualTo("b");
  }

  @Test
  void limitsDroppedFieldsToo() {
    TrailerComposer trailers = new TrailerComposer(LIMITS);
    Decoded.give(trailers, "cookie", "v".repeat(60), "host", "v".repeat(60));
    assertThat(trailers.fields()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"transfer-encoding", "connection", "keep-alive", "upgrade"})
  void refusesFieldsOfAConnection(String name) {
    TrailerComposer trailers = new TrailerComposer(LIMITS);
    Decoded.give(trailers, "x-sum", "1", name, "a");
    assertThat(trailers.fields()).isNull();
  }
}
