package io.loligo.server.wire;

import org.junit.jupiter.api.BeforeEach;

/** The same where all requests to a node share a connection of HTTP/2 in clear text. */
class SharedCacheOverHttp2WireTest extends SharedCacheWireTest {
  @BeforeEach
  void share() {
    nodes.shares = true;
  }
}
