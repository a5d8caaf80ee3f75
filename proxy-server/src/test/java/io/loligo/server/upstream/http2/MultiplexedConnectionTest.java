package io.loligo.server.upstream.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.Frames;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.upstream.FrontEndHttps;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and responses as streams (RFC 9113). */
class MultiplexedConnectionTest extends MultiplexedFixture {
  private static final String[] OK = {":status", "200"};

  // ---- requests

  @Test
  void beginsWithThePrefaceAndSettings() {
    open();
    get();
    assertThat(server.frames())
        .containsExactly(
            "SETTINGS 2=0 4=65536 6=65536",
            "WINDOW_UPDATE 0 " + (64 * 65_536 - 65_535),
            "HEADERS 1 end [:method: GET, :scheme: http, :authority: origin.example, :path:"
                + " /path?q, accept: */*]");
  }

  @Test
  void aProxyGetsTheSchemeAndAuthorityOfTheRequest() {
    openSettled();
    RequestForm form = new RequestForm(true, "other", "Basic x", FrontEndHttps.ON);
    lease().send(request(Method.POST, 0, false, false), form);
    assertThat(server.frames())
        .containsExactly(
            "HEADERS 1 end [:method: POST, :scheme: http, :authority: origin.example, :path:"
                + " /path?q, accept: */*, proxy-authorization: Basic x, front-end-https: On,"
                + " content-length: 0]");
  }

  @Test
  void anOriginGetsTheHostAndTheLoginOfItsLine() {
    openSettled();
    RequestForm form = new RequestForm(false, "other", "Basic x", FrontEndHttps.OFF);
    lease().send(request(Method.GET, 0, false, false), form);
    assertThat(server.frames())
        .containsExactly(
            "HEADERS 1 end [:method: GET, :scheme: http, :authority: other, :path: /path?q,"
                + " accept: */*, authorization: Basic x]");
  }

  @Test
  void aSiblingGetsItsOwnCacheControl() {
    openSettled();
    RequestForm form = RequestForm.DIRECT.withCacheControl("only-if-cached");
    lease().send(request(Method.GET, 0, false, false), form);
    assertThat(server.frames())
        .containsExactly(
            "HEADERS 1 end [:method: GET, :scheme: http, :authority: origin.example, :path:"
                + " /path?q, accept: */*, cache-control: only-if-cached]");
  }

  @Test
  void sendsContentWithItsLength() {
    openSettled();
    Heard heard = post(5);
    heard.lease.content(bytes("hel"));
    heard.lease.content(bytes("lo"));
    heard.lease.endContent(null);
    assertThat(server.frames())
        .satisfiesExactly(
            head -> assertThat(head).startsWith("HEADERS 1 [").contains("content-length: 5"),
            frame -> assertThat(frame).isEqualTo("DATA 1 hel"),
            frame -> assertThat(frame).isEqualTo("DATA 1 lo"),
            frame -> assertThat(frame).isEqualTo("DATA 1 end "));
    assertThat(heard.events).containsExactly("ready");
  }

  @Test
  void sendsTrailers() {
    openSettled();
    Heard heard = post(-1);
    server.frames();
    heard.lease.content(bytes("x"));
    FieldLines lines = new FieldLines(16).add("X-Sum", "1");
    Fields trailers = new Fields(1);
    trailers.clear(lines.bytes());
    trailers.add(FieldName.OTHER, 0, 5, 7, 8);
    heard.lease.endContent(trailers);
    assertThat(server.frames()).containsExactly("DATA 1 x", "HEADERS 1 end [x-sum: 1]");
  }

  @Test
  void contentWaitsForTheWindows() {
    openSettled(Frames.INITIAL_WINDOW_SIZE, 4);
    Heard heard = post(-1);
    server.frames();
    heard.lease.content(bytes("abcdef"));
    heard.lease.endContent(null);
    assertThat(server.frames()).containsExactly("DATA 1 abcd");
    server.openWindow(1, 1);
    assertThat(server.frames()).containsExactly("DATA 1 e");
    server.settings(Frames.INITIAL_WINDOW_SIZE, 100);
    assertThat(server.frames()).containsExactly("SETTINGS ack", "DATA 1 end f");
  }

