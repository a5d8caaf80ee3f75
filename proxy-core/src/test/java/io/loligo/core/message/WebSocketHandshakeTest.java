package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WebSocketHandshakeTest {
  @Test
  void acceptsAsTheExampleOfTheStandardDoes() {
    // RFC 6455 section 1.3
    assertThat(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ=="))
        .isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  }
}
