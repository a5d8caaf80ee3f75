package io.loligo.store.memory;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.StoreFixture;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("races")
final class EntryTest {
  private static final String URL = "http://a/";

  @Test
  void isNotRetainedOnceItIsGone() {
    try (StoreFixture fixture = new StoreFixture()) {
      Entry entry = fixture.put(URL, bytes(100));
      fixture.store.clear();
      assertThat(entry.tryRetain()).isTrue();
      entry.release();
      entry.release();
      assertThat(entry.tryRetain()).isFalse();
      assertThatThrownBy(entry::release).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void givesContentToTheEndOfABlock() {
    try (StoreFixture fixture = new StoreFixture()) {
      byte[] bytes = bytes(200_000);
      Entry entry = fixture.put(URL, bytes);
      int inFirst = Entry.BLOCK_BYTES - entry.fieldsLength();
      assertSlice(entry, bytes, 0, Integer.MAX_VALUE, inFirst);
      assertSlice(entry, bytes, 10, 20, 20);
      assertSlice(entry, bytes, inFirst - 1, 20, 1);
      assertSlice(entry, bytes, inFirst, Integer.MAX_VALUE, Entry.BLOCK_BYTES);
      assertSlice(entry, bytes, inFirst + Entry.BLOCK_BYTES + 5, 7, 7);
      assertSlice(entry, bytes, 199_999, 100, 1);
      assertThatThrownBy(() -> entry.retainedContent(200_000, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      entry.release();
    }
  }

  @Test
  void sharesItsContentTypeWithOthers() {
    try (StoreFixture fixture = new StoreFixture()) {
      String type = "Content-Type: text/x-shared\r\n";
      Entry one = fixture.put(URL, StoreFixture.meta(), type, bytes(1));
      Entry other = fixture.put(URL + "other", StoreFixture.meta(), type, bytes(1));
      assertThat(one.contentType()).isEqualTo("text/x-shared").isSameAs(other.contentType());
      one.release();
      other.release();
    }
  }

  private static void assertSlice(Entry entry, byte[] bytes, int offset, int max, int expected) {
    ByteBuf slice = entry.retainedContent(offset, max);
    byte[] got = new byte[slice.readableBytes()];
    slice.readBytes(got);
    slice.release();
    assertThat(got).hasSize(expected);
    assertThat(got).isEqualTo(java.util.Arrays.copyOfRange(bytes, offset, offset + expected));
  }

  /**
   * One thread stores and removes, the other finds: each entry found is whole, never another one.
   */
  @Test
  void survivesTheRaceOfRemovalAndRetention() throws Exception {
    int rounds = 3_000;
    try (StoreFixture fixture = new StoreFixture()) {
      CyclicBarrier start = new CyclicBarrier(2);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      try {
        Future<?> writer =
            threads.submit(
                () -> {
                  start.await();
                  for (int i = 0; i < rounds; i++) {
                    byte[] bytes = new byte[64];
                    java.util.Arrays.fill(bytes, (byte) i);
                    Entry entry = fixture.put(URL, bytes);
                    if (entry != null) {
                      entry.release();
                    }
                    fixture.store.remove(StoreFixture.key(URL));
                  }
                  return null;
                });
        Future<?> reader =
            threads.submit(
                () -> {
                  start.await();
                  for (int i = 0; i < rounds * 10; i++) {
                    Entry entry = fixture.store.find(probe(URL), noFields());
                    if (entry != null) {
                      byte[] content = StoreFixture.content(entry);
                      assertThat(content).containsOnly(content[0]);
                      entry.release();
                    }
                  }
                  return null;
                });
        writer.get(60, TimeUnit.SECONDS);
        reader.get(60, TimeUnit.SECONDS);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  /** Of two threads that let go of the last two references exactly one frees. */
  @Test
  void isFreedOnceByConcurrentReleases() throws Exception {
    try (StoreFixture fixture = new StoreFixture()) {
      ExecutorService other = Executors.newSingleThreadExecutor();
      try {
        for (int i = 0; i < 2_000; i++) {
          Entry entry = fixture.put(URL, bytes(16));
          assertThat(entry.tryRetain()).isTrue();
          fixture.store.remove(StoreFixture.key(URL));
          Future<?> there = other.submit(entry::release);
          entry.release();
          there.get(60, TimeUnit.SECONDS);
          assertThat(entry.tryRetain()).isFalse();
          assertThat(fixture.store.stats().memoryBytes()).isZero();
        }
      } finally {
        other.shutdownNow();
      }
    }
  }
}
