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
 * What does one warm memory hit cost in time and heap, from the bytes of the request to the bytes
 * of the answer, without a socket? Metrics are counted; the access log is off. The embedded channel
 * and the copy of the request are part of the figure. Each thread is an event loop with a
 * connection of its own, all of them before one store: {@code -t 2} tells whether loops disturb
 * each other.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar HitPathBenchmark -prof gc
 * java -jar proxy-bench/target/benchmarks.jar HitPathBenchmark -p contentBytes=1024 -p fields=4 -t 2
 * </pre>
 */
@State(Scope.Thread)
public class HitPathBenchmark extends AbstractBenchmark {
  private static final String HOST = "http://bench.example";

  /** Field lines of the request besides Host. */
  @Param({"4", "32"})
  int fields;

  private EmbeddedChannel channel;
  private ByteBuf[] requests;
  private int next;

  /** What event loops share. */
  @State(Scope.Benchmark)
  public static class Shared {
    /** Content of the stored responses. */
    @Param({"1024", "4096", "65536"})
    int contentBytes;

    /** Objects that are asked for in turn; with one, loops meet at its count of references. */
    @Param({"1"})
    int objects;

    private EmbeddedProxy proxy;
    private int loops;

    @Setup
    public void fill() throws IOException {
      proxy = new EmbeddedProxy("http_port 80 accel defaultsite=bench.example\n");
      EmbeddedChannel loop = new EmbeddedChannel();
      for (int object = 0; object < objects; object++) {
        proxy.store(loop, HOST + path(object), contentBytes);
      }
      loop.finishAndReleaseAll();
    }

    /** The object a loop begins with: loops are not in step with each other. */
    private synchronized int first() {
      return loops++ * objects / 2 % objects;
    }

    @TearDown
    public void close() {
      proxy.close();
    }
  }

  private static String path(int object) {
    return "/object" + object;
  }

  @Setup
  public void assemble(Shared shared) {
    next = shared.first();
    channel = shared.proxy.connect(new NoUpstream());
    requests = new ByteBuf[shared.objects];
    for (int object = 0; object < requests.length; object++) {
      requests[object] = PooledByteBufAllocator.DEFAULT.directBuffer();
      requests[object].writeCharSequence(requestText(object), StandardCharsets.US_ASCII);
    }
  }

  private String requestText(int object) {
    StringBuilder text =
        new StringBuilder("GET " + path(object) + " HTTP/1.1\r\nHost: bench.example\r\n");
    for (int i = 0; i < fields; i++) {
      text.append("X-Field-").append(i).append(": some value of a usual length\r\n");
    }
    return text.append("\r\n").toString();
  }

  @Benchmark
  public int hit(Shared shared) {
    ByteBuf request = requests[next];
    next = next + 1 == requests.length ? 0 : next + 1;
    int bytes = EmbeddedProxy.answer(channel, request);
    if (bytes <= shared.contentBytes) {
      throw new IllegalStateException("no hit: " + bytes + " bytes");
    }
    return bytes;
  }

  @TearDown
  public void close() {
    channel.finishAndReleaseAll();
    for (ByteBuf request : requests) {
      request.release();
    }
  }
}
