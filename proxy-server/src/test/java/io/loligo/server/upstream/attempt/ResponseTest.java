package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.upstream.FetchFailure.Kind;
import io.loligo.server.upstream.http1.OriginConnection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers on one connection: framing, ends, back-pressure (RFC 9112 sections 6 to 9). */
class ResponseTest extends AttemptFixture {
  @Test
  void deliversContentOfKnownLength() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(seen.content).hasToString("hello");
  }

  @Test
  void readsAHeadCutAnywhere() {
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello";
    for (int cut = 1; cut < answer.length(); cut++) {
      Listening seen = fetch(get());
      last().answer(answer.substring(0, cut));
      last().answer(answer.substring(cut));
      assertThat(seen.events).as("cut %s", cut).containsExactly("head 200 LENGTH", "end");
      assertThat(seen.content).hasToString("hello");
    }
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void deliversChunksWithTrailers() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    last().answer("2;x=y\r\nde\r\n0\r\nX-Sum: 1\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 CHUNKED", "end X-Sum=1");
    assertThat(seen.content).hasToString("abcde");
    assertThat(counted.idle).isEqualTo(1);
  }

  @Test
  void readsChunksCutAnywhere() {
    String answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for (int cut = 1; cut < answer.length(); cut++) {
      Listening seen = fetch(get());
      last().answer(answer.substring(0, cut));
      last().answer(answer.substring(cut));
      assertThat(seen.events).as("cut %s", cut).containsExactly("head 200 CHUNKED", "end");
      assertThat(seen.content).hasToString("abcde");
    }
  }

  @Test
  void deliversSmallChunksThatArriveTogetherTogether() {
    Listening seen = fetch(get());
    List<Integer> lengths = new ArrayList<>();
    seen.onContent = () -> lengths.add(seen.content.length());
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    last().answer("1\r\na\r\n".repeat(300) + "400\r\n" + "b".repeat(1_024) + "\r\n2\r\ncd\r\n");
    last().answer("1\r\ne\r\n1\r\nf\r\n0\r\n\r\n");
    assertThat(lengths).containsExactly(300, 1_324, 1_326, 1_328);
    assertThat(seen.content).hasToString("a".repeat(300) + "b".repeat(1_024) + "cdef");
    assertThat(seen.events).containsExactly("head 200 CHUNKED", "end");
  }

  @Test
  void deliversUntilClose() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.0 200 OK\r\n\r\nall ");
    last().answer("of it");
    assertThat(seen.over()).isFalse();
    last().close();
    assertThat(seen.events).containsExactly("head 200 UNTIL_CLOSE", "end");
    assertThat(seen.content).hasToString("all of it");
  }

  @Test
  void takesAResetForNoEnd() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.0 200 OK\r\n\r\nsome");
    last().reset();
    assertThat(seen.failure.kind()).isEqualTo(Kind.TRUNCATED);
  }

  @Test
  void takesNoMemoryForOursForNoFaultOfThePeer() {
    Listening seen = fetch(get());
    last().outOfMemory();
    assertThat(seen.failure.kind()).isEqualTo(Kind.NO_MEMORY);
  }

  @Test
  void tellsTruncatedContent() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    last().close();
    assertThat(seen.events).containsExactly("head 200 LENGTH", "failed TRUNCATED");
  }

  @Test
  void tellsAMissingLastChunk() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    last().close();
    assertThat(seen.failure.kind()).isEqualTo(Kind.TRUNCATED);
  }

  @Test
  void refusesMalformedChunks() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX");
    assertThat(seen.failure.kind()).isEqualTo(Kind.INVALID_RESPONSE);
    assertThat(last().open()).isFalse();
  }

  @Test
  void refusesAmbiguousFraming() {
    for (String lines :
        new String[] {
          "Content-Length: 5\r\nContent-Length: 6\r\n",
          "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
          "Content-Length: +5\r\n"
        }) {
      Listening seen = fetch(get());
      last().answer("HTTP/1.1 200 OK\r\n" + lines + "\r\nhello");
      assertThat(seen.failure).as(lines).isNotNull();
      assertThat(seen.failure.kind()).isEqualTo(Kind.INVALID_RESPONSE);
      assertThat(last().open()).isFalse();
    }
  }

  @Test
  void refusesBytesThatAreNotHttp() {
    Listening seen = fetch(get());
    last().answer("220 mail.example ESMTP\r\n");
    assertThat(seen.failure.kind()).isEqualTo(Kind.INVALID_RESPONSE);
  }

  @Test
  void refusesAHeadThatIsTooLarge() {
    settings.replyHeadBytes = 100;
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nX: " + "y".repeat(200) + "\r\n\r\n");
    assertThat(seen.failure.kind()).isEqualTo(Kind.HEAD_TOO_LARGE);
  }

  @Test
  void readsALargeHeadInManyReads() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
    for (int i = 0; i < 60; i++) {
      last().answer("X-" + i + ": " + "v".repeat(900) + "\r\n");
    }
    last().answer("\r\nok");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void endsAtOnceWhereThereIsNoContent() {
    Listening seen = fetch(request(Method.HEAD, 0, false, false, null));
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 NONE", "end");
    seen = fetch(get());
    last().answer("HTTP/1.1 304 Not Modified\r\n\r\n");
    assertThat(seen.events).containsExactly("head 304 NONE", "end");
    seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void passesInterimAnswersOn() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("interim 103", "interim 100", "head 200 LENGTH", "end");
  }

  @Test
  void endsAFloodOfInterimAnswers() {
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 102 Processing\r\n\r\n".repeat(OriginConnection.MAX_INTERIM + 1));
    assertThat(seen.failure.kind()).isEqualTo(Kind.INVALID_RESPONSE);
    assertThat(seen.events).hasSize(OriginConnection.MAX_INTERIM + 1);
  }

  @Test
  void readsContentOnlyWhenAskedTo() {
    Listening seen = new Listening();
    seen.reading = false;
    fetch(seen, get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    int reads = last().reads();
    assertThat(seen.content).hasToString("");
    seen.stream.read();
    assertThat(seen.content).hasToString("hello");
    assertThat(last().reads()).isEqualTo(reads);
    seen.stream.read();
    assertThat(last().reads()).isEqualTo(reads + 1);
    last().answer("world");
    assertThat(seen.content).hasToString("helloworld");
    assertThat(seen.over()).isTrue();
  }

  @Test
  void keepsContentThatArrivesUnrequested() {
    Listening seen = new Listening();
    seen.reading = false;
    fetch(seen, get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    last().answer("def");
    last().answer("ghi");
    last().close();
    assertThat(seen.content).hasToString("");
    seen.stream.read();
    assertThat(seen.content).hasToString("abcdefghi");
    assertThat(seen.over()).isTrue();
    assertThat(seen.failure).isNull();
  }

  @Test
  void tellsWhenNothingWasAnswered() {
    Listening seen = fetch(get());
    last().close();
    assertThat(seen.events).containsExactly("failed NO_ANSWER");
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void timesOutWhenNoHeadComes() {
    settings.readMillis = 5_000;
    Listening seen = fetch(get());
    pass(5_000);
    assertThat(seen.over()).isFalse();
    pass(200);
    assertThat(seen.failure.kind()).isEqualTo(Kind.READ_TIMEOUT);
    assertThat(last().open()).isFalse();
  }

  @Test
  void timesOutWhenContentStops() {
    settings.readMillis = 5_000;
    Listening seen = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    pass(4_000);
    last().answer("hello");
    pass(4_000);
    assertThat(seen.over()).isFalse();
    pass(1_300);
    assertThat(seen.failure.kind()).isEqualTo(Kind.READ_TIMEOUT);
  }

  @Test
  void doesNotTimeOutWithoutARequest() {
    settings.readMillis = 5_000;
    Listening seen = new Listening();
    seen.reading = false;
    fetch(seen, get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    pass(60_000);
    assertThat(seen.over()).isFalse();
    seen.stream.cancel();
  }

  private Listening fetchAtAPace() {
    settings.originRate = 240;
    settings.rateWindowMillis = 4_000;
    return fetch(get());
  }

  /** The origin sends {@code text} every 500 ms for {@code millis}, as long as it is connected. */
  private void trickle(String text, long millis) {
    for (long left = millis; left > 0 && last().open(); left -= 500) {
      last().answer(text);
      pass(500);
    }
  }

  private void failsAsTooSlow(Listening seen) {
    assertThat(seen.failure).isNotNull();
    assertThat(seen.failure.kind()).isEqualTo(Kind.READ_TIMEOUT);
    assertThat(counted.refused).containsExactly(ParseFailure.TOO_SLOW);
    assertThat(last().open()).isFalse();
  }

  @Test
  void endsAHeadThatTrickles() {
    Listening seen = fetchAtAPace();
    last().answer("HTTP/1.1 200 OK\r\nA: ");
    trickle("x", 7_500);
    assertThat(seen.over()).isFalse();
    trickle("x", 1_500);
    failsAsTooSlow(seen);
  }

  @Test
  void endsContentThatTrickles() {
    Listening seen = fetchAtAPace();
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    trickle("x", 7_500);
    assertThat(seen.over()).isFalse();
    trickle("x", 1_500);
    failsAsTooSlow(seen);
  }

  @Test
  void endsAChunkThatTrickles() {
    Listening seen = fetchAtAPace();
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n");
    trickle("x", 9_000);
    failsAsTooSlow(seen);
  }

  @Test
  void waitsForAnOriginThatThinks() {
    Listening seen = fetchAtAPace();
    pass(60_000);
    last().answer("HTTP/1.1 103 Early Hints\r\n\r\n");
    pass(60_000);
    assertThat(seen.over()).isFalse();
    seen.stream.cancel();
  }

  @Test
  void waitsForTheNextEventOfAStream() {
    Listening seen = fetchAtAPace();
    last().answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pass(60_000);
    last().answer("1\r\na\r\n");
    pass(60_000);
    last().answer("1\r\nb"); // some end a chunk with the next one
    pass(60_000);
    assertThat(seen.over()).isFalse();
    assertThat(seen.content).hasToString("ab");
    seen.stream.cancel();
  }

  @Test
  void takesContentThatComesFastEnough() {
    Listening seen = fetchAtAPace();
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    trickle("x".repeat(130), 60_000);
    assertThat(seen.over()).isFalse();
    seen.stream.cancel();
  }

  @Test
  void isSilentAfterCancelling() {
    Listening seen = new Listening();
    seen.onContent = () -> seen.stream.cancel();
    fetch(seen, get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    assertThat(seen.events).containsExactly("head 200 LENGTH");
    assertThat(last().open()).isFalse();
  }

  @Test
  void survivesAFaultOfTheListener() {
    Listening seen = new Listening();
    seen.onHead =
        () -> {
          throw new IllegalStateException("fault");
        };
    fetch(seen, get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    assertThat(seen.failure.detail()).contains("fault");
    assertThat(last().open()).isFalse();
    Listening next = fetch(get());
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    assertThat(next.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void measuresItsStages() {
    Listening seen = new Listening();
    fetch(seen, get());
    int sent = last().sent().length();
    String answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    last().answer(answer);
    assertThat(seen.stream.timings().bytesOut).isEqualTo(sent);
    assertThat(seen.stream.timings().bytesIn).isEqualTo(answer.length());
    assertThat(seen.stream.timings().address).isEqualTo("192.0.2.1");
    assertThat(seen.stream.timings().firstByteNanos).isNotNegative();
    assertThat(seen.stream.timings().lastByteNanos).isNotNegative();
    assertThat(seen.stream.timings().attempts).isEqualTo(1);
  }
}
