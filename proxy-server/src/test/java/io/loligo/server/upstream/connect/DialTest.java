package io.loligo.server.upstream.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.server.record.HopTls;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.tls.Tolerance;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** RFC 8305 on a virtual clock. */
class DialTest {
  private static final Endpoint V6_A = endpoint("2001:db8::1");
  private static final Endpoint V6_B = endpoint("2001:db8::2");
  private static final Endpoint V4_A = endpoint("192.0.2.1");
  private static final Endpoint V4_B = endpoint("192.0.2.2");

  private static final Endpoint TOLD =
      new Endpoint(
          V4_A.address(),
          80,
          Endpoint.Security.NONE,
          HopProxyHeader.own(ProxyHeaderVersion.VERSION_1),
          null);

  private final EmbeddedChannel clock = new EmbeddedChannel();
  private final LoopTimer timer = new LoopTimer(clock.eventLoop());
  private final FakeTransport transport = new FakeTransport(UnpooledByteBufAllocator.DEFAULT);
  private final Seen seen = new Seen();
  private int dials = 1;

  @BeforeEach
  void freeze() {
    clock.freezeTime();
  }

  @Test
  void interleavesFamiliesStartingWithIpv6() {
    assertThat(AddressOrder.interleave(List.of(V4_A, V4_B, V6_A, V6_B), false))
        .containsExactly(V6_A, V4_A, V6_B, V4_B);
    assertThat(AddressOrder.interleave(List.of(V6_A, V6_B, V4_A), true))
        .containsExactly(V4_A, V6_A, V6_B);
  }

  @Test
  void takesTheFirstAddressThatAnswersAtOnce() {
    dial(V6_A, V4_A);
    assertThat(seen.connected).isEqualTo(V6_A);
    assertThat(transport.dialled()).containsExactly(V6_A.socketAddress());
    advance(1_000);
    assertThat(transport.dialled()).containsExactly(V6_A.socketAddress());
  }

  @Test
  void startsTheSecondAfterAQuarterOfASecond() {
    transport.usually(FakeTransport.Manner.HANG);
    dial(V6_A, V4_A);
    advance(249);
    assertThat(transport.dialled()).containsExactly(V6_A.socketAddress());
    advance(1);
    assertThat(transport.dialled()).containsExactly(V6_A.socketAddress(), V4_A.socketAddress());
  }

  @Test
  void startsTheSecondAtOnceWhenTheFirstFails() {
    transport.at(V6_A.socketAddress(), FakeTransport.Manner.REFUSE);
    dial(V6_A, V4_A);
    assertThat(seen.connected).isEqualTo(V4_A);
    assertThat(seen.attempts).isEqualTo(2);
  }

  @Test
  void closesTheLoserWhenTheOtherWins() {
    transport.usually(FakeTransport.Manner.HANG);
    dial(V6_A, V4_A);
    advance(250);
    transport.connections().get(1).accept();
    assertThat(seen.connected).isEqualTo(V4_A);
    assertThat(transport.connections().get(0).open()).isFalse();
    assertThat(transport.connections().get(1).open()).isTrue();
  }

  @Test
  void closesOneThatConnectsTooLate() {
    transport.usually(FakeTransport.Manner.HANG);
    Dial<Handler> dial = dial(V6_A);
    dial.cancel();
    transport.last().accept();
    assertThat(seen.connected).isNull();
    assertThat(transport.last().open()).isFalse();
  }

  @Test
  void failsWhenAllRefuse() {
    transport.usually(FakeTransport.Manner.REFUSE);
    dial(V6_A, V4_A);
    assertThat(seen.failure.kind()).isEqualTo(FetchFailure.Kind.CONNECT_FAILED);
    assertThat(seen.failure.detail()).contains("192.0.2.1").contains("refused");
  }

  @Test
  void waitsForTheSlowOneWhenTheOtherRefuses() {
    transport.at(V6_A.socketAddress(), FakeTransport.Manner.HANG);
    transport.at(V4_A.socketAddress(), FakeTransport.Manner.REFUSE);
    dial(V6_A, V4_A);
    advance(250);
    assertThat(seen.failure).isNull();
    transport.connections().get(0).accept();
    assertThat(seen.connected).isEqualTo(V6_A);
  }

  @Test
  void givesUpWhenTheTimeIsOver() {
    transport.usually(FakeTransport.Manner.HANG);
    dial(V6_A, V4_A);
    for (int i = 0; i < 12; i++) {
      advance(100);
    }
    assertThat(seen.failure.kind()).isEqualTo(FetchFailure.Kind.CONNECT_TIMEOUT);
    assertThat(transport.connections()).noneMatch(FakeTransport.Connection::open);
  }

