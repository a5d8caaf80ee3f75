package io.loligo.core.proxyprotocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import io.loligo.core.proxyprotocol.ProxyHeader.State;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of both versions, whole, cut and wrong. */
class ProxyHeaderTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final String TCP4 = SIGNATURE + "2111000c" + "c0000207" + "c6336401" + "04d20050";

  private static final String LONG =
      "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";

  private static ProxyHeader read(String text) {
    return ProxyHeader.read(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  private static ProxyHeader readHex(String hex) {
    return ProxyHeader.read(Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex)));
  }

  private static String source(ProxyHeader header) {
    return IpText.text(header.source()) + ' ' + header.sourcePort();
  }

  private static String destination(ProxyHeader header) {
    return IpText.text(header.destination()) + ' ' + header.destinationPort();
  }

  @Test
  void readsVersion1() {
    ProxyHeader header = read("PROXY TCP4 192.0.2.7 198.51.100.1 1234 80\r\nGET");
    assertThat(header.state()).isEqualTo(State.COMPLETE);
    assertThat(header.length()).isEqualTo(43);
    assertThat(source(header)).isEqualTo("192.0.2.7 1234");
    assertThat(destination(header)).isEqualTo("198.51.100.1 80");
    assertThat(source(read("PROXY TCP6 2001:db8::1 ::1 65535 0\r\n")))
        .isEqualTo("2001:db8::1 65535");
  }

  @Test
  void readsVersion2() {
    ProxyHeader header = readHex(TCP4 + "474554");
    assertThat(header.length()).isEqualTo(28);
    assertThat(source(header)).isEqualTo("192.0.2.7 1234");
    assertThat(destination(header)).isEqualTo("198.51.100.1 80");
    String six = "20010db8000000000000000000000001";
    ProxyHeader tcp6 = readHex(SIGNATURE + "21210024" + six + six + "04d20050");
    assertThat(source(tcp6)).isEqualTo("2001:db8::1 1234");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "20000000", // LOCAL
        "20110004" + "01020304", // LOCAL, whatever follows
        "21000000", // an unknown family
        "21310004" + "01020304" // a UNIX socket
      })
  void otherConnectionsKeepTheirOwnAddresses(String rest) {
    ProxyHeader header = readHex(SIGNATURE + rest);
    assertThat(header.state()).isEqualTo(State.COMPLETE);
    assertThat(header.source()).isNull();
    assertThat(read("PROXY UNKNOWN ffff:f...f:ffff 1 2 3\r\n").source()).isNull();
    assertThat(read("PROXY UNKNOWN\r\n").length()).isEqualTo(15);
  }

  @Test
  void everyPartOfAHeaderIsIncomplete() {
    String line = "PROXY TCP4 192.0.2.7 198.51.100.1 1234 80\r\n";
    for (int i = 0; i < line.length(); i++) {
      assertThat(read(line.substring(0, i)).state()).isEqualTo(State.INCOMPLETE);
    }
    for (int i = 0; i < TCP4.length(); i += 2) {
      assertThat(readHex(TCP4.substring(0, i)).state()).isEqualTo(State.INCOMPLETE);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n",
        "PROXY TCP4 1.2.3.4 1.2.3.04 1 2\r\n",
        "GET / HTTP/1.1\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1234 80\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1234\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1234 80 \r\n",
        "PROXY  TCP4 192.0.2.7 198.51.100.1 1234 80\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 1234 65536\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 01234 80\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 -1 80\r\n",
        "PROXY TCP4 ::1 ::1 1234 80\r\n",
        "PROXY TCP6 192.0.2.7 198.51.100.1 1234 80\r\n",
        "PROXY TCP4 192.0.2 198.51.100.1 1234 80\r\n",
        "PROXY UDP4 192.0.2.7 198.51.100.1 1234 80\r\n",
        "PROXY TCP4 " + LONG
      })
  void refusesWrongLines(String line) {
    assertThat(read(line).state()).isEqualTo(State.MALFORMED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1111000c", // version 1 in the form of version 2
        "2211000c", // an unknown command
        "2111000b", // shorter than the addresses
        "21111000", // longer than allowed
        "2111000d" + "c0000207c633640104d20050" + "04", // a cut extension
        "21110010" + "c0000207c633640104d20050" + "04000201", // an extension beyond the end
        "21110013" + "c0000207c633640104d20050" + "03000400000000" // a wrong checksum
      })
  void refusesWrongBytes(String rest) {
    String padded = SIGNATURE + rest + "00".repeat(20);
    assertThat(readHex(padded).state()).isEqualTo(State.MALFORMED);
  }

  @Test
  void acceptsExtensionsAndTheRightChecksum() {
    byte[] bytes =
        HexFormat.of()
            .parseHex(
                SIGNATURE
                    + "21110018"
                    + "c0000207c633640104d20050"
                    + "0400020000"
                    + "03000400000000");
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    in.setInt(bytes.length - 4, (int) sum.getValue());
    assertThat(ProxyHeader.read(in).state()).isEqualTo(State.COMPLETE);
    assertThat(source(ProxyHeader.read(in))).isEqualTo("192.0.2.7 1234");
  }
}
