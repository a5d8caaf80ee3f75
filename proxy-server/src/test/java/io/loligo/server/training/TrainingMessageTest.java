package io.loligo.server.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

final class TrainingMessageTest {
  private static MessageInput of(String text) {
    return new MessageInput(new ByteArrayInputStream(Message.bytes(text)));
  }

  /** Comes byte by byte. */
  private static MessageInput slowly(String text) {
    return new MessageInput(
        new ByteArrayInputStream(Message.bytes(text)) {
          @Override
          public int read(byte[] to, int from, int most) {
            return super.read(to, from, Math.min(most, 1));
          }
        });
  }

  @Test
  void readsRequestsOneAfterTheOther() throws Exception {
    MessageInput in =
        of("POST http://h/a/1?b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /c/2 HTTP/1.1\r\n\r\n");
    Message first = Message.request(in);
    assertThat(first.method()).isEqualTo("POST");
    assertThat(first.path()).isEqualTo("/a/1");
    assertThat(Message.request(in).path()).isEqualTo("/c/2");
    assertThat(Message.request(in)).isNull();
  }

  @Test
  void readsResponsesToTheirEnd() throws Exception {
    MessageInput in =
        of(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                + "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"
                + "HTTP/1.1 206 Partial\r\nContent-Length: 9\r\n\r\n"
                + "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno");
    assertThat(Message.response(in, false).field("transfer-encoding")).isEqualTo("chunked");
    assertThat(Message.response(in, false).status()).isEqualTo(304);
    assertThat(Message.response(in, true).status()).isEqualTo(206);
    assertThat(Message.response(in, false).status()).isEqualTo(404);
    assertThatThrownBy(() -> Message.response(in, false)).isInstanceOf(EOFException.class);
  }

  @Test
  void readsWhatComesInPieces() throws Exception {
    MessageInput in =
        slowly(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nX: 1\r\ncontent-length: 3\r\n\r\nabc"
                + "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
    assertThat(Message.response(in, false).field("Transfer-Encoding")).isEqualTo("chunked");
    assertThat(Message.response(in, false).field("x")).isEqualTo("1");
    assertThat(Message.response(in, false).status()).isEqualTo(404);
  }

  @Test
  void throwsLargeContentAway() throws Exception {
    String large = "x".repeat(100_000);
    MessageInput in =
        of("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + large + "HTTP/1.1 404 No\r\n\r\n");
    assertThat(Message.response(in, false).status()).isEqualTo(200);
    assertThat(Message.response(in, false).status()).isEqualTo(404);
  }

  @Test
  void refusesAHeadWithoutEnd() {
    assertThatThrownBy(() -> Message.request(of("x".repeat(40_000))))
        .isInstanceOf(IOException.class)
        .hasMessage("a head without end");
  }
}
