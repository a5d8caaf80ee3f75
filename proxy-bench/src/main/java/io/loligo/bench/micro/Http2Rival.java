package io.loligo.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;

/** A codec of HTTP/2 on the side of a server. Confined to one thread. */
interface Http2Rival extends AutoCloseable {
  /** Fields of the response besides its status and those of {@link SampleAnswer#LINES}. */
  String OWN_LINES =
      "Age: 17\r\nVia: 1.1 bench (loligo)\r\nCache-Status: bench; hit; ttl=31535983\r\n";

  /** Reads {@code frame}, borrowed: HEADERS with END_HEADERS. Returns its number of fields. */
  int read(ByteBuf frame) throws Http2Exception;

  /** Appends the field block of a stored response to {@code out}, borrowed. */
  void write(ByteBuf out) throws Http2Exception;

  /**
   * A channel that answers each request with a stored response. The caller's to close, before this
   * object.
   */
  EmbeddedChannel serve(int contentBytes) throws IOException;

  @Override
  void close();
}
