package io.loligo.server.adapt;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.ParseLimits;
import io.loligo.server.adapt.IcapReader.Event;
import io.loligo.server.adapt.IcapReader.Expected;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses of ICAP services, well-formed and hostile. */
class IcapReaderTest {
  private static final String RESPONSE = "HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\n";
  private static final String REQUEST = "GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n";
  private static final ParseLimits LIMITS = new ParseLimits(2_000, 500, 20, 100, 100);

  /** What a reader made of some bytes. */
  private static final class Outcome {
    final StringBuilder events = new StringBuilder();
    final StringBuilder content = new StringBuilder();
    IcapReply reply;
    String failure = "";
    long originalFrom;
    int unread;
  }

  private static Outcome read(String text, int step, Expected expected, String kept) {
    IcapReader reader = new IcapReader(LIMITS);
    reader.begin(expected, kept.getBytes(ISO_8859_1));
    Outcome outcome = new Outcome();
    byte[] bytes = text.getBytes(ISO_8859_1);
    ByteBuf in = Unpooled.buffer();
    for (int at = 0; at < bytes.length; at += step) {
      in.writeBytes(bytes, at, Math.min(step, bytes.length - at));
      Event event = reader.next(in);
      while (event != Event.NEED_MORE) {
        switch (event) {
          case DATA -> {
            outcome.content.append(in.readCharSequence(reader.dataLength(), ISO_8859_1));
          }
          case REPLY -> {
            outcome.reply = reader.reply();
            outcome.events.append(outcome.reply.status()).append(' ');
          }
          case END -> {
            outcome.events.append("end");
            outcome.originalFrom = reader.originalFrom();
            outcome.unread = in.readableBytes() + bytes.length - Math.min(bytes.length, at + step);
            return outcome;
          }
          default -> {
            outcome.failure = reader.failure();
            return outcome;
          }
        }
        event = reader.next(in);
      }
    }
    return outcome;
  }