  @Test
  void triesNoMoreThanAllowed() {
    transport.usually(FakeTransport.Manner.REFUSE);
    Dial<Handler> dial =
        new Dial<>(
            clock.eventLoop(),
            transport,
            timer,
            List.of(V6_A, V4_A, V6_B),
            new Dial.Effort(2, 1),
            endpoint -> new Handler(),
            seen,
            Tolerance.NONE);
    dial.start(1_000);
    assertThat(transport.dialled()).hasSize(2);
    assertThat(seen.failure).isNotNull();
  }

  @Test
  void dialsAnAddressAgainUntilItAnswers() {
    dials = 3;
    transport.usually(FakeTransport.Manner.REFUSE);
    dial(V4_A);
    assertThat(transport.connections()).hasSize(1);
    advance(49);
    assertThat(transport.connections()).hasSize(1);
    advance(1);
    assertThat(transport.connections()).hasSize(2);
    assertThat(seen.failure).isNull();
    transport.usually(FakeTransport.Manner.ACCEPT);
    advance(50);
    assertThat(seen.connected).isEqualTo(V4_A);
    assertThat(seen.attempts).isEqualTo(1);
    assertThat(transport.connections()).hasSize(3);
  }

  @Test
  void theNextAddressFollowsTheLastTime() {
    dials = 2;
    transport.at(V6_A.socketAddress(), FakeTransport.Manner.REFUSE);
    dial(V6_A, V4_A);
    advance(49);
    assertThat(transport.dialled()).containsExactly(V6_A.socketAddress());
    advance(1);
    assertThat(transport.dialled())
        .containsExactly(V6_A.socketAddress(), V6_A.socketAddress(), V4_A.socketAddress());
    assertThat(seen.connected).isEqualTo(V4_A);
  }

  @Test
  void failsOnlyAfterTheLastTime() {
    dials = 2;
    transport.usually(FakeTransport.Manner.REFUSE);
    dial(V6_A, V4_A);
    advance(50);
    assertThat(seen.failure).isNull();
    assertThat(transport.connections()).hasSize(3);
    advance(50);
    assertThat(seen.failure.kind()).isEqualTo(FetchFailure.Kind.CONNECT_FAILED);
    assertThat(transport.connections()).hasSize(4);
  }

  @Test
  void aCancelledDialIsNotRepeated() {
    dials = 2;
    transport.usually(FakeTransport.Manner.REFUSE);
    dial(V4_A).cancel();
    advance(100);
    assertThat(transport.connections()).hasSize(1);
    assertThat(seen.failure).isNull();
  }

  @Test
  void theHeaderIsSentOnceConnected() {
    transport.usually(FakeTransport.Manner.HANG);
    dial(TOLD);
    assertThat(transport.last().sent()).isEmpty();
    transport.last().accept();
    assertThat(transport.last().sent()).isEqualTo("PROXY UNKNOWN\r\n");
    assertThat(seen.connected).isEqualTo(TOLD);
  }

  /** Otherwise the request would arrive without the client's address. */
  @Test
  void withoutItsHeaderAConnectionIsClosed() {
    transport.usually(FakeTransport.Manner.HANG);
    dial(TOLD);
    transport.last().channel().pipeline().addFirst(new Failing());
    transport.last().accept();
    assertThat(transport.last().open()).isFalse();
  }

  private Dial<Handler> dial(Endpoint... endpoints) {
    Dial<Handler> dial =
        new Dial<>(
            clock.eventLoop(),
            transport,
            timer,
            List.of(endpoints),
            new Dial.Effort(25, dials),
            endpoint -> new Handler(),
            seen,
            Tolerance.NONE);
    dial.start(1_000);
    return dial;
  }

  private void advance(long millis) {
    clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    clock.runPendingTasks();
  }

  private static Endpoint endpoint(String literal) {
    try {
      return Endpoint.clear(
          InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(literal)), 80);
    } catch (java.net.UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** Fails each write. */
  private static final class Failing extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
      promise.setFailure(new IOException("for the test"));
    }
  }

  private static final class Handler extends ChannelInboundHandlerAdapter {}

  private static final class Seen implements Dial.Outcome<Handler> {
    private Endpoint connected;
    private FetchFailure failure;
    private int attempts;

    @Override
    public void connected(
        Handler handler, Channel channel, Endpoint endpoint, int tries, HopTls secured) {
      assertThat(connected).isNull();
      connected = endpoint;
      attempts = tries;
    }

    @Override
    public void unreachable(FetchFailure cause, int tries) {
      assertThat(failure).isNull();
      failure = cause;
      attempts = tries;
    }
  }
}
