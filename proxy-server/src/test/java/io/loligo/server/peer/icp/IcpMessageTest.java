package io.loligo.server.peer.icp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams of ICP, against those of a Squid 5.7. */
class IcpMessageTest {
  private static final String URL = "http://127.0.0.1:25510/one";
  private static final String URL_BYTES = "687474703a2f2f3132372e302e302e313a32353531302f6f6e6500";
  private static final String QUERY =
      "010200330000000700000000000000000000000000000000" + URL_BYTES;
  private static final String HIT = "0202002f00000007000000000000000000000000" + URL_BYTES;

  private static IcpMessage read(String hex) {
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    try {
      // a reader index other than 0
      ByteBuf moved = Unpooled.wrappedBuffer(new byte[3], ByteBufUtil.decodeHexDump(hex));
      moved.skipBytes(3);
      assertThat(IcpMessage.read(moved)).isEqualTo(IcpMessage.read(in));
      moved.release();
      return IcpMessage.read(in);
    } finally {
      in.release();
    }
  }

  private static String written(IcpMessage message) {
    ByteBuf out = message.write(UnpooledByteBufAllocator.DEFAULT);
    try {
      assertThat(out.readableBytes()).isEqualTo(message.bytes());
      return ByteBufUtil.hexDump(out);
    } finally {
      out.release();
    }
  }

  @Test
  void queriesAndRepliesAreThoseOfSquid() {
    IcpMessage query = IcpMessage.query(7, false, URL);
    assertThat(written(query)).isEqualTo(QUERY);
    assertThat(read(QUERY)).isEqualTo(query);
    assertThat(written(query.reply(IcpMessage.HIT))).isEqualTo(HIT);
    assertThat(read(HIT)).isEqualTo(query.reply(IcpMessage.HIT));
    assertThat(written(query.reply(IcpMessage.MISS))).isEqualTo("03" + HIT.substring(2));
    assertThat(written(query.reply(IcpMessage.MISS_NOFETCH))).isEqualTo("15" + HIT.substring(2));
    assertThat(written(query.reply(IcpMessage.DENIED))).isEqualTo("16" + HIT.substring(2));
  }

  @Test
  void theDistanceIsInTheLowHalfOfItsData() {
    assertThat(written(IcpMessage.query(7, true, URL)))
        .isEqualTo("010200330000000740000000" + QUERY.substring(24));
    IcpMessage reply = read("0302002f000000074000000000050021" + HIT.substring(32));
    assertThat(reply.distanceMillis()).isEqualTo(0x21);
    assertThat(new IcpMessage(3, 7, 0, 0x21, URL).distanceMillis()).as("no option").isZero();
  }

  @Test
  void aReplyRepeatsNoOptions() {
    IcpMessage query = read("0102003300000007c000000000000000" + QUERY.substring(32));
    assertThat(written(query.reply(IcpMessage.HIT))).isEqualTo(HIT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "02",
        // no URL
        "0202001400000007000000000000000000000000",
        // version 3
        "0203002f00000007000000000000000000000000" + URL_BYTES,
        // a length that is not that of the datagram
        "0202002e00000007000000000000000000000000" + URL_BYTES,
        "0202003000000007000000000000000000000000" + URL_BYTES,
        // no NUL at the end, and one before it
        "0202001700000007000000000000000000000000616263",
        "0202001700000007000000000000000000000000610062",
        "0202001800000007000000000000000000000000610062" + "00",
        // a query without room for its requester
        "0102001600000007000000000000000000000000" + "0000",
      })
  void whateverIsDamagedIsNoMessage(String hex) {
    assertThat(read(hex)).isNull();
  }

  @Test
  void everyCutOfAMessageIsNone() {
    for (int length = 0; length < QUERY.length(); length += 2) {
      assertThat(read(QUERY.substring(0, length))).isNull();
    }
  }

  @Test
  void aUrlMayHaveAnyByteButNul() {
    IcpMessage odd = new IcpMessage(IcpMessage.QUERY, -1, 0, 0, "http://h/\u00ff \t");
    assertThat(read(written(odd))).isEqualTo(odd);
  }

  @Test
  void theLargestMessageHas16384Bytes() {
    String url = "x".repeat(IcpMessage.MAX_BYTES - 21);
    assertThat(read(written(new IcpMessage(2, 1, 0, 0, url)))).isNotNull();
    assertThat(read(written(new IcpMessage(2, 1, 0, 0, url + "x")))).isNull();
  }
}
