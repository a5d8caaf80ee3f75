package io.loligo.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DatagramGateTest {
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
  private final AtomicInteger pauses = new AtomicInteger();
  private final AtomicInteger read = new AtomicInteger();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(
          new DatagramGate(nanos::get, pauses::incrementAndGet),
          new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object packet) {
              read.incrementAndGet();
              nanos.addAndGet(DatagramGate.BUDGET_NANOS / 10);
            }
          });

  private void flood() {
    for (int i = 0; i < 1000 && channel.config().isAutoRead(); i++) {
      channel.writeInbound("datagram");
    }
  }

  @Test
  void readsUntilTheTimeOfAWindowIsSpent() {
    channel.freezeTime();
    flood();
    assertThat(read.get()).isEqualTo(11);
    assertThat(pauses.get()).isEqualTo(1);
    assertThat(channel.config().isAutoRead()).isFalse();

    long rest = DatagramGate.WINDOW_NANOS - 11 * (DatagramGate.BUDGET_NANOS / 10);
    nanos.addAndGet(rest);
    channel.advanceTimeBy(rest - 1, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.config().isAutoRead()).isFalse();
    channel.advanceTimeBy(1, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
    assertThat(channel.config().isAutoRead()).isTrue();
    flood();
    assertThat(read.get()).isEqualTo(22);
  }

  @Test
  void fewDatagramsAWindowArePassedOn() {
    for (int i = 0; i < 100; i++) {
      channel.writeInbound("datagram");
      nanos.addAndGet(DatagramGate.WINDOW_NANOS / 10);
    }
    assertThat(read.get()).isEqualTo(100);
    assertThat(pauses.get()).isZero();
  }
}
