package io.loligo.server.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.ScriptedChannel;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Both channels are embedded, so each has a loop of its own: the harder case. */
class TunnelTest {
  private static final int BUFFER_BYTES = 1_000;

  private final ScriptedChannel client = new ScriptedChannel();
  private final ScriptedChannel origin = new ScriptedChannel();
  private final LoopTimer timer = new LoopTimer(client.eventLoop());
  private final MemoryLedger transit = new MemoryLedger(100_000);
  private final List<String> ends = new ArrayList<>();
  private Tunnel tunnel;

  @AfterEach
  void nothingIsLeft() {
    client.discard();
    origin.discard();
    settle();
    assertThat(client.usedBytes()).isZero();
    assertThat(origin.usedBytes()).isZero();
    assertThat(ends).hasSize(1);
    assertThat(transit.used()).isZero();
  }

  private void start() {
    start(Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER);
  }

  private void start(ByteBuf clientEarly, ByteBuf originEarly) {
    client.run(
        () ->
            tunnel =
                Tunnel.start(
                    new ChannelByteStream(client, clientEarly),
                    new ChannelByteStream(origin, originEarly),
                    null,
                    timer,
                    5_000,
                    BUFFER_BYTES,
                    transit,
                    (from, to) -> ends.add(from + " " + to)));
    settle();
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      client.runPendingTasks();
      origin.runPendingTasks();
    }
    client.checkException();
    origin.checkException();
  }

  private void clientSends(String text) {
    client.peerSends(text);
    settle();
  }

  private void originSends(String text) {
    origin.peerSends(text);
    settle();
  }

  private ByteBuf bytes(ScriptedChannel channel, String text) {
    ByteBuf bytes = channel.allocator().directBuffer();
    bytes.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    return bytes;
  }

  @Test
  void relaysBothWaysAndCounts() {
    start();
    clientSends("hello");
    assertThat(origin.received()).isEqualTo("hello");
    originSends("hi there");
    assertThat(client.received()).isEqualTo("hi there");
    clientSends("bye");
    assertThat(origin.received()).isEqualTo("bye");
    client.run(tunnel::abort);
    assertThat(ends).containsExactly("8 8");
  }

  @Test
  void earlyBytesGoFirst() {
    start(bytes(client, "a"), bytes(origin, "1"));
    clientSends("b");
    originSends("2");
    assertThat(origin.received()).isEqualTo("ab");
    assertThat(client.received()).isEqualTo("12");
    client.run(tunnel::abort);
    assertThat(ends).containsExactly("2 2");
  }

  @Test
  void passesAFinOnAndGoesOnTheOtherWay() {
    start();
    clientSends("request");
    client.peerFins();
    settle();
    assertThat(origin.received()).isEqualTo("request");
    assertThat(origin.finSent()).isTrue();
    assertThat(origin.isOpen()).isTrue();
    assertThat(client.finSent()).isFalse();
    originSends("answer");
    assertThat(client.received()).isEqualTo("answer");
    assertThat(ends).isEmpty();
    origin.peerFins();
    settle();
    assertThat(client.isOpen()).isFalse();
    assertThat(origin.isOpen()).isFalse();
    assertThat(ends).containsExactly("7 6");
  }

  @Test
  void passesOnAFinOnlyAfterTheBytesBeforeIt() {
    start();
    client.socketTakes(0);
    originSends("answer");
    origin.peerFins();
    settle();
    assertThat(client.finSent()).isFalse();
    client.socketTakes(3);
    settle();
    assertThat(client.finSent()).isFalse();
    client.socketTakes(Long.MAX_VALUE);
    settle();
    assertThat(client.received()).isEqualTo("answer");
    assertThat(client.finSent()).isTrue();
    client.peerFins();
    settle();
    assertThat(ends).containsExactly("0 6");
  }

  @Test
  void aFinBehindAnUnwrittenHeadWaitsForIt() {
    client.socketTakes(0);
    client.run(() -> client.writeAndFlush(bytes(client, "HTTP/1.1 200 OK\r\n\r\n")));
    start();
    origin.peerFins();
    settle();
    assertThat(client.finSent()).isFalse();
    client.socketTakes(Long.MAX_VALUE);
    settle();
    assertThat(client.finSent()).isTrue();
    assertThat(client.received()).isEqualTo("HTTP/1.1 200 OK\r\n\r\n");
    client.peerFins();
    settle();
  }

  @Test
  void readsNoMoreThanTheOtherSideTakes() {
    start();
    client.socketTakes(0);
    for (int i = 0; i < 5; i++) {
      originSends("x".repeat(600));
    }
    assertThat(origin.unreadSegments()).isEqualTo(3);
    client.socketTakes(1_200);
    settle();
    assertThat(origin.unreadSegments()).isEqualTo(1);
    client.socketTakes(Long.MAX_VALUE);
    settle();
    assertThat(origin.unreadSegments()).isZero();
    assertThat(client.received()).hasSize(3_000);
    client.run(tunnel::abort);
    assertThat(ends).containsExactly("0 3000");
  }

  @Test
  void aResetOfOneSideClosesTheOther() {
    start();
    origin.peerResets();
    settle();
    assertThat(client.isOpen()).isFalse();
    assertThat(ends).containsExactly("0 0");
  }

  @Test
  void countsOnlyBytesThatTheClientTook() {
    start();
    client.socketTakes(4);
    originSends("answer");
    client.peerResets();
    settle();
    assertThat(origin.isOpen()).isFalse();
    assertThat(ends).containsExactly("0 4");
  }

  @Test
  void deliversBytesThatAVanishedOriginSent() {
    start();
    client.socketTakes(0);
    originSends("answer");
    origin.peerVanishes();
    settle();
    assertThat(client.isOpen()).isTrue();
    client.socketTakes(Long.MAX_VALUE);
    settle();
    assertThat(client.received()).isEqualTo("answer");
    assertThat(client.isOpen()).isFalse();
    assertThat(ends).containsExactly("0 6");
  }

  @Test
  void aLostStreamDoesNotLookEnded() {
    start();
    origin.socketTakes(0);
    clientSends("half a file");
    client.peerVanishes();
    origin.socketTakes(Long.MAX_VALUE);
    settle();
    assertThat(origin.received()).isEqualTo("half a file");
    assertThat(origin.isOutputShutdown()).isFalse();
    assertThat(origin.isOpen()).isFalse();
    assertThat(ends).containsExactly("11 0");
  }

  @Test
  void anOriginGoneBeforeTheStartEndsIt() {
    origin.peerVanishes();
    start();
    assertThat(client.isOpen()).isFalse();
    assertThat(ends).containsExactly("0 0");
  }

  @Test
  void aClientThatHadShutItsOutputBeforeGetsItsAnswer() {
    client.peerFins();
    start();
    assertThat(origin.finSent()).isTrue();
    originSends("answer");
    origin.peerFins();
    settle();
    assertThat(client.received()).isEqualTo("answer");
    assertThat(ends).containsExactly("0 6");
  }

  @Test
  void endsWhenNothingMoved() {
    start();
    client.pass(4_000);
    clientSends("x");
    client.pass(4_000);
    originSends("y");
    client.pass(4_000);
    assertThat(ends).isEmpty();
    client.pass(2_000);
    settle();
    assertThat(ends).containsExactly("1 1");
    assertThat(origin.isOpen()).isFalse();
  }
}