  private static String icap(String fields) {
    return "ICAP/1.0 200 OK\r\n" + fields + "\r\n\r\n";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "206 | 0; use-original-body=5 | 5",
        "206 | 0;use-original-body=0 | 0",
        "206 | 000 ; Use-Original-Body = 7 | 7",
        "206 | 0; a; b=c; d=\"; use-original-body=1\\\"\"; use-original-body=9 | 9",
        "206 | 0; use-original-bodies=5 | -1",
        "206 | 0 | -1",
        "200 | 0; use-original-body=5 | -1",
      })
  void readsWhereTheOriginalGoesOn(int status, String last, long from) {
    String text =
        icap("Encapsulated: res-hdr=0, res-body=" + RESPONSE.length()).replace("200", "" + status)
            + RESPONSE
            + "5; use-original-body=3\r\nhello\r\n"
            + last
            + "\r\n\r\n";
    for (int step = 1; step <= text.length(); step++) {
      Outcome outcome = read(text, step, Expected.RESPONSE, "");
      assertThat(outcome.events).as("%d at once", step).hasToString(status + " end");
      assertThat(outcome.originalFrom).isEqualTo(from);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 50, 10_000})
  void readsAResponseWithContentHoweverItIsCut(int step) {
    String text =
        icap("ISTag: \"x\"\r\nEncapsulated: res-hdr=0, res-body=" + RESPONSE.length())
            + RESPONSE
            + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\nsurplus";
    Outcome outcome = read(text, step, Expected.REQUEST, "");
    assertThat(outcome.failure).isEmpty();
    assertThat(outcome.events).hasToString("200 end");
    assertThat(outcome.content).hasToString("hello");
    assertThat(outcome.reply.response().status()).isEqualTo(403);
    assertThat(outcome.reply.request()).isNull();
    assertThat(outcome.unread).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 10_000})
  void readsARequestAndAddsWhatTheServiceDidNotSee(int step) {
    String text =
        icap("Encapsulated: req-hdr=0, null-body=" + REQUEST.length() + "\r\nConnection: close")
            + REQUEST;
    Outcome outcome = read(text, step, Expected.REQUEST, "Proxy-Authorization: Basic eA==\r\n");
    assertThat(outcome.events).hasToString("200 end");
    assertThat(outcome.reply.closes()).isTrue();
    assertThat(outcome.reply.hasContent()).isFalse();
    assertThat(outcome.reply.request().target()).isEqualTo("http://a.test/x");
    assertThat(outcome.reply.request().fields().joined("Proxy-Authorization"))
        .isEqualTo("Basic eA==");
    assertThat(outcome.reply.request().fields().joined("Host")).isEqualTo("a.test");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10_000})
  void aFinalResponseFollows100(int step) {
    Outcome outcome =
        read(
            "ICAP/1.0 100 Continue\r\n\r\nICAP/1.0 204 No\r\nEncapsulated: null-body=0\r\n\r\n",
            step,
            Expected.RESPONSE,
            "");
    assertThat(outcome.events).hasToString("100 204 end");
    assertThat(outcome.reply.hasContent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HTTP/1.1 200 OK|not ICAP/1.0",
        "ICAP/1.1 200 OK|not ICAP/1.0",
        "ICAP/1.0  200 OK|head: malformed status line",
        "ICAP/1.0 2x0 OK|head: malformed status line",
      })
  void refusesOtherStatusLines(String line, String why) {
    for (int step : new int[] {1, 100}) {
      assertThat(read(line + "\r\n\r\n", step, Expected.RESPONSE, "").failure).isEqualTo(why);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "res-hdr=1, res-body=39|offset of the head",
        "res-hdr=0, res-body=-3|offset of the body",
        "res-hdr=0, res-body=0|offset of the head",
        "res-hdr=0, res-body=99999999999999999999|offset of the body",
        "res-hdr=0, res-body=2001|offset of the body",
        "res-hdr=0, res-body=|offset of the body",
        "res-hdr=0|unknown part",
        "res-hdr=0, req-body=39|unknown part",
        "null-body=7|offset of the body",
        "xyz=0, res-body=39|unknown part",
        "req-hdr=0, res-hdr=20, res-body=39|more than one head",
        "req-hdr=0, req-body=39|a head that belongs to no such response",
      })
  void refusesPlacesThatMakeNoSense(String places, String why) {
    Outcome outcome =
        read(icap("Encapsulated: " + places) + RESPONSE, 10_000, Expected.RESPONSE, "");
    assertThat(outcome.failure).isEqualTo("Encapsulated: " + why);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1, 2, -2})
  void theHeadInsideEndsWhereItsOffsetSays(int off) {
    String places = "Encapsulated: res-hdr=0, res-body=" + (RESPONSE.length() + off);
    Outcome outcome =
        read(icap(places) + RESPONSE + "5\r\nhello\r\n0\r\n\r\n", 10_000, Expected.RESPONSE, "");
    assertThat(outcome.failure).startsWith("response inside: ");
    assertThat(outcome.reply).isNull();
  }

  @Test
  void anInterimResponseInsideIsRefused() {
    String head = "HTTP/1.1 101 Switch\r\n\r\n";
    Outcome outcome =
        read(
            icap("Encapsulated: res-hdr=0, null-body=" + head.length()) + head,
            10_000,
            Expected.RESPONSE,
            "");
    assertThat(outcome.failure).isEqualTo("response inside: status 101");
  }

  @Test
  void aHeadWithoutEndIsRefusedAtTheLimit() {
    String endless = "ICAP/1.0 200 OK\r\nX: " + "x".repeat(3_000);
    assertThat(read(endless, 100, Expected.RESPONSE, "").failure)
        .isEqualTo("head: head exceeds the limit");
  }

  @Test
  void wrongChunksAreRefused() {
    String places = "Encapsulated: res-hdr=0, res-body=" + RESPONSE.length();
    Outcome outcome = read(icap(places) + RESPONSE + "5\r\nhelloX", 1, Expected.RESPONSE, "");
    assertThat(outcome.content).hasToString("hello");
    assertThat(outcome.failure).isEqualTo("content: chunk data is not followed by CRLF");
  }

  @Test
  void anInjectedHeadDoesNotFitInside() {
    String twice = RESPONSE + RESPONSE;
    Outcome outcome =
        read(
            icap("Encapsulated: res-hdr=0, null-body=" + twice.length()) + twice,
            10_000,
            Expected.RESPONSE,
            "");
    assertThat(outcome.failure).startsWith("response inside: ");
  }
}
