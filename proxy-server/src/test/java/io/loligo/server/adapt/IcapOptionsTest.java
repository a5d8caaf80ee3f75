package io.loligo.server.adapt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.ParseLimits;
import io.loligo.server.adapt.IcapOptions.Transfer;
import io.loligo.server.adapt.IcapReader.Event;
import io.loligo.server.adapt.IcapReader.Expected;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

/** Responses to OPTIONS (RFC 3507 section 4.10.2). */
class IcapOptionsTest {
  private static IcapOptions options(String... lines) {
    String text = "ICAP/1.0 200 OK\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
    IcapReader reader = new IcapReader(ParseLimits.DEFAULT);
    reader.begin(Expected.NOTHING, new byte[0]);
    assertThat(reader.next(Unpooled.wrappedBuffer(text.getBytes(ISO_8859_1))))
        .isEqualTo(Event.REPLY);
    return IcapOptions.of(reader.reply().fields());
  }

  @Test
  void numbersAndMethodsAreRead() {
    IcapOptions told =
        options(
            "Methods: RESPMOD, REQMOD",
            "Preview: 1024",
            "Max-Connections: 20",
            "Options-TTL: 3600");
    assertThat(told.adaptsRequests()).isTrue();
    assertThat(told.adaptsResponses()).isTrue();
    assertThat(told.preview()).isEqualTo(1024);
    assertThat(told.maxConnections()).isEqualTo(20);
    assertThat(told.ttlSeconds()).isEqualTo(3600);
  }

  @Test
  void nonsenseCountsAsNotTold() {
    IcapOptions told =
        options("Preview: -5", "Max-Connections: many", "Options-TTL: 99999999999999999999");
    assertThat(told.adaptsRequests()).isFalse();
    assertThat(told.adaptsResponses()).isFalse();
    assertThat(told.preview()).isEqualTo(-1);
    assertThat(told.maxConnections()).isEqualTo(-1);
    assertThat(told.ttlSeconds()).isEqualTo(1_000_000_000);
  }

  @Test
  void extensionsChooseTheTransfer() {
    IcapOptions told =
        options(
            "Methods: RESPMOD",
            "Transfer-Preview: *",
            "Transfer-Ignore: jpg, GIF",
            "Transfer-Complete: html");
    assertThat(told.transfer("/a.JPG")).isEqualTo(Transfer.IGNORE);
    assertThat(told.transfer("/a.gif?b=c.html")).isEqualTo(Transfer.IGNORE);
    assertThat(told.transfer("/a.html")).isEqualTo(Transfer.COMPLETE);
    assertThat(told.transfer("/a.jpg/b")).isEqualTo(Transfer.PREVIEW);
    assertThat(told.transfer("/")).isEqualTo(Transfer.PREVIEW);
  }

  @Test
  void withoutListsEverythingIsSentWhole() {
    assertThat(options("Methods: REQMOD").transfer("/a.jpg")).isEqualTo(Transfer.COMPLETE);
  }
}
