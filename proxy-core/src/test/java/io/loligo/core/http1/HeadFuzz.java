package io.loligo.core.http1;

import static io.loligo.core.http1.Parsed.everyByte;

import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * The fuzz target: any bytes, as request, as response and as chunked content, give the same outcome
 * however they are cut, agree with a plain reference reading, and never throw.
 *
 * <p>The signature is Jazzer's: {@code jazzer --cp=... --target_class=io.loligo.core.http1.HeadFuzz
 * proxy-core/src/test/resources/io/loligo/core/http1/head-corpus}. {@link HeadFuzzTest} replays the
 * corpus and mutations of it.
 */
public final class HeadFuzz {
  private static final ParseLimits SMALL = new ParseLimits(120, 24, 4, 12, 40);

  private HeadFuzz() {}

  /** One input; throws where something that must hold does not. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    for (ParseLimits limits : new ParseLimits[] {ParseLimits.DEFAULT, SMALL}) {
      request(bytes, limits);
      response(bytes, limits);
      chunked(bytes, limits);
    }
  }

  private static void request(byte[] bytes, ParseLimits limits) {
    Parsed whole = Parsed.request(bytes, limits);
    require(whole.sameAs(Parsed.request(bytes, limits, everyByte(bytes.length))), "single");
    int cut = cut(bytes);
    require(whole.sameAs(Parsed.request(bytes, limits, cut)), "cut");
    require(whole.looks() <= bytes.length, "looks");
    checkOutcome(whole, bytes);
    if (whole.outcome().equals("COMPLETE")) {
      RequestHead head = new RequestHead();
      new Http1RequestParser(limits).parse(bytes, bytes.length, head);
      boolean framed = MessageFraming.of(head).failure() == null;
      RequestTarget target = new RequestTarget();
      if (target.resolve(head, "http", "default:81", true) == null && framed) {
        require(!target.host().isEmpty(), "host");
        require(target.port() >= 0 && target.port() < 65_536, "port");
        require(target.url().equals(target.snapshot(head.snapshot()).url()), "snapshot");
      }
    }
  }

  private static void response(byte[] bytes, ParseLimits limits) {
    Parsed whole = Parsed.response(bytes, limits);
    require(whole.sameAs(Parsed.response(bytes, limits, everyByte(bytes.length))), "single");
    require(whole.sameAs(Parsed.response(bytes, limits, cut(bytes))), "cut");
    checkOutcome(whole, bytes);
    if (whole.outcome().equals("COMPLETE")) {
      ResponseHead head = new ResponseHead();
      new Http1ResponseParser(limits).parse(bytes, bytes.length, head);
      require(head.status() >= 100 && head.status() < 600, "status");
      require(MessageFraming.of(head, Method.GET) != null, "framing");
    }
  }

  private static void chunked(byte[] bytes, ParseLimits limits) {
    byte[] whole = decoded(bytes, limits, bytes.length + 1);
    require(Arrays.equals(whole, decoded(bytes, limits, 1)), "chunked single");
    require(Arrays.equals(whole, decoded(bytes, limits, 7)), "chunked cut");
  }

  /** Content, then one byte for the last event, then the number of bytes consumed. */
  private static byte[] decoded(byte[] bytes, ParseLimits limits, int step) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    ChunkedDecoder decoder = new ChunkedDecoder(limits);
    ChunkedDecoder.Event event = ChunkedDecoder.Event.NEED_MORE;
    int taken = 0;
    for (int from = 0; from < bytes.length; from += step) {
      ByteBuf in = Unpooled.wrappedBuffer(bytes, from, Math.min(step, bytes.length - from));
      event = decoder.next(in);
      while (event == ChunkedDecoder.Event.DATA) {
        in.skipBytes(decoder.dataLength());
        int end = from + in.readerIndex();
        content.write(bytes, end - decoder.dataLength(), decoder.dataLength());
        event = decoder.next(in);
      }
      taken = from + in.readerIndex();
      if (event != ChunkedDecoder.Event.NEED_MORE) {
        break;
      }
      require(!in.isReadable(), "left over");
    }
    content.write(event.name().charAt(0));
    if (event == ChunkedDecoder.Event.END) {
      content.write(taken);
      content.write(decoder.trailers().count());
    }
    return content.toByteArray();
  }

  private static void checkOutcome(Parsed parsed, byte[] bytes) {
    switch (parsed.outcome()) {
      case "COMPLETE" -> {
        int end = parsed.end();
        require(end >= 4 && end <= bytes.length, "end");
        require(bytes[end - 1] == '\n' && bytes[end - 3] == '\n', "empty line");
        for (int i = 0; i < end; i++) {
          require(bytes[i] != 0 && bytes[i] != 0x7f, "control");
          require(bytes[i] != '\n' || bytes[i - 1] == '\r', "bare LF");
          require(bytes[i] != '\r' || bytes[i + 1] == '\n', "bare CR");
        }
      }
      case "FAILED" -> {
        require(parsed.failure() != null, "failure");
        require(parsed.failureOffset() >= 0 && parsed.failureOffset() <= bytes.length, "offset");
      }
      default -> require(parsed.looks() == bytes.length, "all scanned");
    }
  }

  private static int cut(byte[] bytes) {
    return bytes.length == 0 ? 0 : (Arrays.hashCode(bytes) & 0x7fffffff) % bytes.length;
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
