package io.loligo.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does one miss that is stored cost in time and heap, from the bytes of the request to the
 * bytes of the answer, without sockets and without the connection to the origin? Each asks for
 * another URL; memory is full, and something else is thrown out for it.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar MissPathBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class MissPathBenchmark extends AbstractBenchmark {
  private static final int DIGITS = 8;

  /** Field lines of the request besides Host. */
  @Param("4")
  int lines;

  @Param("4096")
  int bytes;

  private EmbeddedProxy proxy;
  private EmbeddedChannel channel;
  private ByteBuf request;
  private int lastDigit;

  @Setup
  public void assemble() throws IOException {
    proxy = new EmbeddedProxy("http_port 3128\ncache_mem 32 MB\n");
    ReadyUpstream upstream = new ReadyUpstream(bytes);
    channel = proxy.connect(upstream);
    upstream.on(channel.eventLoop());
    String start = "GET http://bench.example/object" + "0".repeat(DIGITS);
    lastDigit = start.length() - 1;
    StringBuilder text = new StringBuilder(start).append(" HTTP/1.1\r\nHost: bench.example\r\n");
    for (int i = 0; i < lines; i++) {
      text.append("X-Field-").append(i).append(": some value of a usual length\r\n");
    }
    request = PooledByteBufAllocator.DEFAULT.directBuffer();
    request.writeCharSequence(text.append("\r\n"), StandardCharsets.US_ASCII);
  }

  private void nextUrl() {
    for (int at = lastDigit; at > lastDigit - DIGITS; at--) {
      byte digit = request.getByte(at);
      request.setByte(at, digit == '9' ? '0' : digit + 1);
      if (digit != '9') {
        return;
      }
    }
  }

  @Benchmark
  public int miss() {
    nextUrl();
    int length = EmbeddedProxy.answer(channel, request);
    if (length <= bytes) {
      throw new IllegalStateException("no answer: " + length + " bytes");
    }
    return length;
  }

  @TearDown
  public void close() {
    long stored = proxy.store().stats().entries();
    channel.finishAndReleaseAll();
    request.release();
    proxy.close();
    if (stored < 1000) {
      throw new IllegalStateException("stored: " + stored + " (expected: at least 1000)");
    }
  }
}
