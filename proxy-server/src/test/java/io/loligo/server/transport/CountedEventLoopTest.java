package io.loligo.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CountedEventLoopTest {
  private static final long GUARD_SECONDS = 20;

  private EventLoopGroup group;

  @AfterEach
  void end() {
    group.shutdownGracefully(0, GUARD_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** For a task at its time, the loop waits in a question to the system. */
  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void countsEachQuestionToTheSystem(Sockets sockets) throws Exception {
    group = new Transport(sockets, PooledByteBufAllocator.DEFAULT).newLoops(1, "counted");
    CountedEventLoop loop = (CountedEventLoop) group.next();
    long before = loop.polls();
    for (int i = 0; i < 5; i++) {
      loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).get(GUARD_SECONDS, TimeUnit.SECONDS);
    }
    assertThat(loop.polls() - before).isGreaterThanOrEqualTo(5);
    long events = 0;
    for (int number = 0; number <= CountedEventLoop.MANY; number++) {
      events += number * loop.polls(number);
    }
    long behind = loop.events(); // read later, so it may be ahead
    assertThat(events).isBetween(0L, behind);
  }
}
