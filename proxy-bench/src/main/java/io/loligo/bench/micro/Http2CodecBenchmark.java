package io.loligo.bench.micro;

import io.loligo.core.http2.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What do frames and HPACK cost with our codec, and with Netty's? ADR 22 rests on the answer.
 *
 * <ul>
 *   <li>{@code decode}: the bytes of a HEADERS frame become a request. Ours is a whole head in the
 *       form of HTTP/1, with its rules checked. Netty's is a map of text objects.
 *   <li>{@code encode}: the fields of a stored response become a field block. Netty gets text
 *       objects that were made when the response was stored, its best case.
 *   <li>{@code exchange}: a request's bytes become those of the response, through a channel without
 *       a socket. Ours is a whole memory hit: rules, key, decision, record and metrics. Netty's is
 *       {@code Http2FrameCodec} and {@code Http2MultiplexHandler} with a handler that sends a ready
 *       response to everything.
 * </ul>
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar Http2CodecBenchmark -prof gc
 * </pre>
 */
public class Http2CodecBenchmark extends AbstractBenchmark {
  /** URL of the response that {@link Http2Rival#serve} has. */
  static final String STORED_URL = "http://bench.example/object0";

  /** Netty takes stream 1 for an upgrade. */
  private static final int FIRST_STREAM = 3;

  /** Requests after which the client opens the window of the connection again. */
  private static final int WINDOW_REQUESTS = 4_096;

  /** The rivals. */
  public enum Codec {
    OURS,
    NETTY;

    Http2Rival create() {
      return this == OURS ? new OwnHttp2() : new NettyHttp2();
    }
  }

  /** Which request of its connection: the first has text, later ones refer to the table. */
  public enum Position {
    FIRST,
    LATER
  }

  /** HEADERS frames of a browser's first request on a connection, and of an equal one. */
  private static ByteBuf[] requests() {
    Http2Headers request =
        new DefaultHttp2Headers()
            .method("GET")
            .scheme("http")
            .authority("bench.example")
            .path("/object0")
            .set("user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101")
            .set("accept", "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8")
            .set("accept-language", "en-US,en;q=0.5")
            .set("accept-encoding", "gzip, deflate, br, zstd")
            .set("referer", "http://bench.example/index.html")
            .set("sec-fetch-dest", "image")
            .set("sec-fetch-mode", "no-cors")
            .set("sec-fetch-site", "same-origin")
            .set("priority", "u=5, i");
    DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
    ByteBuf[] frames = new ByteBuf[Position.values().length];
    for (int i = 0; i < frames.length; i++) {
      ByteBuf block = Unpooled.buffer();
      try {
        encoder.encodeHeaders(FIRST_STREAM, request, block);
      } catch (Http2Exception e) {
        throw new IllegalStateException(e);
      }
      frames[i] = PooledByteBufAllocator.DEFAULT.directBuffer();
      Frames.header(
          frames[i],
          block.readableBytes(),
          Frames.HEADERS,
          Frames.END_STREAM | Frames.END_HEADERS,
          FIRST_STREAM);
      frames[i].writeBytes(block);
    }
    return frames;
  }

  /** A connection on which requests arrive. */
  @State(Scope.Thread)
  public static class Decoding {
    @Param Codec codec;
    @Param Position position;

    private final ByteBuf[] frames = requests();
    private Http2Rival rival;

    @Setup
    public void begin() throws Http2Exception {
      rival = codec.create();
      rival.read(frames[Position.FIRST.ordinal()].duplicate());
    }

    @TearDown
    public void end() {
      rival.close();
      for (ByteBuf frame : frames) {
        frame.release();
      }
    }
  }

  /** Fields of the request, {@code :method}, ... or those of its head. */
  @Benchmark
  public int decode(Decoding state) throws Http2Exception {
    ByteBuf frame = state.frames[state.position.ordinal()];
    frame.readerIndex(0);
    int fields = state.rival.read(frame);
    if (fields < 9) {
      throw new IllegalStateException(fields + " fields");
    }
    return fields;
  }

  /** A connection to which responses are sent. */
  @State(Scope.Thread)
  public static class Encoding {
    @Param Codec codec;

    private final ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(1_024);
    private Http2Rival rival;

    @Setup
    public void begin() {
      rival = codec.create();
    }

    @TearDown
    public void end() {
      rival.close();
      out.release();
    }
  }

  /** Bytes of a field block. */
  @Benchmark
  public int encode(Encoding state) throws Http2Exception {
    state.out.clear();
    state.rival.write(state.out);
    return state.out.readableBytes();
  }

  /** A connection with requests and responses. */
  @State(Scope.Thread)
  public static class Exchanging {
    @Param Codec codec;

    /** Content of the response. */
    @Param({"1024", "65536"})
    int contentBytes;

    private final ByteBuf[] frames = requests();
    private final ByteBuf window = PooledByteBufAllocator.DEFAULT.directBuffer();
    private Http2Rival rival;
    private EmbeddedChannel channel;
    private int stream = FIRST_STREAM;
    private int untilWindow = WINDOW_REQUESTS;

    /** Opens the connection, and answers its first request. */
    @Setup(Level.Trial)
    public void begin() throws IOException {
      rival = codec.create();
      channel = rival.serve(contentBytes);
      ByteBuf start = PooledByteBufAllocator.DEFAULT.directBuffer();
      start.writeCharSequence(Frames.PREFACE, StandardCharsets.US_ASCII);
      Frames.header(start, 6, Frames.SETTINGS, 0, 0);
      Frames.setting(start, Frames.INITIAL_WINDOW_SIZE, 1 << 20);
      Frames.windowUpdate(start, 0, WINDOW_REQUESTS * contentBytes);
      start.writeBytes(frames[Position.FIRST.ordinal()]);
      EmbeddedProxy.answer(channel, start);
      start.release();
      Frames.windowUpdate(window, 0, WINDOW_REQUESTS * contentBytes);
    }

    private int answer() {
      ByteBuf later = frames[Position.LATER.ordinal()];
      stream += 2;
      later.setInt(5, stream);
      if (--untilWindow == 0) {
        untilWindow = WINDOW_REQUESTS;
        EmbeddedProxy.answer(channel, window);
      }
      return EmbeddedProxy.answer(channel, later);
    }

    @TearDown
    public void end() {
      channel.finishAndReleaseAll();
      rival.close();
      window.release();
      for (ByteBuf frame : frames) {
        frame.release();
      }
    }
  }

  /** Bytes of the response. */
  @Benchmark
  public int exchange(Exchanging state) {
    int bytes = state.answer();
    if (bytes <= state.contentBytes) {
      throw new IllegalStateException("no response: " + bytes + " bytes");
    }
    return bytes;
  }
}
