package io.loligo.core.proxyprotocol;

import static io.loligo.core.proxyprotocol.ProxyHeaderVersion.VERSION_1;
import static io.loligo.core.proxyprotocol.ProxyHeaderVersion.VERSION_2;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import io.loligo.core.proxyprotocol.ProxyHeader.State;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Headers that the proxy writes, as bytes and as {@link ProxyHeader} reads them. */
class ProxyHeaderVersionTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

  private static byte[] header(ProxyHeaderVersion version, String source, String destination) {
    return version.header(IpText.parse(source), 65_535, IpText.parse(destination), 80);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 198.51.100.1, PROXY TCP4 192.0.2.7 198.51.100.1 65535 80",
    "2001:db8::7, ::1, PROXY TCP6 2001:db8::7 ::1 65535 80",
    "192.0.2.7, ::1, PROXY UNKNOWN",
    "2001:db8::7, 198.51.100.1, PROXY UNKNOWN"
  })
  void version1IsALine(String source, String destination, String line) {
    assertThat(header(VERSION_1, source, destination))
        .isEqualTo((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 198.51.100.1, 2111000c c0000207 c6336401 ffff0050",
    "2001:db8::7, ::1, 21210024 20010db8000000000000000000000007"
        + " 00000000000000000000000000000001 ffff0050",
    "192.0.2.7, ::1, 21210024 00000000000000000000ffffc0000207"
        + " 00000000000000000000000000000001 ffff0050",
    "2001:db8::7, 198.51.100.1, 21210024 20010db8000000000000000000000007"
        + " 00000000000000000000ffffc6336401 ffff0050"
  })
  void version2IsBinary(String source, String destination, String hex) {
    assertThat(header(VERSION_2, source, destination))
        .isEqualTo(HexFormat.of().parseHex(SIGNATURE + hex.replace(" ", "")));
  }

  @ParameterizedTest
  @EnumSource
  void aMappedAddressIsAnIpv4Address(ProxyHeaderVersion version) {
    byte[] mapped = HexFormat.of().parseHex("00000000000000000000ffffc0000207");
    byte[] local = IpText.parse("198.51.100.1");
    assertThat(version.header(mapped, 1, local, 2))
        .isEqualTo(version.header(IpText.parse("192.0.2.7"), 1, local, 2));
  }

  @Test
  void aConnectionOfTheProxyItselfNamesNobody() {
    assertThat(VERSION_1.ownHeader()).asString().isEqualTo("PROXY UNKNOWN\r\n");
    assertThat(VERSION_2.ownHeader()).isEqualTo(HexFormat.of().parseHex(SIGNATURE + "20000000"));
  }

  @ParameterizedTest
  @CsvSource({
    "VERSION_1, 192.0.2.7, 198.51.100.1",
    "VERSION_1, 2001:db8::7, ::1",
    "VERSION_2, 192.0.2.7, 198.51.100.1",
    "VERSION_2, 2001:db8::7, ::1"
  })
  void aReaderFindsTheAddresses(ProxyHeaderVersion version, String source, String destination) {
    byte[] bytes = header(version, source, destination);
    ProxyHeader read = ProxyHeader.read(Unpooled.wrappedBuffer(bytes));
    assertThat(read.state()).isEqualTo(State.COMPLETE);
    assertThat(read.length()).isEqualTo(bytes.length);
    assertThat(IpText.text(read.source())).isEqualTo(source);
    assertThat(read.sourcePort()).isEqualTo(65_535);
    assertThat(IpText.text(read.destination())).isEqualTo(destination);
    assertThat(read.destinationPort()).isEqualTo(80);
  }

  @ParameterizedTest
  @EnumSource
  void aReaderFindsNoAddressOfTheProxyItself(ProxyHeaderVersion version) {
    byte[] bytes = version.ownHeader();
    ProxyHeader read = ProxyHeader.read(Unpooled.wrappedBuffer(bytes));
    assertThat(read.state()).isEqualTo(State.COMPLETE);
    assertThat(read.length()).isEqualTo(bytes.length);
    assertThat(read.source()).isNull();
  }
}
