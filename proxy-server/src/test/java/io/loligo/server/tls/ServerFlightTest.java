package io.loligo.server.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The first messages of servers, composed by hand. */
class ServerFlightTest {
  private static final X509Certificate CERTIFICATE =
      TestAuthority.selfSigned(TestAuthority.server("a.test")).certificate();

  private static byte[] message(int type, byte[] content) {
    ByteBuf out = Unpooled.buffer();
    out.writeInt(type << 24 | content.length).writeBytes(content);
    return bytes(out);
  }

  private static byte[] bytes(ByteBuf from) {
    byte[] bytes = new byte[from.readableBytes()];
    from.readBytes(bytes);
    return bytes;
  }

  private static byte[] hello(boolean tls13) {
    ByteBuf out = Unpooled.buffer();
    out.writeShort(0x0303).writeZero(32).writeByte(0).writeShort(0xc02b).writeByte(0);
    byte[] versions = {0, 43, 0, 2, 3, 4};
    byte[] other = {0, 23, 0, 0};
    byte[] extensions = tls13 ? versions : other;
    out.writeShort(extensions.length).writeBytes(extensions);
    return message(2, bytes(out));
  }

  private static byte[] certificates() throws Exception {
    byte[] encoded = CERTIFICATE.getEncoded();
    ByteBuf out = Unpooled.buffer();
    out.writeMedium(encoded.length + 3).writeMedium(encoded.length).writeBytes(encoded);
    return message(11, bytes(out));
  }

  /** Records of at most {@code size} bytes. */
  private static byte[] records(int size, byte[]... messages) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] message : messages) {
      all.write(message);
    }
    byte[] joined = all.toByteArray();
    ByteBuf out = Unpooled.buffer();
    for (int at = 0; at < joined.length; at += size) {
      int length = Math.min(size, joined.length - at);
      out.writeByte(22).writeShort(0x0303).writeShort(length).writeBytes(joined, at, length);
    }
    return bytes(out);
  }

  private static ServerFlight read(byte[] bytes, int length) {
    return ServerFlight.read(Unpooled.wrappedBuffer(bytes, 0, length));
  }

  @Test
  void theCertificateOfTls12IsRead() throws Exception {
    for (int size : new int[] {7, 100, 16_384}) {
      byte[] flight = records(size, hello(false), certificates());
      for (int length = 0; length < flight.length; length++) {
        assertThat(read(flight, length)).isEqualTo(new ServerFlight(false, List.of()));
      }
      assertThat(read(flight, flight.length))
          .isEqualTo(new ServerFlight(true, List.of(CERTIFICATE)));
    }
  }

  @Test
  void theCertificateOfTls13IsUnknown() throws Exception {
    byte[] flight = records(16_384, hello(true));
    assertThat(read(flight, flight.length)).isEqualTo(new ServerFlight(true, List.of()));
  }

  @Test
  void anAlertOrAnotherProtocolIsComplete() {
    for (byte[] other : new byte[][] {{21, 3, 3, 0, 2, 2, 40}, {'H', 'T', 'T', 'P'}}) {
      assertThat(read(other, other.length)).isEqualTo(new ServerFlight(true, List.of()));
    }
  }

  @Test
  void damagedMessagesNeverThrow() throws Exception {
    Random random = new Random(7);
    byte[] flight = records(300, hello(false), certificates());
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = flight.clone();
      for (int hits = random.nextInt(4); hits >= 0; hits--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      assertThat(read(damaged, random.nextInt(damaged.length + 1))).isNotNull();
    }
  }
}
