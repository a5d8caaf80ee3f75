package io.loligo.server.upstream.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.message.Method;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.PeerHop;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class RequestBlockTest {
  private static final int ROUNDS = 10_000;

  private final RequestForm form =
      RequestForm.ofNode("web", false, "0123456789abcdef", null, "a72d5a28-bccf-4e1b-8c4d");
  private final OutgoingRequest request =
      OutgoingRequest.of("GET", Method.GET)
          .authority("a.example")
          .path("/4k/1".getBytes(StandardCharsets.US_ASCII))
          .fieldLines("Host: a\r\nUser-Agent: x\r\n".getBytes(StandardCharsets.US_ASCII))
          .build();
  private final HeadCodecs codecs = new HeadCodecs();
  private final ByteBuf out = Unpooled.buffer(RequestBlock.maxBytes(request, form));

  private long encode() {
    out.clear();
    return RequestBlock.head(out, request, form, "http", codecs);
  }

  /** The size that SETTINGS_MAX_HEADER_LIST_SIZE limits has them, too. */
  @Test
  void aNodeGetsTheLinesForIt() {
    long size = encode();
    List<String> fields = new ArrayList<>();
    long[] listed = new long[1];
    byte[] block = ByteBufUtil.getBytes(out);
    HpackDecoder decoder =
        new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES, new HpackDecoder.Room());
    boolean sound =
        decoder.decode(
            block,
            0,
            block.length,
            (name, nameStart, nameLength, value, valueStart, valueLength) -> {
              fields.add(
                  text(name, nameStart, nameLength) + ": " + text(value, valueStart, valueLength));
              listed[0] += nameLength + valueLength + 32;
            });
    assertThat(sound).isTrue();
    assertThat(size).isEqualTo(listed[0]);
    for (PeerHop.Line line : form.peerHop().lines()) {
      assertThat(fields).contains(line.name().toLowerCase(Locale.ROOT) + ": " + line.value());
    }
    assertThat(form.peerHop().lines()).hasSize(4);
  }

  private static String text(byte[] bytes, int start, int length) {
    return new String(bytes, start, length, StandardCharsets.ISO_8859_1);
  }

  @Test
  void aRequestToANodeIsEncodedWithoutAllocation() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long before = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
      if (i == ROUNDS) {
        before = threads.getThreadAllocatedBytes(self);
      }
      encode();
    }
    assertThat((threads.getThreadAllocatedBytes(self) - before) / ROUNDS).isZero();
  }
}
