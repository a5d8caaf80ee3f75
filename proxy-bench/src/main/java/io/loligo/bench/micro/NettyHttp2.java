package io.loligo.bench.micro;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Netty's codec. Its channel sends one ready response to every request, and does nothing else. */
final class NettyHttp2 implements Http2Rival {
  private static final AsciiString OK = AsciiString.cached("200");
  private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");

  private final DefaultHttp2FrameReader reader = new DefaultHttp2FrameReader();
  private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
  private final EmbeddedChannel bare = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
  private final ChannelHandlerContext context = bare.pipeline().firstContext();
  private final Requests requests = new Requests();
  private final List<AsciiString> names = new ArrayList<>();
  private final List<AsciiString> values = new ArrayList<>();
  private @Nullable ByteBuf content;
  private int fields;

  NettyHttp2() {
    for (String line : (OWN_LINES + SampleAnswer.LINES).split("\r\n", -1)) {
      int colon = line.indexOf(": ");
      if (colon > 0) {
        names.add(new AsciiString(line.substring(0, colon).toLowerCase(Locale.ROOT)));
        values.add(new AsciiString(line.substring(colon + 2)));
      }
    }
  }

  private final class Requests extends Http2FrameAdapter {
    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers headers,
        int streamDependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean endStream) {
      fields = headers.size();
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers headers,
        int padding,
        boolean endStream) {
      fields = headers.size();
    }
  }

  @Override
  public int read(ByteBuf frame) throws Http2Exception {
    fields = 0;
    reader.readFrame(context, frame, requests);
    return fields;
  }

  private Http2Headers headers() {
    // they were checked when they were stored
    Http2Headers headers = new DefaultHttp2Headers(false, 16).status(OK);
    for (int i = 0; i < names.size(); i++) {
      headers.add(names.get(i), values.get(i));
    }
    return headers;
  }

  @Override
  public void write(ByteBuf out) throws Http2Exception {
    encoder.encodeHeaders(1, headers(), out);
  }

  @Override
  public EmbeddedChannel serve(int contentBytes) {
    content = PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(contentBytes);
    AsciiString length = new AsciiString(Integer.toString(contentBytes));
    EmbeddedChannel channel = new EmbeddedChannel();
    channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
    channel
        .pipeline()
        .addLast(
            Http2FrameCodecBuilder.forServer().build(),
            new Http2MultiplexHandler(new ReadyResponse(length)));
    return channel;
  }

  @Override
  public void close() {
    bare.finishAndReleaseAll();
    if (content != null) {
      content.release();
    }
  }

  @ChannelHandler.Sharable
  private final class ReadyResponse extends ChannelInboundHandlerAdapter {
    private final AsciiString length;

    ReadyResponse(AsciiString length) {
      this.length = length;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof Http2HeadersFrame) {
        ctx.write(new DefaultHttp2HeadersFrame(headers().add(CONTENT_LENGTH, length)));
        assert content != null : "serve sets it";
        ctx.writeAndFlush(new DefaultHttp2DataFrame(content.retainedDuplicate(), true));
      }
    }
  }
}