  /** A flush of one request sends content of others, too: they must have no gap. */
  @Test
  void queuedContentOutlivesALackOfMemory() {
    openSettled();
    Heard heard = post(-1);
    server.frames();
    channel.config().setAllocator(new NoMemory());
    assertThatThrownBy(() -> heard.lease.content(bytes("abc")))
        .isInstanceOf(OutOfMemoryError.class);
    channel.config().setAllocator(allocator);
    connection.flushes().soon();
    assertThat(server.frames()).containsExactly("DATA 1 abc");
  }

  private static final class NoMemory extends AbstractByteBufAllocator {
    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("heap");
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      throw new OutOfMemoryError("direct");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  @Test
  void aWiderWindowDoesNotEndAStreamAgain() {
    openSettled(Frames.INITIAL_WINDOW_SIZE, 0);
    post(-1).lease.endContent(null);
    Heard heard = post(1);
    heard.lease.content(bytes("a"));
    heard.lease.endContent(null);
    assertThat(server.frames()).contains("DATA 1 end ");
    server.openWindow(3, 1);
    assertThat(server.frames()).containsExactly("DATA 3 end a");
    server.openWindow(1, 10).openWindow(3, 10).settings(Frames.INITIAL_WINDOW_SIZE, 100);
    assertThat(server.frames()).containsExactly("SETTINGS ack");
  }

  @Test
  void theWindowOfTheConnectionIsShared() {
    openSettled(Frames.INITIAL_WINDOW_SIZE, 1 << 20);
    Heard first = post(-1);
    Heard second = post(-1);
    server.frames();
    first.lease.content(bytes("a".repeat(65_530)));
    second.lease.content(bytes("b".repeat(100)));
    first.lease.endContent(null);
    // an end needs no window
    assertThat(server.frames()).endsWith("DATA 3 bbbbb", "DATA 1 end ");
    server.openWindow(0, 1_000);
    assertThat(server.frames()).containsExactly("DATA 3 " + "b".repeat(95));
  }

  @Test
  void aWriterIsHeldBackUntilTheWindowOpens() {
    settings.streamBufferBytes = 65_536;
    openSettled(Frames.INITIAL_WINDOW_SIZE, 0);
    Heard heard = post(-1);
    assertThat(heard.lease.writable()).isTrue();
    heard.lease.content(bytes("a".repeat(65_536)));
    assertThat(heard.lease.writable()).isFalse();
    assertThat(transit.used()).isGreaterThanOrEqualTo(65_536);
    server.openWindow(1, 65_535);
    settle();
    assertThat(heard.events).containsExactly("ready", "drained");
    assertThat(heard.lease.writable()).isTrue();
  }

  @Test
  void waitsForContinue() {
    openSettled();
    Heard heard = lease().send(request(Method.PUT, 3, true, true), RequestForm.DIRECT);
    assertThat(server.frames().get(0)).contains("expect: 100-continue");
    assertThat(heard.events).isEmpty();
    server.headers(1, false, ":status", "100");
    assertThat(heard.events).containsExactly("ready");
  }

  @Test
  void waitsForContinueASecondOnly() {
    openSettled();
    Heard heard = lease().send(request(Method.PUT, 3, true, true), RequestForm.DIRECT);
    pass(RequestStream.CONTINUE_MILLIS + 300);
    assertThat(heard.events).containsExactly("ready");
  }

  @Test
  void aFinalResponseMakesTheContentNeedless() {
    openSettled();
    Heard heard = lease().send(request(Method.PUT, 3, true, true), RequestForm.DIRECT);
    server.frames();
    server.headers(1, true, ":status", "417");
    assertThat(heard.events).containsExactly("head 417 0", "end");
    assertThat(server.frames()).containsExactly("RST_STREAM 1 CANCEL");
    heard.lease.content(bytes("abc"));
    assertThat(server.frames()).isEmpty();
  }

