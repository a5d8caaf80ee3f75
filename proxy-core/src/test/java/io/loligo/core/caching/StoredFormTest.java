package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class StoredFormTest {
  private static final StoredMeta META =
      new StoredMeta(
          200, 1, 2, 3, 4, 5, 6, 7, 8, 9, "\"x\"".getBytes(StandardCharsets.US_ASCII), null, 10);

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
    assertThat(part.decided(6, 7, 8, 9)).usingRecursiveComparison().isEqualTo(part);
    assertThat(part.withoutStaleWhileRevalidate())
        .usingRecursiveComparison()
        .ignoringFields("staleWhileRevalidateSeconds")
        .isEqualTo(part);
  }

  private static StoredMeta afterReading(StoredMeta meta, byte... behind) {
    ByteBuf octets = Unpooled.buffer();
    try {
      StoredForm.writeMeta(meta, octets);
      return StoredForm.readMeta(octets.writeBytes(behind));
    } finally {
      octets.release();
    }
  }
}
