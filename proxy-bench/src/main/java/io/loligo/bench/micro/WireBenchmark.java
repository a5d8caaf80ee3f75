package io.loligo.bench.micro;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.ChunkedEncoder;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What do the other steps on the wire cost: reading an origin's head, taking 64 KB of chunks apart
 * and putting them together, writing the lines that an answer has of its own?
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar WireBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class WireBenchmark extends AbstractBenchmark {
  private static final int CHUNK_BYTES = 8192;
  private static final int CONTENT_BYTES = 65_536;

  private final Http1ResponseParser parser = new Http1ResponseParser(ParseLimits.DEFAULT);
  private final ResponseHead head = new ResponseHead();
  private final ChunkedDecoder decoder = new ChunkedDecoder(ParseLimits.DEFAULT);
  private final FieldLines lines = new FieldLines(512);
  private final byte[] answer =
      ("HTTP/1.1 200 OK\r\nDate: Sat, 21 Nov 2026 06:28:38 GMT\r\nServer: origin\r\n"
              + "Content-Type: text/html; charset=utf-8\r\nContent-Length: 4096\r\n"
              + "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT\r\nETag: \"5d8c72a5edda8d6a\"\r\n"
              + "Cache-Control: public, max-age=3600\r\nVary: Accept-Encoding\r\n"
              + "Accept-Ranges: bytes\r\nX-Request-Id: 0123456789abcdef\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);
  private final byte[] date =
      "Date: Sat, 21 Nov 2026 06:28:38 GMT\r\n".getBytes(StandardCharsets.US_ASCII);
  private ByteBuf chunks;
  private ByteBuf out;
  private long age;

  @Setup
  public void setUp() {
    chunks = PooledByteBufAllocator.DEFAULT.directBuffer(CONTENT_BYTES + 256);
    out = PooledByteBufAllocator.DEFAULT.directBuffer(CONTENT_BYTES + 256);
    write(chunks);
  }

  @TearDown
  public void tearDown() {
    chunks.release();
    out.release();
  }

  private static void write(ByteBuf to) {
    for (int at = 0; at < CONTENT_BYTES; at += CHUNK_BYTES) {
      ChunkedEncoder.writeHeader(to, CHUNK_BYTES);
      to.writerIndex(to.writerIndex() + CHUNK_BYTES);
      ChunkedEncoder.writeEnd(to);
    }
    ChunkedEncoder.writeLast(to);
  }

  /** A head of ten fields, and how its content is framed. */
  @Benchmark
  public Framing responseHead() {
    parser.reset();
    if (parser.parse(answer, answer.length, head) != Http1ResponseParser.Result.COMPLETE) {
      throw new IllegalStateException("refused");
    }
    return MessageFraming.of(head, Method.GET);
  }

  /** Eight chunks of 8 KB; the content itself is passed over. */
  @Benchmark
  public int decodeChunks() {
    decoder.reset();
    chunks.readerIndex(0);
    int bytes = 0;
    ChunkedDecoder.Event event = decoder.next(chunks);
    for (; event == ChunkedDecoder.Event.DATA; event = decoder.next(chunks)) {
      bytes += decoder.dataLength();
      chunks.skipBytes(decoder.dataLength());
    }
    if (event != ChunkedDecoder.Event.END || bytes != CONTENT_BYTES) {
      throw new IllegalStateException("decoded " + bytes);
    }
    return bytes;
  }

  /** The same, written; the content itself is passed over. */
  @Benchmark
  public int encodeChunks() {
    out.clear();
    write(out);
    return out.writerIndex();
  }

  /** Date, Age, Via and Cache-Status of a hit. */
  @Benchmark
  public int ownLines() {
    lines.clear();
    lines.append(date, 0, date.length);
    lines.append("Age: ").append(age++).endLine();
    lines.append("Via: 1.1 proxy.example (Loligo)").endLine();
    lines.append("Cache-Status: proxy.example; hit; ttl=").append(3600 - age % 3600).endLine();
    out.clear();
    lines.writeTo(out);
    return out.writerIndex();
  }
}