  @Test
  void resetsForContentOfAWrongLength() {
    openSettled();
    Heard more = post(2);
    Heard less = post(2);
    server.frames();
    more.lease.content(bytes("abc"));
    less.lease.content(bytes("a"));
    less.lease.endContent(null);
    assertThat(more.events).containsExactly("ready", "failed WRITE_FAILED");
    assertThat(less.events).containsExactly("ready", "failed WRITE_FAILED");
    assertThat(server.frames())
        .containsExactly("RST_STREAM 1 CANCEL", "DATA 3 a", "RST_STREAM 3 CANCEL");
  }

  @Test
  void requestsOfOneTurnOfTheLoopLeaveInOneWrite() {
    openSettled();
    get();
    get();
    settle();
    assertThat(channel.outboundMessages()).hasSize(1);
    assertThat(server.frames()).hasSize(2).allMatch(frame -> frame.startsWith("HEADERS "));
  }

  @Test
  void longHeadsContinue() {
    openSettled();
    byte[] lines = ("Host: a\r\nX: " + "v".repeat(20_000) + "\r\n").getBytes(ISO_8859_1);
    OutgoingRequest request =
        OutgoingRequest.of("GET", Method.GET).authority("a").fieldLines(lines).build();
    lease().send(request, RequestForm.DIRECT);
    settle();
    ByteBuf out = channel.readOutbound();
    assertThat(out.readUnsignedMedium()).isEqualTo(16_384);
    assertThat(out.readUnsignedByte()).isEqualTo((short) Frames.HEADERS);
    assertThat(out.readUnsignedByte()).isEqualTo((short) Frames.END_STREAM);
    out.skipBytes(4 + 16_384);
    int length = out.readUnsignedMedium();
    assertThat(out.readUnsignedByte()).isEqualTo((short) Frames.CONTINUATION);
    assertThat(out.readUnsignedByte()).isEqualTo((short) Frames.END_HEADERS);
    out.skipBytes(4 + length);
    assertThat(out.isReadable()).isFalse();
    out.release();
  }

  @Test
  void saysOnceThatItUsesNoTable() {
    openSettled(Frames.HEADER_TABLE_SIZE, 0);
    get();
    settle();
    get();
    // GET from the static table comes first, after a table of no bytes (RFC 7541 section 6.3)
    assertThat(firstBytesOfBlocks()).containsExactly(0x20, 0x82);
  }

  private List<Integer> firstBytesOfBlocks() {
    List<Integer> first = new ArrayList<>();
    settle();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      first.add((int) out.getUnsignedByte(Frames.HEADER_BYTES));
      out.release();
    }
    return first;
  }

  // ---- responses

  @Test
  void deliversContentOfKnownLength() {
    openSettled();
    Heard heard = get();
    server.raw(
        Unpooled.wrappedBuffer(
            ServerEnd.headersFrame(1, false, ":status", "200", "content-length", "5"),
            ServerEnd.dataFrame(1, false, "hel"),
            ServerEnd.dataFrame(1, true, "lo")));
    assertThat(heard.events).containsExactly("head 200 5", "end");
    assertThat(heard.content).hasToString("hello");
    assertThat(heard.timings.firstByteNanos).isNotNegative();
    assertThat(heard.timings.bytesIn).isGreaterThan(3 * Frames.HEADER_BYTES + 5);
  }

