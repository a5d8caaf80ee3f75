package io.loligo.server.upstream.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.RecvByteBufAllocator;
import org.junit.jupiter.api.Test;

@SuppressWarnings("deprecation") // the type of the interface that ReadSizes implements
final class ReadSizesTest {
  private static final int STREAM_BUFFER = 65_536;

  /** Less than a segment on the loopback interface. */
  private static final int READ = 64_512;

  private final MemoryLedger transit = new MemoryLedger(1_000);
  private final ReadSizes sizes = new ReadSizes(STREAM_BUFFER, /* secure= */ false, transit);
  private final RecvByteBufAllocator.Handle handle = sizes.newHandle();

  private void read(int bytes) {
    handle.attemptedBytesRead(handle.guess());
    handle.lastBytesRead(bytes);
  }

  @Test
  void isSmallWhileNothingIsExpected() {
    sizes.idle();
    assertThat(handle.guess()).isEqualTo(64);
  }

  @Test
  void hasRoomForAHeadAndAUsualContent() {
    assertThat(handle.guess()).isEqualTo(32_768);
  }

  @Test
  void hasRoomForAResponseLikeTheLastOne() {
    sizes.responds(65_536);
    sizes.head();
    assertThat(handle.guess()).isEqualTo(65_536 + 2_048 + 1);
    sizes.responds(100);
    sizes.head();
    assertThat(handle.guess()).isEqualTo(32_768);
  }

  @Test
  void holdsNoMoreThanAStreamBufferForAResponseLikeTheLastOne() {
    sizes.responds(65_537);
    sizes.head();
    assertThat(handle.guess()).isEqualTo(32_768);
  }

  @Test
  void readsTheMissingBytesAndOneForASurplus() {
    sizes.content(10_000);
    assertThat(handle.guess()).isEqualTo(10_001);
    sizes.content(1_000_000);
    assertThat(handle.guess()).isEqualTo(READ);
    sizes.content(0);
    assertThat(handle.guess()).isEqualTo(4_096);
  }

  /** Each piece that waits for a slow client holds the buffer that it was read into. */
  @Test
  void contentThatArrivesInPiecesGetsSmallBuffers() {
    for (int i = 0; i < 3; i++) {
      sizes.content(1_000_000);
      read(512);
    }
    sizes.content(1_000_000);
    assertThat(handle.guess()).as("the rest may come at once").isEqualTo(READ);
    read(512);
    sizes.content(1_000_000);
    assertThat(handle.guess()).isEqualTo(READ / 4);
    for (int i = 0; i < 8; i++) {
      read(512);
      sizes.content(1_000_000);
    }
    assertThat(handle.guess()).isEqualTo(4_096);
    for (int i = 0; i < 2; i++) {
      read(handle.guess());
      sizes.content(1_000_000);
    }
    assertThat(handle.guess()).as("it comes faster").isEqualTo(READ);
    read(512);
    sizes.head();
    assertThat(handle.guess()).isEqualTo(32_768);
  }

  @Test
  void followsAStreamUpAndDown() {
    sizes.stream();
    read(32_768);
    assertThat(handle.guess()).isEqualTo(READ);
    read(100);
    assertThat(handle.guess()).isEqualTo(READ / 4);
    read(100);
    read(100);
    assertThat(handle.guess()).isEqualTo(4_096);
  }

  @Test
  void isSmallWhereMemoryIsScarce() {
    sizes.content(1_000_000);
    transit.force(1_000);
    assertThat(handle.guess()).isEqualTo(4_096);
    transit.release(1_000);
    assertThat(handle.guess()).isEqualTo(READ);
  }
}
