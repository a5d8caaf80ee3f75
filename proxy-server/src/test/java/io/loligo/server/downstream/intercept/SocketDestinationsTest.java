package io.loligo.server.downstream.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.port.Interception;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Answers of the system; NamespacesTest asks a real one. */
final class SocketDestinationsTest {
  /** Both start with the family, whose bytes have the order of the machine. */
  private static ByteBuffer answer(String hex) {
    byte[] bytes = HexFormat.of().parseHex("ffff" + hex);
    return ByteBuffer.allocate(bytes.length + 3).position(3).put(bytes).position(3);
  }

  @Test
  void anIpv4AnswerIsASockaddrIn() throws Exception {
    InetSocketAddress read =
        SocketDestinations.read(answer("ff90c0000201" + "0000000000000000"), false);
    assertThat(read).isEqualTo(new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 0xff90));
  }

  @Test
  void anIpv6AnswerIsASockaddrIn6() throws Exception {
    String hex = "0050" + "12345678" + "20010db8000000000000000000000001" + "00000007";
    assertThat(SocketDestinations.read(answer(hex), true))
        .isEqualTo(new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 80));
  }

  @Test
  void aChannelOfAnotherKindHasNoDestination() {
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThat(new SocketDestinations().of(channel, Interception.NAT)).isNull();
    channel.finishAndReleaseAll();
  }
}
