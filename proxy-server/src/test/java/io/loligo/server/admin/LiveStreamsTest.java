package io.loligo.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LiveStreamsTest {
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private int made;
  private boolean fails;

  private final LiveStreams streams =
      new LiveStreams(
          () -> {
            if (fails) {
              throw new IllegalStateException("expected");
            }
            return "{\"n\":" + ++made + "}";
          });

  private EmbeddedChannel open() {
    EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    channel.freezeTime();
    channels.add(channel);
    ChannelHandlerContext context = channel.pipeline().firstContext();
    streams.open(context);
    return channel;
  }

  @AfterEach
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  /** A second passes on the loop of the first channel, which has the timer. */
  private void second() {
    channels.get(0).advanceTimeBy(1, TimeUnit.SECONDS);
    channels.get(0).runScheduledPendingTasks();
  }

  private static List<String> events(EmbeddedChannel channel) {
    List<String> events = new ArrayList<>();
    for (HttpContent part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      events.add(part.content().toString(UTF_8));
      part.release();
    }
    return events;
  }

  private static void writable(EmbeddedChannel channel, boolean isWritable) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, isWritable);
  }

  @Test
  void sendsTheFirstStateAtOnceAndOneEachSecondToAll() {
    EmbeddedChannel one = open();
    EmbeddedChannel other = open();
    second();
    second();
    assertThat(events(one))
        .containsExactly("data: {\"n\":1}\n\n", "data: {\"n\":3}\n\n", "data: {\"n\":4}\n\n");
    assertThat(events(other)).hasSize(3).contains("data: {\"n\":4}\n\n");
  }

  @Test
  void queuesNothingForASlowReaderAndClosesItInTheEnd() {
    EmbeddedChannel channel = open();
    events(channel);
    writable(channel, false);
    second();
    assertThat(events(channel)).isEmpty();
    writable(channel, true);
    second();
    assertThat(events(channel)).containsExactly("data: {\"n\":3}\n\n");
    writable(channel, false);
    for (int i = 1; i < LiveStreams.MOST_MISSED; i++) {
      second();
    }
    assertThat(channel.isOpen()).isTrue();
    second();
    assertThat(channel.isOpen()).isFalse();
    assertThat(events(channel)).isEmpty();
  }

  @Test
  void refusesMoreThanItsLimitUntilOneIsClosed() {
    for (int i = 0; i < LiveStreams.MOST; i++) {
      assertThat(streams.answer().status()).isEqualTo(200);
      open();
    }
    assertThat(streams.answer().status()).isEqualTo(503);
    assertThat(streams.answer().retrySeconds()).isPositive();
    channels.get(3).close();
    assertThat(streams.answer().status()).isEqualTo(200);
  }

  @Test
  void makesNoStateWithoutAReader() {
    EmbeddedChannel channel = open();
    channel.close();
    second();
    assertThat(made).isEqualTo(1);
  }

  @Test
  void keepsTheConnectionWhileNoStateCanBeMade() {
    EmbeddedChannel channel = open();
    fails = true;
    second();
    fails = false;
    second();
    assertThat(events(channel))
        .containsExactly("data: {\"n\":1}\n\n", ":\n\n", "data: {\"n\":2}\n\n");
  }
}
