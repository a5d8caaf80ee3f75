package io.loligo.bench.micro;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does a request head cost, in time and in heap, before anybody decides anything about it: our
 * parser with framing and effective URI against Netty's decoder with its validation, for heads of
 * several sizes, arriving whole or in four parts?
 *
 * <p>Both start from bytes in a pooled direct buffer, as a socket leaves them: ours pays for the
 * copy into the loop's array. Both are asked for the host at the end. {@code gc.alloc.rate.norm} is
 * bytes of heap per head.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar HeadParserBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class HeadParserBenchmark extends AbstractBenchmark {
  private static final int PARTS_WHEN_CUT = 4;

  private static final String[] LINES = {
    "Host: www.example.com",
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
    "Accept-Language: en-US,en;q=0.5",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Connection: keep-alive",
    "Referer: http://www.example.com/articles/2004/01/index.html",
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark",
    "If-None-Match: \"5d8c72a5edda8d6a\"",
    "Cache-Control: max-age=0",
    "X-Requested-With: XMLHttpRequest"
  };

  /** Field lines in the head; past the eleventh they are extension fields. */
  @Param({"1", "11", "40"})
  int fields;

  /** Whether the head arrives in four parts. */
  @Param({"false", "true"})
  boolean cut;

  private final Http1RequestParser parser = new Http1RequestParser(ParseLimits.DEFAULT);
  private final RequestHead head = new RequestHead();
  private final RequestTarget target = new RequestTarget();
  private final byte[] scratch = new byte[ParseLimits.DEFAULT.maxHeadBytes()];
  private ByteBuf input;
  private int step;
  private EmbeddedChannel netty;

  /** Writes the head and proves that both parsers read it. */
  @Setup
  public void setUp() {
    StringBuilder text =
        new StringBuilder("GET /articles/2004/01/15/story.html?page=2 HTTP/1.1\r\n");
    for (int i = 0; i < fields; i++) {
      text.append(i < LINES.length ? LINES[i] : "X-Extension-" + i + ": value-of-" + i);
      text.append("\r\n");
    }
    byte[] bytes = text.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    input = PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
    step = cut ? bytes.length / PARTS_WHEN_CUT + 1 : bytes.length;
    netty = new EmbeddedChannel(new HttpRequestDecoder(new HttpDecoderConfig()));
    if (!loligo().equals("www.example.com") || !"www.example.com".equals(netty())) {
      throw new IllegalStateException("a parser misread the head");
    }
  }

  /** Releases what {@link #setUp} made. */
  @TearDown
  public void tearDown() {
    netty.finishAndReleaseAll();
    input.release();
  }

  /** Ours: copy, parse, framing, effective URI. */
  @Benchmark
  public String loligo() {
    parser.reset();
    int length = input.readableBytes();
    Http1RequestParser.Result result = Http1RequestParser.Result.NEED_MORE;
    for (int from = 0; from < length; from += step) {
      int to = Math.min(length, from + step);
      input.getBytes(from, scratch, from, to - from);
      result = parser.parse(scratch, to, head);
    }
    if (result != Http1RequestParser.Result.COMPLETE
        || MessageFraming.of(head).failure() != null
        || target.resolve(head, "http", null, true) != null
        || !head.fields().has(FieldName.HOST)) {
      throw new IllegalStateException("refused");
    }
    return target.host();
  }

  /** Netty's decoder in an embedded channel, with its default validation. */
  @Benchmark
  public @Nullable String netty() {
    int length = input.readableBytes();
    for (int from = 0; from < length; from += step) {
      netty.writeInbound(input.retainedSlice(from, Math.min(step, length - from)));
    }
    String host = null;
    for (Object message = netty.readInbound(); message != null; message = netty.readInbound()) {
      if (message instanceof HttpRequest request) {
        host = request.headers().get(HttpHeaderNames.HOST);
      }
      ReferenceCountUtil.release(message);
    }
    return host;
  }
}
