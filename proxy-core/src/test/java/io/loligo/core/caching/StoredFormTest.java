package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class StoredFormTest {
  private static final StoredMeta META =
      StoredMeta.builder(200)
          .requestTimeMillis(1)
          .responseTimeMillis(2)
          .dateMillis(3)
          .lastModifiedMillis(4)
          .initialAgeSeconds(5)
          .lifetimeSeconds(6)
          .staleWhileRevalidateSeconds(7)
          .staleIfErrorSeconds(8)
          .flags(9)
          .etag("\"x\"".getBytes(StandardCharsets.US_ASCII))
          .contentLength(10)
          .build();

  @Test
  void readsTheWrittenForm() {
    assertThat(afterReading(META)).usingRecursiveComparison().isEqualTo(META);
  }

  /** A later version may append components that this one does not know. */
  @Test
  void ignoresBytesBehindTheComponentsItKnows() {
    StoredMeta part = META.withPart(new ContentPart(2, 7));
    assertThat(afterReading(META, (byte) 0x85, (byte) 1))
        .usingRecursiveComparison()
        .isEqualTo(META);
    assertThat(afterReading(part, (byte) 0x85, (byte) 1))
        .usingRecursiveComparison()
        .isEqualTo(part);
  }

  /** Each copy has all components but those it changes. */
  @Test
  void copiesKeepTheOtherComponents() {
    StoredMeta part = META.withPart(new ContentPart(2, 7));
    assertThat(part.askedForAt(99))
        .usingRecursiveComparison()
        .ignoringFields("requestTimeMillis")
        .isEqualTo(part);
    assertThat(part.askedForAt(99).requestTimeMillis()).isEqualTo(99);
    assertThat(part.withPart(null)).usingRecursiveComparison().isEqualTo(META);
    assertThat(part.withContentLength(11).withContentLength(10))
        .usingRecursiveComparison()
        .isEqualTo(part);
    assertThat(part.toBuilder().build()).usingRecursiveComparison().isEqualTo(part);
    assertThat(part.withoutStaleWhileRevalidate())
        .usingRecursiveComparison()
        .ignoringFields("staleWhileRevalidateSeconds")
        .isEqualTo(part);
  }

  private static StoredMeta afterReading(StoredMeta meta, byte... behind) {
    ByteBuf bytes = Unpooled.buffer();
    try {
      StoredForm.writeMeta(meta, bytes);
      return StoredForm.readMeta(bytes.writeBytes(behind));
    } finally {
      bytes.release();
    }
  }
}
