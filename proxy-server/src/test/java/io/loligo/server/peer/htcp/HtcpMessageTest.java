package io.loligo.server.peer.htcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes are those that a real Squid 5.7 has answered or sent. */
class HtcpMessageTest {
  private static final String URL = "http://127.0.0.1:25510/";
  private static final String TST =
      "003b00010035100211223344"
          + "0003474554"
          + "001a"
          + hex(URL + "one")
          + "0008485454502f312e31"
          + "0000"
          + "0002";
  private static final String CLR =
      "003d00010037400211223344"
          + "0000"
          + "0003474554"
          + "001a"
          + hex(URL + "two")
          + "0008485454502f312e31"
          + "0000"
          + "0002";

  @Test
  void writesTst() {
    HtcpSpecifier about = new HtcpSpecifier("GET", URL + "one", "HTTP/1.1", "");
    HtcpMessage message = HtcpMessage.request(HtcpMessage.TST, true, 0x11223344, about.bytes(0));
    assertThat(written(message)).isEqualTo(TST);
  }

  @Test
  void writesClr() {
    HtcpSpecifier about = new HtcpSpecifier("GET", URL + "two", "HTTP/1.1", "");
    HtcpMessage message = HtcpMessage.request(HtcpMessage.CLR, true, 0x11223344, about.bytes(2));
    assertThat(written(message)).isEqualTo(CLR);
  }

  @Test
  void readsTst() {
    HtcpMessage message = read(TST);
    assertThat(message.opcode()).isEqualTo(HtcpMessage.TST);
    assertThat(message.isReply()).isFalse();
    assertThat(message.flag()).isTrue();
    assertThat(message.id()).isEqualTo(0x11223344);
    assertThat(HtcpSpecifier.read(message.data(), 0))
        .isEqualTo(new HtcpSpecifier("GET", URL + "one", "HTTP/1.1", ""));
  }

  @Test
  void readsClr() {
    HtcpMessage message = read(CLR);
    assertThat(message.opcode()).isEqualTo(HtcpMessage.CLR);
    assertThat(HtcpSpecifier.read(message.data(), HtcpSpecifier.REASON_BYTES))
        .isEqualTo(new HtcpSpecifier("GET", URL + "two", "HTTP/1.1", ""));
  }

  @Test
  void repliesToAMissAsSquid() {
    HtcpMessage reply = read(TST).reply(1, HtcpDetail.NONE.bytes());
    assertThat(written(reply)).isEqualTo("00140001000e1101112233440000000000000002");
  }

  @Test
  void repliesToAHitAsSquid() {
    HtcpDetail detail = new HtcpDetail("Age: 58\r\n", "");
    String reply = written(read(TST).reply(0, detail.bytes()));
    assertThat(reply)
        .isEqualTo("001d00010017100111223344" + "0009" + hex("Age: 58\r\n") + "000000000002");
  }

  @Test
  void repliesToClrAsSquid() {
    assertThat(written(read(CLR).reply(0, new byte[0]))).isEqualTo("000e000100084001112233440002");
    assertThat(written(read(CLR).reply(2, new byte[0]))).isEqualTo("000e000100084201112233440002");
  }

  @Test
  void speaksTheOldLayout() {
    String old = TST.replaceFirst("00010035" + "1002", "00000035" + "0140");
    HtcpMessage message = read(old);
    assertThat(message.opcode()).isEqualTo(HtcpMessage.TST);
    assertThat(message.flag()).isTrue();
    assertThat(message.isReply()).isFalse();
    assertThat(written(message.reply(1, HtcpDetail.NONE.bytes())))
        .isEqualTo("00140000000e1180112233440000000000000002");
  }

  @Test
  void readsTheVersionOfSquidsOwnQuestions() {
    HtcpSpecifier about = new HtcpSpecifier("GET", URL, "1/1", "");
    assertThat(HtcpSpecifier.read(about.bytes(0), 0)).isEqualTo(about);
  }

  @Test
  void errorsAreAboutTheMessage() {
    HtcpMessage later = read(TST.replaceFirst("003b0001", "003b0007"));
    assertThat(later.versionError()).isEqualTo(HtcpMessage.MINOR_NOT_SUPPORTED);
    assertThat(written(later.error(4))).isEqualTo("000e000100081403112233440002");
    HtcpMessage other = read(TST.replaceFirst("003b0001", "003b0101"));
    assertThat(other.versionError()).isEqualTo(HtcpMessage.MAJOR_NOT_SUPPORTED);
  }

  @Test
  void readsOverASignature() {
    String signed = "0043" + TST.substring(4, TST.length() - 4) + "000a" + "0000000100000002";
    assertThat(read(signed).opcode()).isEqualTo(HtcpMessage.TST);
  }

  /** Squid 5.7 answers these, too. */
  @Test
  void readsAMessageWhoseAuthenticationIsAbsentOrDamaged() {
    String data = TST.substring(4, TST.length() - 4);
    for (String message : new String[] {"0039" + data, "003a" + data + "00"}) {
      assertThat(read(message).opcode()).isEqualTo(HtcpMessage.TST);
    }
    assertThat(read("003b" + data + "0000").data()).isEqualTo(read(TST).data());
    assertThat(read("003b" + data + "0040").data()).isEqualTo(read(TST).data());
  }

  @Test
  void refusesLengthsThatDoNotFit() {
    byte[] good = ByteBufUtil.decodeHexDump(TST);
    for (int length = 0; length < good.length; length++) {
      assertThat(HtcpMessage.read(Unpooled.wrappedBuffer(good, 0, length))).isNull();
    }
    assertThat(HtcpMessage.read(bytes(TST + "00"))).isNull();
    assertThat(HtcpMessage.read(bytes(TST.replaceFirst("0035", "0038")))).isNull();
    assertThat(HtcpMessage.read(bytes(TST.replaceFirst("0035", "ffff")))).isNull();
    assertThat(HtcpMessage.read(bytes(TST.replaceFirst("0035", "0007")))).isNull();
    assertThat(HtcpSpecifier.read(read(TST.replaceFirst("001a", "001b")).data(), 0)).isNull();
    assertThat(HtcpSpecifier.read(read(TST.replaceFirst("001a", "0019")).data(), 0)).isNull();
    assertThat(HtcpSpecifier.read(new byte[1], 2)).isNull();
  }

  /** Whatever arrives is read or refused, and nothing is thrown. */
  @Test
  void survivesAnyBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = ByteBufUtil.decodeHexDump(random.nextBoolean() ? TST : CLR);
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      HtcpMessage message = HtcpMessage.read(Unpooled.wrappedBuffer(bytes));
      if (message != null) {
        HtcpSpecifier.read(message.data(), 0);
        HtcpSpecifier.read(message.data(), HtcpSpecifier.REASON_BYTES);
        assertThat(message.error(2).fits()).as("seed %d", seed).isTrue();
      }
    }
  }

  private static HtcpMessage read(String hex) {
    HtcpMessage message = HtcpMessage.read(bytes(hex));
    assertThat(message).isNotNull();
    return message;
  }

  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }

  private static String written(HtcpMessage message) {
    ByteBuf out = Unpooled.buffer();
    message.write(out);
    return ByteBufUtil.hexDump(out);
  }

  private static String hex(String text) {
    return ByteBufUtil.hexDump(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
