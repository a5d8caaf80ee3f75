package io.loligo.server.upstream.http1;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.server.transport.Backlog;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RequestSendingTest {
  private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final FetchTimings timings = new FetchTimings();
  private final RequestSending sending =
      new RequestSending(
          new Backlog(new MemoryLedger(1 << 20)), channel.eventLoop(), () -> {}, () -> {});

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  /** Sends the head of a POST. Returns it. */
  private String post(long contentLength, boolean expectContinue) {
    sending.attach(channel.pipeline().firstContext());
    sending.begin(timings);
    sending.send(
        OutgoingRequest.of("POST", Method.POST)
            .content(contentLength)
            .expectContinue(expectContinue)
            .build(),
        RequestForm.DIRECT,
        /* persistent= */ true);
    return sent();
  }

  private static ByteBuf content(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  private String sent() {
    StringBuilder all = new StringBuilder();
    for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
      all.append(piece.toString(US_ASCII));
      piece.release();
    }
    return all.toString();
  }

  @Test
  void sendsContentOfAnnouncedLength() {
    assertThat(post(5, false)).startsWith("POST / HTTP/1.1\r\n").contains("Content-Length: 5\r\n");
    assertThat(sending.takesContent()).isTrue();
    assertThat(sending.content(content("ab"))).isNull();
    assertThat(sending.content(content("cde"))).isNull();
    assertThat(sending.end(null)).isNull();
    assertThat(sent()).isEqualTo("abcde");
    assertThat(sending.isSending()).isFalse();
  }

  @Test
  void sendsChunksWhereTheLengthIsUnknown() {
    String head = post(-1, false);
    assertThat(sending.content(content("abc"))).isNull();
    assertThat(sending.end(null)).isNull();
    String after = sent();
    assertThat(after).isEqualTo("3\r\nabc\r\n0\r\n\r\n");
    assertThat(timings.bytesOut).isEqualTo(head.length() + after.length());
  }

  @Test
  void refusesMoreOrLessContentThanAnnounced() {
    post(2, false);
    assertThat(sending.content(content("abc"))).isEqualTo("more request content than announced");
    assertThat(sending.content(content("a"))).isNull();
    assertThat(sending.end(null)).isEqualTo("less request content than announced");
    assertThat(sent()).isEqualTo("a");
  }

  @Test
  void waitsFor100OnlyUntilItIsToldOnce() {
    post(1, true);
    assertThat(sending.takesContent()).isFalse();
    assertThat(sending.endWait()).isTrue();
    assertThat(sending.endWait()).isFalse();
    assertThat(sending.takesContent()).isTrue();
  }

  @Test
  void aFailedWriteEndsTheSendingAndKeepsTheCause() {
    post(4, false);
    channel.close();
    assertThat(sending.content(content("ab"))).isNull();
    assertThat(sending.failure()).isNotNull();
    assertThat(sending.isSending()).isFalse();
  }
}
