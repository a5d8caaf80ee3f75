package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentDigest;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Responses that an earlier process left under keys other than those of URLs are known after the
 * opening.
 */
final class AlternativesLeftTest {
  /** How that process ended. */
  enum End {
    CLEAN,
    KILLED
  }

  private static final String DIGEST = "0".repeat(ContentDigest.DIGITS);
  private static final String LONG = "x".repeat(500);

  @TempDir Path temp;

  private DiskFixture open() throws IOException {
    return new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)));
  }

  private void leave(End end, String... urls) throws IOException {
    Path used = temp.resolve(end == End.CLEAN ? "cache" : "used");
    try (DiskFixture fixture = new DiskFixture(disk(dir(used, 16 << 20)))) {
      for (String url : urls) {
        fixture.put(url, bytes(1000));
      }
      if (end == End.KILLED) {
        DiskFixture.copy(used, temp.resolve("cache"));
      }
    }
  }

  private static boolean mayBeAny(DiskFixture fixture, String url) {
    return fixture.store.store.alternatives().mayBeAny(key(url));
  }

  @ParameterizedTest
  @EnumSource
  void pathsThatHaveSomeAreKnown(End end) throws IOException {
    leave(
        end,
        "http://a/x?q=1 QUERY " + DIGEST,
        "http://a/y/" + LONG + " NVS " + DIGEST,
        "http://a/z");
    try (DiskFixture fixture = open()) {
      assertThat(mayBeAny(fixture, "http://a/x?q=2")).isTrue();
      assertThat(mayBeAny(fixture, "http://a/y/" + LONG)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void pathsThatHaveNoneAreKnown(End end) throws IOException {
    leave(end, "http://a/x?q=1 QUERY " + DIGEST, "http://a/z", "http://a/z?" + LONG);
    try (DiskFixture fixture = open()) {
      assertThat(mayBeAny(fixture, "http://a/x?q=2")).isTrue();
      assertThat(mayBeAny(fixture, "http://a/none")).isFalse();
      assertThat(mayBeAny(fixture, "http://a/z")).isFalse();
    }
  }
}