  @Test
  void readsFramesCutAnywhere() {
    openSettled();
    byte[] answer =
        ServerEnd.bytes(
            Unpooled.wrappedBuffer(
                ServerEnd.headersFrame(1, false, OK), ServerEnd.dataFrame(1, true, "hello")));
    for (int cut = 1; cut < answer.length; cut++) {
      Heard heard = get();
      byte[] own = answer.clone();
      int number = 2 * cut - 1;
      ServerEnd.framed(0, 0, number, new byte[0]).getBytes(5, own, 5, 4);
      int second = own.length - 5 - 9;
      ServerEnd.framed(0, 0, number, new byte[0]).getBytes(5, own, second + 5, 4);
      server.raw(Unpooled.wrappedBuffer(own, 0, cut));
      server.raw(Unpooled.wrappedBuffer(own, cut, own.length - cut));
      assertThat(heard.events).as("cut %s", cut).containsExactly("head 200 unknown", "end");
      assertThat(heard.content).hasToString("hello");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {204, 304})
  void someResponsesHaveNoContent(int status) {
    openSettled();
    Heard heard = get();
    server.headers(1, true, ":status", Integer.toString(status), "content-length", "9");
    assertThat(heard.events).containsExactly("head " + status + " none", "end");
  }

  @Test
  void aResponseToHeadEndsWithAnEmptyFrameToo() {
    openSettled();
    Heard heard = lease().send(request(Method.HEAD, 0, false, false), RequestForm.DIRECT);
    server.headers(1, false, ":status", "200", "content-length", "9");
    assertThat(heard.events).containsExactly("head 200 none");
    server.data(1, true, "");
    assertThat(heard.events).containsExactly("head 200 none", "end");
  }

  @Test
  void passesInterimResponsesAndTrailers() {
    openSettled();
    Heard heard = get();
    server.headers(1, false, ":status", "103", "link", "</a>");
    server.headers(1, false, OK);
    server.data(1, false, "x");
    server.headers(1, true, "x-sum", "1", "content-length", "7");
    assertThat(heard.events).containsExactly("interim 103", "head 200 unknown", "end x-sum=1");
  }

  @Test
  void streamsAreIndependent() {
    openSettled();
    Heard first = get();
    Heard second = get();
    server.headers(3, false, OK).headers(1, false, OK);
    server.data(1, false, "a").data(3, true, "b").data(1, true, "c");
    assertThat(first.content).hasToString("ac");
    assertThat(second.content).hasToString("b");
    assertThat(first.events).endsWith("end");
    assertThat(second.events).endsWith("end");
  }

  @Test
  void unreadContentIsBoundedByTheWindow() {
    settings.streamBufferBytes = 16_384;
    openSettled();
    Heard heard = get();
    heard.reading = false;
    server.headers(1, false, OK);
    server.frames();
    server.data(1, false, "a".repeat(16_384));
    assertThat(heard.content).isEmpty();
    assertThat(server.frames()).isEmpty();
    assertThat(transit.used()).isEqualTo(16_384);
    server.data(1, false, "b");
    assertThat(server.frames()).containsExactly("RST_STREAM 1 FLOW_CONTROL_ERROR");
    assertThat(pool.refused).containsExactly(ParseFailure.BAD_FRAME);
    heard.lease.read();
    assertThat(heard.content).hasSize(16_384);
    assertThat(heard.events)
        .containsExactly("head 200 unknown", "failed INVALID_RESPONSE answered");
  }

  @Test
  void readingOpensTheWindowAgainAndWider() {
    settings.streamBufferBytes = 16_384;
    openSettled();
    Heard heard = get();
    server.headers(1, false, OK);
    server.frames();
    server.data(1, false, "a".repeat(8_191));
    assertThat(server.frames()).isEmpty();
    server.data(1, false, "a");
    assertThat(server.frames()).containsExactly("WINDOW_UPDATE 1 " + (8_192 + 16_384));
    for (int i = 0; i < 200; i++) {
      server.data(1, false, "a".repeat(16_384));
    }
    int given = 16_384 + 8_192 + 16_384;
    for (String frame : server.frames()) {
      given += frame.startsWith("WINDOW_UPDATE 1 ") ? Integer.parseInt(frame.substring(16)) : 0;
    }
    int open = given - heard.content.length();
    assertThat(open).isBetween(ResponseContent.MAX_WINDOW_BYTES / 2, 256 << 10);
  }

  @Test
  void theConnectionStaysOpenForOthersWhileAResponseIsNotRead() {
    settings.streamBufferBytes = 16_384;
    openSettled();
    int streams = 70; // more than fit into the window of the connection
    for (int i = 0; i < streams; i++) {
      Heard slow = get();
      slow.reading = false;
      server.headers(2 * i + 1, false, OK).data(2 * i + 1, false, "a".repeat(16_384));
    }
    Heard fast = get();
    server.headers(2 * streams + 1, false, OK).data(2 * streams + 1, true, "x");
    assertThat(fast.events).endsWith("end");
    assertThat(server.frames()).anyMatch(frame -> frame.startsWith("WINDOW_UPDATE 0 "));
  }

  @Test
  void contentThatHasArrivedSurvivesTheConnection() {
    openSettled();
    Heard whole = get();
    Heard part = get();
    whole.reading = false;
    part.reading = false;
    server.headers(1, false, OK).data(1, true, "whole");
    server.headers(3, false, OK).data(3, false, "part");
    channel.close();
    settle();
    whole.lease.read();
    part.lease.read();
    assertThat(whole.content).hasToString("whole");
    assertThat(whole.events).containsExactly("head 200 unknown", "end");
    assertThat(part.content).hasToString("part");
    assertThat(part.events).containsExactly("head 200 unknown", "failed TRUNCATED answered");
    assertThat(pool.refused).containsExactly(ParseFailure.TRUNCATED);
  }

  @Test
  void aCancelledRequestCostsItsStreamOnly() {
    openSettled();
    Heard left = get();
    Heard stays = get();
    server.headers(1, false, OK).data(1, false, "a");
    server.frames();
    left.lease.cancel();
    assertThat(server.frames()).containsExactly("RST_STREAM 1 CANCEL");
    server.data(1, false, "more").headers(1, true, "x-late", "1");
    server.headers(3, true, OK);
    assertThat(stays.events).containsExactly("head 200 0", "end");
    assertThat(left.events).containsExactly("head 200 unknown");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aFaultInAListenerCostsItsStreamOnly() {
    openSettled();
    Heard faulty = get();
    Heard stays = get();
    faulty.onHead =
        () -> {
          throw new IllegalStateException("for the test");
        };
    server.frames();
    server.headers(1, false, OK).headers(3, true, OK);
    assertThat(faulty.events).endsWith("failed INVALID_RESPONSE answered");
    assertThat(stays.events).endsWith("end");
    assertThat(server.frames()).containsExactly("RST_STREAM 1 CANCEL");
  }

  // ---- resets and the end of the connection

  @Test
  void aRefusedStreamWasNotProcessed() {
    openSettled();
    Heard heard = get();
    server.reset(1, ErrorCode.REFUSED_STREAM);
    assertThat(heard.events).containsExactly("failed NOT_PROCESSED");
    assertThat(pool.refused).isEmpty();
  }

  @Test
  void aRefusalShowsTheServersLimit() {
    openSettled();
    get();
    get();
    server.reset(3, ErrorCode.REFUSED_STREAM);
    assertThat(pool.said).containsExactly("idle", "gone");
    assertThat(connection.lease()).isNull();
    server.headers(1, true, OK);
    assertThat(pool.said).containsExactly("idle", "gone", "idle");
    get();
    server.reset(5, ErrorCode.REFUSED_STREAM);
    settle();
    assertThat(channel.isOpen()).as("it takes no stream").isFalse();
  }

  @Test
  void aHeadThatIsTooLargeForTheServerIsNotSent() {
    openSettled();
    get();
    assertThat(server.frames()).anyMatch(frame -> frame.startsWith("HEADERS 1 end"));
    // :method GET, :scheme http, :authority origin.example, :path /path?q, accept */*
    int size = 10 + 11 + 24 + 12 + 9 + 5 * 32;
    server.settings(Frames.MAX_HEADER_LIST_SIZE, size - 1, Frames.HEADER_TABLE_SIZE, 0);
    server.frames();
    Heard heard = get();
    settle();
    assertThat(heard.events).containsExactly("failed REQUEST_HEAD_TOO_LARGE");
    assertThat(server.frames()).isEmpty();
    server.settings(Frames.MAX_HEADER_LIST_SIZE, size);
    assertThat(get().events).isEmpty();
    assertThat(server.frames()).anyMatch(frame -> frame.startsWith("HEADERS 5 end"));
  }

  @Test
  void aServerMayWantHttp1() {
    openSettled();
    Heard heard = get();
    server.reset(1, ErrorCode.HTTP_1_1_REQUIRED);
    assertThat(heard.events).containsExactly("failed HTTP_1_REQUIRED");
  }

  @ParameterizedTest
  @EnumSource(names = {"INTERNAL_ERROR", "NO_ERROR", "CANCEL", "ENHANCE_YOUR_CALM"})
  void anotherResetIsACutResponse(ErrorCode why) {
    openSettled();
    Heard before = get();
    Heard within = get();
    server.headers(3, false, OK).data(3, false, "part");
    server.reset(1, why).reset(3, why);
    assertThat(before.events).containsExactly("failed NO_ANSWER answered");
    assertThat(within.events).containsExactly("head 200 unknown", "failed TRUNCATED answered");
    assertThat(within.content).hasToString("part");
    assertThat(pool.refused).containsExactly(ParseFailure.TRUNCATED);
  }

  @Test
  void aRefusalAfterTheHeadIsACutResponse() {
    openSettled();
    Heard heard = get();
    server.headers(1, false, OK).reset(1, ErrorCode.REFUSED_STREAM);
    assertThat(heard.events).containsExactly("head 200 unknown", "failed TRUNCATED answered");
  }

  @Test
  void aResetAfterACompleteResponseOnlyEndsTheRequest() {
    openSettled();
    Heard heard = post(-1);
    heard.reading = false;
    server.headers(1, false, OK).data(1, true, "early").reset(1, ErrorCode.NO_ERROR);
    heard.lease.content(bytes("more"));
    heard.lease.read();
    assertThat(heard.events).containsExactly("ready", "head 200 unknown", "end");
    assertThat(server.frames()).noneMatch(frame -> frame.startsWith("RST_STREAM"));
  }

  @Test
  void goAwayTellsWhichRequestsWereNotProcessed() {
    openSettled();
    Heard first = get();
    Heard second = get();
    server.goAway(1, ErrorCode.NO_ERROR);
    assertThat(second.events).containsExactly("failed NOT_PROCESSED");
    assertThat(first.events).isEmpty();
    assertThat(connection.lease()).isNull();
    assertThat(pool.said).containsExactly("idle", "gone");
    server.headers(1, true, OK);
    settle();
    assertThat(first.events).containsExactly("head 200 0", "end");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aClosedConnectionIsSilence() {
    openSettled();
    Heard heard = get();
    channel.close();
    settle();
    assertThat(heard.events).containsExactly("failed NO_ANSWER");
    assertThat(pool.said).containsExactly("idle", "gone");
  }

  @Test
  void aSilentServerIsAskedAndThenGivenUp() {
    openSettled();
    Heard heard = get();
    server.frames();
    pass(LifeSigns.PING_MILLIS + 300);
    assertThat(server.frames()).containsExactly("PING 0");
    server.frame(Frames.PING, Frames.ACK, 0, new byte[8]);
    pass(LifeSigns.PING_MILLIS + 300);
    assertThat(server.frames()).containsExactly("PING 0");
    assertThat(heard.events).isEmpty();
    pass(LifeSigns.PING_MILLIS + 300);
    assertThat(heard.events).containsExactly("failed NO_ANSWER");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aResponseThatDoesNotComeFailsAlone() {
    settings.readMillis = 5_000;
    openSettled();
    Heard heard = get();
    server.frames();
    pass(5_300);
    assertThat(heard.events).containsExactly("failed READ_TIMEOUT");
    assertThat(server.frames()).containsExactly("RST_STREAM 1 CANCEL");
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void contentThatIsNotTakenFailsAlone() {
    settings.writeMillis = 5_000;
    openSettled(Frames.INITIAL_WINDOW_SIZE, 0);
    Heard heard = post(-1);
    heard.lease.content(bytes("x"));
    server.frames();
    pass(5_300);
    assertThat(heard.events).containsExactly("ready", "failed WRITE_FAILED");
    assertThat(server.frames()).containsExactly("RST_STREAM 1 CANCEL");
  }

  @Test
  void aSlowResponseIsGivenUp() {
    settings.originRate = 1_000;
    settings.rateWindowMillis = 2_000;
    openSettled();
    Heard heard = get();
    server.headers(1, false, ":status", "200", "content-length", "100000");
    for (int i = 0; i < 8; i++) {
      pass(1_000);
      server.data(1, false, "x");
    }
    assertThat(heard.events).endsWith("failed READ_TIMEOUT answered");
    assertThat(pool.refused).containsExactly(ParseFailure.TOO_SLOW);
  }

  // ---- the pool

  @Test
  void aKeptConnectionIsClosedWhenItsTimeIsOver() {
    settings.serverIdleMillis = 10_000;
    openSettled();
    get();
    server.headers(1, true, OK);
    server.frames();
    assertThat(pool.said).containsExactly("idle");
    pass(10_300);
    assertThat(server.frames()).containsExactly("GOAWAY 0 NO_ERROR");
    assertThat(channel.isOpen()).isFalse();
    assertThat(pool.said).containsExactly("idle", "gone");
  }

  @Test
  void aConnectionMadeToLookAtItsTlsIsKept() {
    settings.serverIdleMillis = 10_000;
    open();
    lease().lease.keep();
    assertThat(pool.said).containsExactly("idle");
    assertThat(server.frames()).hasSize(2).first().asString().startsWith("SETTINGS");
    server.settings();
    get();
    server.headers(1, true, OK);
    assertThat(server.frames()).last().asString().startsWith("HEADERS 1");
    assertThat(pool.said).containsExactly("idle");
  }

  @Test
  void obeysTheServersLimitOfStreams() {
    openSettled(Frames.MAX_CONCURRENT_STREAMS, 2);
    get();
    assertThat(connection.isShared()).isTrue();
    get();
    assertThat(connection.isShared()).isFalse();
    assertThat(connection.lease()).isNull();
    server.headers(1, true, OK);
    assertThat(pool.said).containsExactly("idle", "idle");
    assertThat(connection.isShared()).isTrue();
    get();
    assertThat(server.frames()).last().asString().startsWith("HEADERS 5 end");
  }

  @Test
  void leavesThePoolWhenTheServerLowersItsLimit() {
    openSettled();
    get();
    server.settings(Frames.MAX_CONCURRENT_STREAMS, 0);
    assertThat(pool.said).containsExactly("idle", "gone");
    assertThat(connection.lease()).isNull();
    server.settings(Frames.MAX_CONCURRENT_STREAMS, 5);
    assertThat(pool.said).containsExactly("idle", "gone", "idle");
  }

  @Test
  void hasALimitOfItsOwn() {
    openSettled(Frames.MAX_CONCURRENT_STREAMS, 1_000);
    for (int i = 0; i < MultiplexedConnection.MAX_STREAMS; i++) {
      get();
    }
    assertThat(connection.lease()).isNull();
  }

  @Test
  void servesOneRequestIfConnectionsAreNotKept() {
    settings.serverPersistent = false;
    openSettled();
    get();
    assertThat(connection.lease()).isNull();
    server.headers(1, true, OK);
    settle();
    assertThat(pool.said).isEmpty();
    assertThat(server.frames()).last().isEqualTo("GOAWAY 0 NO_ERROR");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aPoolThatDoesNotKeepItLetsItsStreamEnd() {
    pool.keeps = false;
    openSettled();
    Heard heard = get();
    assertThat(connection.lease()).isNull();
    server.headers(1, true, OK);
    settle();
    assertThat(heard.events).containsExactly("head 200 0", "end");
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void isKnownToLiveForSomeSeconds() {
    openSettled();
    assertThat(connection.isKnownAlive()).isTrue();
    pass(6_000);
    assertThat(connection.isKnownAlive()).isFalse();
    server.frame(Frames.PING, 0, 0, new byte[] {0, 0, 0, 0, 0, 0, 0, 7});
    assertThat(connection.isKnownAlive()).isTrue();
    assertThat(server.frames()).containsExactly("PING ack 7");
  }
}
