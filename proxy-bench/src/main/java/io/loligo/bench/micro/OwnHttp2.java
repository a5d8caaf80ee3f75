package io.loligo.bench.micro;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.HpackEncoder;
import io.loligo.core.http2.RequestComposer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Our codec. Its channel is a proxy that has the response in memory. */
final class OwnHttp2 implements Http2Rival {
  private final HpackDecoder decoder =
      new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES, new HpackDecoder.Room());
  private final RequestComposer composer =
      new RequestComposer(ParseLimits.DEFAULT, new SplittableRandom());
  private final FrameReader frames =
      new FrameReader(new Requests(), ParseLimits.DEFAULT.maxHeadBytes());
  private final byte[] own = OWN_LINES.getBytes(StandardCharsets.US_ASCII);
  private final byte[] stored = SampleAnswer.LINES.getBytes(StandardCharsets.US_ASCII);
  private final byte[] scratch = new byte[1_024];
  private @Nullable EmbeddedProxy proxy;
  private int fields;

  OwnHttp2() {
    ByteBuf settings = Unpooled.buffer();
    Frames.header(settings, 0, Frames.SETTINGS, 0, 0);
    frames.read(settings);
  }

  @Override
  public int read(ByteBuf frame) {
    fields = 0;
    frames.read(frame);
    return fields;
  }

  @Override
  public void write(ByteBuf out) {
    HpackEncoder.status(out, 200);
    System.arraycopy(own, 0, scratch, 0, own.length);
    HpackEncoder.lines(out, scratch, 0, own.length);
    System.arraycopy(stored, 0, scratch, 0, stored.length);
    HpackEncoder.lines(out, scratch, 0, stored.length);
  }

  @Override
  public EmbeddedChannel serve(int contentBytes) throws IOException {
    EmbeddedProxy begun = new EmbeddedProxy("http_port 80 accel h2c defaultsite=bench.example\n");
    proxy = begun;
    EmbeddedChannel loop = new EmbeddedChannel();
    begun.store(loop, Http2CodecBenchmark.STORED_URL, contentBytes);
    loop.finishAndReleaseAll();
    return begun.connect(new NoUpstream());
  }

  @Override
  public void close() {
    if (proxy != null) {
      proxy.close();
    }
  }

  private final class Requests implements FrameReader.Events {
    @Override
    public void headers(
        int stream, byte[] block, int length, boolean endStream, boolean dependsOnItself) {
      composer.begin(false);
      if (!decoder.decode(block, 0, length, composer) || composer.finish() != null) {
        throw new IllegalStateException("refused");
      }
      fields = composer.head().fields().count();
    }

    @Override
    public void settingsEnd() {
      // the first frame
    }

    @Override
    public void data(int stream, ByteBuf payload, int flowBytes, boolean endStream) {
      throw unexpected();
    }

    @Override
    public void priority(int stream, boolean dependsOnItself) {
      throw unexpected();
    }

    @Override
    public void priorityUpdate(int stream, ByteBuf value) {
      throw unexpected();
    }

    @Override
    public void reset(int stream, ErrorCode why) {
      throw unexpected();
    }

    @Override
    public void setting(int id, long value) {
      throw unexpected();
    }

    @Override
    public void settingsAck() {
      throw unexpected();
    }

    @Override
    public void ping(boolean ack, long data) {
      throw unexpected();
    }

    @Override
    public void goAway(int lastStream, ErrorCode why) {
      throw unexpected();
    }

    @Override
    public void windowUpdate(int stream, int increment) {
      throw unexpected();
    }

    @Override
    public void streamError(int stream, ErrorCode why, String detail) {
      throw unexpected();
    }

    @Override
    public void connectionError(ErrorCode why, String detail) {
      throw unexpected();
    }

    private IllegalStateException unexpected() {
      return new IllegalStateException("a frame besides HEADERS");
    }
  }
}
