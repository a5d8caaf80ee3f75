package io.loligo.server.upstream.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.CapturedLog;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that break the rules: nothing of them becomes a complete response. */
class HostileServerTest extends MultiplexedFixture {
  private static final byte[] NOTHING = {};

  private static Arguments faulty(
      String title, ErrorCode why, ParseFailure counted, ByteBuf frames) {
    return Arguments.of(title, why, counted, ServerEnd.bytes(frames));
  }

  private static ByteBuf frame(int type, int flags, int stream, int... payload) {
    byte[] bytes = new byte[payload.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) payload[i];
    }
    return ServerEnd.framed(type, flags, stream, bytes);
  }

  private static ByteBuf times(int times, ByteBuf frame) {
    ByteBuf all = Unpooled.buffer();
    for (int i = 0; i < times; i++) {
      all.writeBytes(frame, 0, frame.readableBytes());
    }
    return all;
  }

  private static Arguments flood(FrameBudget.Kind kind, ByteBuf frame) {
    return faulty(
        "flood of " + kind,
        ErrorCode.ENHANCE_YOUR_CALM,
        ParseFailure.TOO_MANY_FRAMES,
        times(kind.most() + 1, frame));
  }

  static Stream<Arguments> faultsOfTheConnection() {
    ErrorCode protocol = ErrorCode.PROTOCOL_ERROR;
    ParseFailure bad = ParseFailure.BAD_FRAME;
    String[] ok = {":status", "200"};
    byte[] block = ServerEnd.block(ok);
    return Stream.of(
        faulty("push", protocol, bad, frame(Frames.PUSH_PROMISE, 4, 1, 0, 0, 0, 2, 0x88)),
        faulty("push allowed", protocol, bad, frame(Frames.SETTINGS, 0, 0, 0, 2, 0, 0, 0, 1)),
        faulty("head on idle stream", protocol, bad, ServerEnd.headersFrame(5, true, ok)),
        faulty("head on stream of a server", protocol, bad, ServerEnd.headersFrame(2, true, ok)),
        faulty("content on idle stream", protocol, bad, ServerEnd.dataFrame(5, true, "x")),
        faulty("reset of idle stream", protocol, bad, frame(Frames.RST_STREAM, 0, 5, 0, 0, 0, 0)),
        faulty("window of idle", protocol, bad, frame(Frames.WINDOW_UPDATE, 0, 5, 0, 0, 0, 1)),
        faulty("window of 0", protocol, bad, frame(Frames.WINDOW_UPDATE, 0, 0, 0, 0, 0, 0)),
        faulty(
            "window too wide",
            ErrorCode.FLOW_CONTROL_ERROR,
            bad,
            frame(Frames.WINDOW_UPDATE, 0, 0, 0x7f, 0xff, 0xff, 0xff)),
        faulty(
            "initial window too wide",
            ErrorCode.FLOW_CONTROL_ERROR,
            bad,
            frame(Frames.SETTINGS, 0, 0, 0, 4, 0x80, 0, 0, 0)),
        faulty("ping of 7", ErrorCode.FRAME_SIZE_ERROR, bad, frame(Frames.PING, 0, 0, 1, 2, 3)),
        faulty("priorities", protocol, bad, frame(Frames.PRIORITY_UPDATE, 0, 0, 0, 0, 0, 1)),
        faulty("continuation of nothing", protocol, bad, frame(Frames.CONTINUATION, 4, 1)),
        faulty(
            "other frame within a block",
            protocol,
            bad,
            Unpooled.wrappedBuffer(
                ServerEnd.framed(Frames.HEADERS, 0, 1, block), frame(Frames.PING, 0, 0))),
        faulty(
            "block without end",
            ErrorCode.ENHANCE_YOUR_CALM,
            ParseFailure.HEAD_TOO_LARGE,
            Unpooled.wrappedBuffer(
                ServerEnd.framed(Frames.HEADERS, 0, 1, block),
                times(FrameReader.MAX_CONTINUATIONS + 1, frame(Frames.CONTINUATION, 0, 1)))),
        faulty(
            "block of more bytes than a head may have",
            ErrorCode.ENHANCE_YOUR_CALM,
            ParseFailure.HEAD_TOO_LARGE,
            Unpooled.wrappedBuffer(
                ServerEnd.framed(Frames.HEADERS, 0, 1, block),
                times(8, ServerEnd.framed(Frames.CONTINUATION, 0, 1, new byte[16_384])))),
        faulty(
            "invalid block",
            ErrorCode.COMPRESSION_ERROR,
            ParseFailure.BAD_FIELD_BLOCK,
            frame(Frames.HEADERS, 5, 1, 0xff, 0xff, 0xff, 0xff, 0xff)),
        faulty(
            "invalid trailers",
            ErrorCode.COMPRESSION_ERROR,
            ParseFailure.BAD_FIELD_BLOCK,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ok), frame(Frames.HEADERS, 5, 1, 0xff, 0xff))),
        flood(FrameBudget.Kind.SETTINGS, frame(Frames.SETTINGS, 0, 0)),
        flood(FrameBudget.Kind.PING, ServerEnd.framed(Frames.PING, 0, 0, new byte[8])),
        flood(FrameBudget.Kind.PING, ServerEnd.framed(Frames.PING, 1, 0, new byte[8])),
        flood(FrameBudget.Kind.PRIORITY, frame(Frames.PRIORITY, 0, 1, 0, 0, 0, 3, 0)),
        flood(FrameBudget.Kind.WINDOW_UPDATE, frame(Frames.WINDOW_UPDATE, 0, 1, 0, 0, 0, 1)),
        faulty(
            "flood of EMPTY_DATA",
            ErrorCode.ENHANCE_YOUR_CALM,
            ParseFailure.TOO_MANY_FRAMES,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ok),
                times(FrameBudget.Kind.EMPTY_DATA.most() + 1, frame(Frames.DATA, 0, 1)))));
  }

  @Test
  void serversThatBreakTheRulesAreOneLineInTheLogOfALoop() {
    try (CapturedLog log = new CapturedLog(MultiplexedConnection.class)) {
      for (int i = 1; i <= 3; i++) {
        EmbeddedChannel other = new EmbeddedChannel(connection());
        other.writeInbound(frame(Frames.CONTINUATION, 4, 1));
        assertThat(other.isOpen()).isFalse();
        other.finishAndReleaseAll();
      }
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("HTTP/2 ends with PROTOCOL_ERROR")
          .endsWith(", 1 so far");
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faultsOfTheConnection")
  void theConnectionEndsAndItsRequestsFail(
      String title, ErrorCode why, ParseFailure counted, byte[] frames) {
    openSettled();
    Heard heard = get();
    server.frames();
    server.raw(Unpooled.wrappedBuffer(frames));
    assertThat(server.frames()).last().isEqualTo("GOAWAY 0 " + why);
    assertThat(heard.events).last().asString().startsWith("failed INVALID_RESPONSE");
    assertThat(pool.refused).containsExactly(counted);
    assertThat(pool.said).containsExactly("idle", "gone");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void theFirstFrameIsSettings() {
    open();
    Heard heard = get();
    server.frames();
    server.frame(Frames.PING, 0, 0, new byte[8]);
    assertThat(server.frames()).containsExactly("GOAWAY 0 PROTOCOL_ERROR");
    assertThat(heard.events).containsExactly("failed INVALID_RESPONSE");
  }

  @Test
  void aServerThatSpeaksHttp1IsRefused() {
    open();
    Heard heard = get();
    server.frames();
    server.raw(Unpooled.copiedBuffer("HTTP/1.1 400 Bad Request\r\n\r\n", ISO_8859_1));
    assertThat(heard.events).containsExactly("failed INVALID_RESPONSE");
    assertThat(pool.refused).containsExactly(ParseFailure.BAD_FRAME);
  }

  @Test
  void framesOfStreamsThatAreOverAreLimited() {
    openSettled();
    Heard heard = get();
    heard.lease.cancel();
    server.frames();
    server.raw(times(FrameBudget.Kind.LATE.most(), ServerEnd.dataFrame(1, false, "x")));
    assertThat(channel.isOpen()).isTrue();
    server.data(1, false, "x");
    assertThat(server.frames()).last().isEqualTo("GOAWAY 0 ENHANCE_YOUR_CALM");
  }

  @Test
  void aBudgetIsForSomeSeconds() {
    openSettled();
    get();
    for (int i = 0; i < 3; i++) {
      for (int j = 1; j < FrameBudget.Kind.SETTINGS.most(); j++) {
        server.frame(Frames.SETTINGS, 0, 0, NOTHING);
      }
      pass(FrameBudget.WINDOW_MILLIS + 200);
      server.frame(Frames.PING, Frames.ACK, 0, new byte[8]);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  static Stream<Arguments> faultsOfAStream() {
    ErrorCode protocol = ErrorCode.PROTOCOL_ERROR;
    String[] ok = {":status", "200"};
    return Stream.of(
        faulty("DATA first", protocol, ParseFailure.BAD_FRAME, ServerEnd.dataFrame(1, true, "x")),
        faulty(
            "no status",
            protocol,
            ParseFailure.BAD_PSEUDO_FIELD,
            ServerEnd.headersFrame(1, true, "x", "y")),
        faulty(
            "101",
            protocol,
            ParseFailure.UNASKED_SWITCH,
            ServerEnd.headersFrame(1, false, ":status", "101")),
        faulty(
            "line end in a value",
            protocol,
            ParseFailure.BAD_FIELD_VALUE,
            ServerEnd.headersFrame(1, true, ":status", "200", "x", "a\r\nset-cookie: b")),
        faulty(
            "field of a connection",
            protocol,
            ParseFailure.FIELD_OF_CONNECTION,
            ServerEnd.headersFrame(1, true, ":status", "200", "transfer-encoding", "chunked")),
        faulty(
            "two lengths",
            protocol,
            ParseFailure.CONFLICTING_CONTENT_LENGTH,
            ServerEnd.headersFrame(
                1, false, ":status", "200", "content-length", "1", "content-length", "2")),
        faulty(
            "head longer than the limit",
            protocol,
            ParseFailure.HEAD_TOO_LARGE,
            ServerEnd.headersFrame(1, false, ":status", "200", "x", "y".repeat(6_000))),
        faulty(
            "more fields than the limit",
            protocol,
            ParseFailure.TOO_MANY_FIELDS,
            ServerEnd.framed(Frames.HEADERS, 5, 1, manyFields())),
        faulty(
            "interim that ends the stream",
            protocol,
            ParseFailure.BAD_FRAME,
            ServerEnd.headersFrame(1, true, ":status", "103")),
        faulty(
            "too many interim responses",
            protocol,
            ParseFailure.TOO_MANY_INTERIM,
            times(
                RequestStream.MAX_INTERIM + 1, ServerEnd.headersFrame(1, false, ":status", "103"))),
        faulty(
            "content that was announced and is not there",
            protocol,
            ParseFailure.CONTENT_LENGTH_OF_DATA,
            ServerEnd.headersFrame(1, true, ":status", "200", "content-length", "5")),
        faulty(
            "less content than announced",
            protocol,
            ParseFailure.CONTENT_LENGTH_OF_DATA,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ":status", "200", "content-length", "5"),
                ServerEnd.dataFrame(1, true, "four"))),
        faulty(
            "more content than announced",
            protocol,
            ParseFailure.CONTENT_LENGTH_OF_DATA,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ":status", "200", "content-length", "5"),
                ServerEnd.dataFrame(1, false, "five"),
                ServerEnd.dataFrame(1, true, "xx"))),
        faulty(
            "content of 204",
            protocol,
            ParseFailure.CONTENT_LENGTH_OF_DATA,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ":status", "204"),
                ServerEnd.dataFrame(1, true, "x"))),
        faulty(
            "trailers that do not end the stream",
            protocol,
            ParseFailure.BAD_FRAME,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ok), ServerEnd.headersFrame(1, false, "x", "y"))),
        faulty(
            "trailers with a status",
            protocol,
            ParseFailure.BAD_TRAILER,
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, ok), ServerEnd.headersFrame(1, true, ok))),
        faulty(
            "window of 0",
            protocol,
            ParseFailure.BAD_FRAME,
            frame(Frames.WINDOW_UPDATE, 0, 1, 0, 0, 0, 0)),
        faulty(
            "priority of a wrong size",
            ErrorCode.FRAME_SIZE_ERROR,
            ParseFailure.BAD_FRAME,
            frame(Frames.PRIORITY, 0, 1, 0)));
  }

  /** {@code :status: 200}, and a field in the static table again and again. */
  private static byte[] manyFields() {
    byte[] block = new byte[258];
    Arrays.fill(block, (byte) (0x80 | 27)); // content-language
    block[0] = (byte) 0x88;
    return block;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faultsOfAStream")
  void theStreamEndsAndTheConnectionStays(
      String title, ErrorCode why, ParseFailure counted, byte[] frames) {
    settings.replyHeadBytes = 6_000;
    openSettled();
    Heard heard = get();
    Heard other = get();
    server.frames();
    server.raw(Unpooled.wrappedBuffer(frames));
    assertThat(server.frames()).containsExactly("RST_STREAM 1 " + why);
    assertThat(heard.events)
        .last()
        .asString()
        .startsWith(
            counted == ParseFailure.HEAD_TOO_LARGE || counted == ParseFailure.TOO_MANY_FIELDS
                ? "failed HEAD_TOO_LARGE"
                : "failed INVALID_RESPONSE");
    assertThat(heard.events).doesNotContain("end");
    assertThat(pool.refused).containsExactly(counted);
    server.headers(3, true, ":status", "200");
    assertThat(other.events).containsExactly("head 200 0", "end");
  }

  @Test
  void aWindowOfAStreamHasALimit() {
    openSettled();
    Heard heard = post(-1);
    server.frames();
    server.openWindow(1, Integer.MAX_VALUE);
    assertThat(server.frames()).containsExactly("RST_STREAM 1 FLOW_CONTROL_ERROR");
    assertThat(heard.events).containsExactly("ready", "failed INVALID_RESPONSE");
  }

  @Test
  void contentOfAResponseToHeadIsRefused() {
    openSettled();
    Heard heard = lease().send(request(Method.HEAD, 0, false, false), RequestForm.DIRECT);
    server.headers(1, false, ":status", "200", "content-length", "1").data(1, true, "x");
    assertThat(heard.events).containsExactly("head 200 none", "failed INVALID_RESPONSE answered");
    assertThat(heard.content).isEmpty();
  }

  @Test
  void contentAfterTheEndIsDropped() {
    openSettled();
    Heard heard = get();
    server.raw(
        Unpooled.wrappedBuffer(
            ServerEnd.headersFrame(1, false, ":status", "200"),
            ServerEnd.dataFrame(1, true, "all"),
            ServerEnd.dataFrame(1, true, "more")));
    assertThat(heard.content).hasToString("all");
    assertThat(heard.events).endsWith("end");
  }
}
