package io.loligo.server.downstream.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.CapturedLog;
import io.loligo.server.config.Configs;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.ScriptedChannel;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line of up to eight bytes chooses: "next" is followed, "fail" throws, others close. */
class UndecidedConnectionTest {
  private static final int START_MILLIS = 5_000;
  private static final InetSocketAddress TOLD =
      new InetSocketAddress(NetUtil.createInetAddressFromIpAddressString("192.0.2.9"), 1_234);
  private static final ListeningPort LISTENING = new ListeningPort(Configs.port("3128"));
  private static final ProxyConfig CONFIG =
      Configs.of("client_ip_max_connections 1\n")
          .with(ClientDirectives.REQUEST_START_TIMEOUT, (long) START_MILLIS);

  private final ScriptedChannel channel = new ScriptedChannel();
  private final ClientConnections clients =
      new ClientConnections(
          channel.eventLoop(),
          new LoopTimer(channel.eventLoop()),
          TimeSource.SYSTEM,
          new NoRequests(),
          record -> {
            throw new AssertionError("no exchange");
          },
          new ClientAddresses(),
          new ProxyMetrics(1).loop(0).connections(),
          new MemoryLedger(1 << 20),
          new ClientSettings(CONFIG),
          0);
  private final List<String> looks = new ArrayList<>();
  private final List<String> passedOn = new ArrayList<>();
  private final LineChooser chooser = new LineChooser();

  UndecidedConnectionTest() {
    channel.run(() -> channel.pipeline().addLast(chooser));
  }

  @AfterEach
  void nothingIsLeft() {
    channel.discard();
    channel.pass(200);
    assertThat(channel.usedBytes()).isZero();
    assertThat(clients.open()).isZero();
  }

  private static final class NoRequests implements RequestHandler {
    @Override
    public ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
      throw new AssertionError("a request");
    }

    @Override
    public ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
      throw new AssertionError(why);
    }

    @Override
    public void refused(ClientStream stream, ParseFailure failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void headTimedOut(ClientStream stream) {
      throw new AssertionError("a request");
    }
  }

  private final class LineChooser extends UndecidedConnection {
    LineChooser() {
      super(clients, LISTENING, (InetSocketAddress) channel.remoteAddress(), 64);
    }

    @Override
    protected void look(ByteBuf bytes) {
      String text = bytes.toString(StandardCharsets.US_ASCII);
      looks.add(text);
      int end = text.indexOf('\n');
      if (end < 0 ? text.length() > 8 : !text.startsWith("next\n")) {
        if (text.startsWith("fail\n")) {
          throw new IllegalStateException("the choice failed");
        }
        close();
      } else if (end >= 0) {
        bytes.skipBytes(end + 1);
        follow(new Follower(), TOLD);
      }
    }
  }

  /** Keeps the bytes that it reads. */
  private final class Follower extends ClientConnection {
    Follower() {
      super(clients, LISTENING, TOLD);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      passedOn.add(bytes.toString(StandardCharsets.US_ASCII));
      bytes.release();
    }

    @Override
    protected void attached() {}

    @Override
    protected void opened() {
      assertThat(local()).isEqualTo(TOLD);
      context().read();
    }

    @Override
    protected void refused() {
      channel().close();
    }

    @Override
    protected void gone() {}

    @Override
    protected void releaseOwn() {}

    @Override
    protected void breakOff(boolean timedOut) {}

    @Override
    protected void drain() {}

    @Override
    protected boolean tunnels() {
      return false;
    }
  }

  @Test
  void bytesThatArriveOneAtATimeAreLookedAtTogether() {
    for (String one : List.of("n", "e", "x", "t", "\n", "a", "b")) {
      channel.peerSends(one);
    }
    assertThat(looks).containsExactly("n", "ne", "nex", "next", "next\n");
    assertThat(passedOn).as("only the bytes behind the line").containsExactly("a");
    assertThat(clients.addresses().open(TOLD.getAddress().getAddress())).isEqualTo(1);
  }

  @Test
  void theRestOfTheLastReadIsPassedOn() {
    channel.peerSends("ne");
    channel.peerSends("xt\nab");
    assertThat(passedOn).containsExactly("ab");
    channel.pass(2 * START_MILLIS);
    assertThat(channel.isOpen()).as("the time counts for the choice only").isTrue();
  }

  @Test
  void closesWhenNoChoiceIsMadeInTime() {
    channel.pass(START_MILLIS - 1_000);
    channel.peerSends("ne");
    assertThat(channel.isOpen()).isTrue();
    channel.pass(1_200);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void tooManyBytesCloseAndThoseBehindThemAreNotLookedAt() {
    channel.peerSends("toolong");
    channel.peerSends("er");
    ChannelHandlerContext unused = null; // of a handler that has left the pipeline
    channel.run(() -> chooser.channelRead(unused, channel.alloc().buffer().writeByte('x')));
    assertThat(channel.isOpen()).isFalse();
    assertThat(looks).containsExactly("toolong", "toolonger");
  }

  @ParameterizedTest
  @ValueSource(strings = {"fin", "reset", "vanished", "drain", "abort"})
  void anEndBeforeTheChoiceReleasesTheBytes(String end) {
    channel.peerSends("ne");
    assertThat(channel.usedBytes()).isPositive();
    switch (end) {
      case "fin" -> channel.peerFins();
      case "reset" -> channel.peerResets();
      case "vanished" -> channel.peerVanishes();
      case "drain" -> channel.run(() -> clients.drain(() -> looks.add("empty")));
      default -> channel.run(() -> clients.abort(false));
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.usedBytes()).isZero();
    assertThat(looks.contains("empty")).isEqualTo(end.equals("drain"));
  }

  @Test
  void aFailureOfTheChoiceClosesAndReleases() {
    try (CapturedLog log = new CapturedLog(ClientConnection.class)) {
      channel.peerSends("fail\n");
      assertThat(log.lines()).singleElement().asString().contains("failed and is closed");
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(channel.usedBytes()).isZero();
  }

  @Test
  void aFollowerWhoseAddressHasTooManyGetsNoBytes() {
    ClientAddresses.Count other = clients.addresses().opened(TOLD.getAddress());
    channel.peerSends("next\nab");
    assertThat(channel.isOpen()).isFalse();
    assertThat(passedOn).isEmpty();
    clients.addresses().closed(other);
  }
}
