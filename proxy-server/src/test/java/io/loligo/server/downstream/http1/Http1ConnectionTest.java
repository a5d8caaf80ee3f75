package io.loligo.server.downstream.http1;

import static io.loligo.server.downstream.http1.ScriptedClient.block;
import static io.loligo.server.downstream.http1.ScriptedClient.bytes;
import static io.loligo.server.downstream.http1.ScriptedClient.get;
import static io.loligo.server.downstream.http1.ScriptedClient.head;
import static io.loligo.server.downstream.http1.ScriptedClient.reply;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.downstream.http1.ScriptedClient.Events;
import io.loligo.server.downstream.http1.ScriptedClient.Note;
import io.loligo.server.downstream.listen.SimulatedListeners;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.tunnel.ChannelByteStream;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Http1ConnectionTest {
  private ScriptedClient client = new ScriptedClient();

  @AfterEach
  void nothingIsLeft() {
    client.close();
    assertThat(client.loop.counters().headBytes()).as("kept for heads").isZero();
  }

  private void use(ScriptedClient other) {
    client.close();
    client = other;
  }

  private Note onlyNote() {
    assertThat(client.notes).hasSize(1);
    return client.notes.get(0);
  }

  /** TLS copies the gathered bytes, and a client that reads nothing keeps the copy. */
  @Test
  void gathersMoreWithoutTlsThanWithIt() throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(false);
    EmbeddedChannel secure = new EmbeddedChannel(new SslHandler(engine));
    Http1Stream encrypted =
        new Http1Stream(client.connection, null, secure.pipeline().firstContext());
    Http1Stream plain =
        new Http1Stream(client.connection, null, client.channel.pipeline().firstContext());
    assertThat(encrypted.gatheredBytes()).isEqualTo(512 << 10);
    assertThat(plain.gatheredBytes()).isEqualTo(1 << 20);
    secure.finishAndReleaseAll();
  }

  @Nested
  class Heads {
    @Test
    void answersARequestCutAtEveryPosition() {
      String request = "GET /some/path HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\n\r\n";
      for (int cut = 1; cut < request.length(); cut++) {
        client.channel.peerSends(request.substring(0, cut));
        client.poisonScratch();
        assertThat(client.targets).as("cut at %d", cut).hasSize(cut - 1);
        client.channel.peerSends(request.substring(cut));
        client.poisonScratch();
        assertThat(client.channel.received()).as("cut at %d", cut).isEqualTo(reply("/some/path"));
        assertThat(client.notes.get(cut - 1).clientBytesIn()).isEqualTo(request.length());
      }
    }

    @Test
    void countsHeadsUntilTheirRequestIsAnswered() {
      Events events = client.later();
      String request = get("/a");
      client.channel.peerSends(request.substring(0, 10));
      assertThat(client.loop.counters().headBytes()).isEqualTo(10);
      client.channel.peerSends(request.substring(10));
      assertThat(client.loop.counters().headBytes()).isEqualTo(request.length());
      client.channel.run(() -> ScriptedClient.head(events.stream, 204, 0, true));
      assertThat(client.loop.counters().headBytes()).isZero();
    }

    @Test
    void shedsHeadsInPiecesAndLargeOnesWhereHeadsTakeAllTheyMay() {
      use(
          new ScriptedClient(
              ScriptedClient.with(
                  config ->
                      config
                          .with(LimitDirectives.REQUEST_HEADER_MAX_SIZE, 65_536)
                          .with(LimitDirectives.MAX_URI_LENGTH, 8_192)
                          .with(LimitDirectives.MAX_HEADER_FIELDS, 256)
                          .with(LimitDirectives.MAX_CHUNK_EXTENSION, 4_096)
                          .with(LimitDirectives.MAX_TRAILER, 16_384))));
      long others = Runtime.getRuntime().maxMemory();
      client.loop.counters().headsKept(others);
      client.channel.peerSends(get("/whole"));
      assertThat(client.channel.received()).isEqualTo(reply("/whole"));
      client.channel.peerSends(get("/" + "x".repeat(Http1Connection.HEAD_READ_BYTES)));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 429 ");
      client.channel.peerSends("GET /piece HTTP/1.1\r\n");
      assertThat(client.channel.received()).startsWith("HTTP/1.1 429 ");
      assertThat(client.channel.finSent()).isTrue();
      assertThat(client.targets).containsExactly("/whole");
      client.loop.counters().headsKept(-others);
    }

    @Test
    void answersARequestSentByteByByte() {
      for (char one : get("/a").toCharArray()) {
        client.channel.peerSends(String.valueOf(one));
        client.poisonScratch();
      }
      assertThat(client.channel.received()).isEqualTo(reply("/a"));
      assertThat(onlyNote().target()).isEqualTo("/a");
    }

    @Test
    void answersPipelinedRequestsInOrder() {
      client.channel.peerSends(get("/1") + get("/22") + get("/333"));
      assertThat(client.channel.received()).isEqualTo(reply("/1") + reply("/22") + reply("/333"));
      assertThat(client.notes).extracting(Note::target).containsExactly("/1", "/22", "/333");
    }

    @Test
    void startsNoPipelinedRequestBeforeTheOneBeforeItIsAnswered() {
      Events events = client.later();
      client.channel.peerSends(get("/slow") + get("/fast") + get("/fa").substring(0, 9));
      assertThat(client.targets).containsExactly("/slow");
      client.run(
          () -> {
            head(events.stream, 200, 2, false);
            events.stream.content(bytes(events.stream, "ok"));
            events.stream.end(null);
          });
      assertThat(client.targets).containsExactly("/slow", "/fast");
      assertThat(client.channel.received()).endsWith("\r\n\r\nok" + reply("/fast"));
    }

    @Test
    void readsNoMoreThanOnceWhilePipelinedBytesWait() {
      client.later();
      client.channel.peerSends(get("/slow"));
      client.channel.peerSends(get("/b"));
      client.channel.peerSends(get("/c"));
      assertThat(client.channel.unreadSegments()).isEqualTo(1);
    }

    @Test
    void recordOfAnUnfinishedExchangeIsIndependentOfTheScratch() {
      Events events = client.later();
      client.scripts.clear();
      client.scripts.add(
          (stream, head, contentLength) -> {
            events.stream = stream;
            RequestTarget target = new RequestTarget();
            target.resolve(head, "http", null, true);
            stream.record().target = target;
            return events;
          });
      client.channel.peerSends("GET /path?q HTTP/1.1\r\nHost: example.org\r\nA: b\r\n\r\n");
      client.poisonScratch();
      ExchangeRecord record = events.stream.record();
      assertThat(record.request.target()).isEqualTo("/path?q");
      assertThat(record.request.fields().value(1)).isEqualTo("b");
      assertThat(record.target.url()).isEqualTo("http://example.org/path?q");
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(onlyNote().target()).isEqualTo("/path?q");
    }

    @Test
    void ignoresEmptyLinesBeforeARequest() {
      client.channel.peerSends(get("/1") + "\r\n");
      client.channel.peerSends("\r\n" + get("/2"));
      assertThat(client.channel.received()).isEqualTo(reply("/1") + reply("/2"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void countsEmptyLinesHoweverTheyAreCut(int size) {
      String four = "\r\n".repeat(4);
      String all = four + get("/1") + four + get("/2") + four + "\r\n";
      for (int at = 0; at < all.length(); at += size) {
        client.channel.peerSends(all.substring(at, Math.min(all.length(), at + size)));
      }
      assertThat(client.channel.received())
          .startsWith(reply("/1") + reply("/2") + "HTTP/1.1 400 Bad Request\r\n");
      assertThat(client.refusals).containsExactly(ParseFailure.BAD_REQUEST_LINE);
    }

    @Test
    void refusesAMalformedHeadAndCloses() {
      client.channel.peerSends("GET / HTTP/1.1\r\nHost : h\r\n\r\n" + get("/smuggled"));
      assertThat(client.refusals).containsExactly(ParseFailure.BAD_FIELD_NAME);
      assertThat(client.targets).isEmpty();
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      assertThat(client.channel.finSent()).isTrue();
      assertThat(onlyNote().method()).isEqualTo("-");
      assertThat(onlyNote().url()).isEqualTo("error:invalid-request");
      assertThat(onlyNote().status()).isEqualTo(400);
    }

    @Test
    void refusesAmbiguousFraming() {
      client.channel.peerSends(
          "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0");
      assertThat(client.refusals)
          .containsExactly(ParseFailure.CONTENT_LENGTH_WITH_TRANSFER_ENCODING);
      assertThat(onlyNote().method()).isEqualTo("POST");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void refusesAHeadBeyondTheLimitHoweverItIsCut() {
      client.channel.peerSends("GET / HTTP/1.1\r\nHost: h\r\nX: ");
      for (int i = 0; i < 3; i++) {
        client.channel.peerSends("x".repeat(900));
      }
      assertThat(client.refusals).containsExactly(ParseFailure.HEAD_TOO_LARGE);
      assertThat(client.channel.received()).startsWith("HTTP/1.1 431 ");
      assertThat(onlyNote().url()).isEqualTo("error:request-too-large");
    }

    @Test
    void bytesOfARefusedClientAreDroppedUntilItCloses() {
      client.channel.peerSends("?\r\n\r\n");
      assertThat(client.channel.finSent()).isTrue();
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.peerSends("x".repeat(5_000));
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.peerFins();
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.notes).hasSize(1);
    }

    @Test
    void lingersNoLongerThanTwoSeconds() {
      client.channel.peerSends("?\r\n\r\n");
      client.channel.pass(1_900);
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.pass(400);
      assertThat(client.channel.isOpen()).isFalse();
    }
  }

  @Nested
  class Answers {
    @ParameterizedTest
    @CsvSource({
      "/x,1.1,'',false,''",
      "/x,1.1,Connection: close,true,close",
      "/x,1.1,'Connection: x, Close',true,close",
      "/x,1.1,Proxy-Connection: close,true,close",
      "/x,1.1,Connection: keep-alive,false,''",
      "/x,1.0,'',true,close",
      "/x,1.0,Connection: keep-alive,false,keep-alive",
      "/x,1.0,Proxy-Connection: Keep-Alive,true,close",
      "http://h/,1.0,Connection: keep-alive,true,close",
      "http://h/,1.0,Proxy-Connection: Keep-Alive,true,close",
    })
    void keepsOrClosesAsTheClientAsked(
        String target, String version, String field, boolean closes, String connection) {
      String line = field.isEmpty() ? "" : field + "\r\n";
      String head = "GET " + target + " HTTP/" + version + "\r\nHost: h\r\n";
      client.channel.peerSends(head + line + "\r\n");
      String expected = connection.isEmpty() ? "" : "Connection: " + connection + "\r\n";
      String length = "Content-Length: " + target.length() + "\r\n";
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 200 OK\r\n" + expected + length + "X: y\r\n\r\n" + target);
      assertThat(client.channel.isOpen()).isEqualTo(!closes);
    }

    @Test
    void closesWhereConnectionsAreNotToBeKept() {
      use(
          new ScriptedClient(
              ScriptedClient.with(ClientDirectives.CLIENT_PERSISTENT_CONNECTIONS, false)));
      client.channel.peerSends(get("/x"));
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void closesAfterTheConfiguredNumberOfRequests() {
      use(new ScriptedClient(ScriptedClient.with(ClientDirectives.MAX_REQUESTS_PER_CONNECTION, 2)));
      client.channel.peerSends(get("/1"));
      assertThat(client.channel.received()).isEqualTo(reply("/1"));
      client.channel.peerSends(get("/2"));
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void noResetMeetsARequestThatCrossesOurFin() {
      client.scripts.add(ScriptedClient::okAndClose);
      client.channel.peerSends(get("/1"));
      assertThat(client.channel.finSent()).isTrue();
      client.channel.peerSends(get("/2"));
      assertThat(client.channel.isOpen()).isTrue();
      assertThat(client.targets).containsExactly("/1");
      client.channel.peerFins();
      assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void closesWhereTheExchangeAsksForIt() {
      client.scripts.add(ScriptedClient::okAndClose);
      client.channel.peerSends(get("/x"));
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void announcesTheLengthToHeadWithoutContent() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            block(stream, 200, "X: y\r\n\r\n", 12, true);
            return null;
          });
      client.channel.peerSends("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 200 OK\r\nContent-Length: 12\r\nX: y\r\n\r\n");
      assertThat(client.channel.isOpen()).isTrue();
    }

    @Test
    void dropsContentOfferedForHead() {
      Events events = client.later();
      client.channel.peerSends("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
      client.run(
          () -> {
            head(events.stream, 200, ContentLength.UNKNOWN, false);
            events.stream.content(bytes(events.stream, "content"));
            events.stream.end(null);
          });
      assertThat(client.channel.received()).isEqualTo("HTTP/1.1 200 OK\r\nX: y\r\n\r\n");
      assertThat(client.channel.isOpen()).isTrue();
    }

    @Test
    void announcesNoLengthWithoutContent() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            head(stream, 204, ContentLength.NONE, true);
            return null;
          });
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).isEqualTo("HTTP/1.1 204 No Content\r\nX: y\r\n\r\n");
    }

    @Test
    void chunksContentOfUnknownLength() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.run(
          () -> {
            head(events.stream, 200, ContentLength.UNKNOWN, false);
            events.stream.flush();
          });
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.run(
          () -> {
            events.stream.content(bytes(events.stream, "data: 1\n\n"));
            events.stream.flush();
          });
      assertThat(client.channel.received()).isEqualTo("9\r\ndata: 1\n\n\r\n");
      client.run(() -> events.stream.content(bytes(events.stream, "z".repeat(20_000))));
      assertThat(client.channel.received()).as("before the flush").isEmpty();
      client.run(() -> events.stream.end(trailers("Sum: 1")));
      assertThat(client.channel.received())
          .isEqualTo("4e20\r\n" + "z".repeat(20_000) + "\r\n0\r\nSum: 1\r\n\r\n");
      assertThat(client.channel.isOpen()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"5,5", "20000,4e20"})
    void chunksContentInTheHeadsBlock(int length, String size) {
      String content = "c".repeat(length);
      client.scripts.add(
          (stream, head, contentLength) -> {
            block(stream, 200, "A: b\r\n\r\n" + content, ContentLength.UNKNOWN, true);
            return null;
          });
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received())
          .isEqualTo(
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n"
                  + size
                  + "\r\n"
                  + content
                  + "\r\n0\r\n\r\n");
    }

    @Test
    void gathersLargeContentAndCountsItsHead() {
      String content = "c".repeat(30_000);
      client.scripts.add(
          (stream, head, contentLength) -> {
            block(stream, 200, "A: b\r\n\r\n" + content, 40_000, false);
            stream.content(bytes(stream, "d".repeat(10_000)));
            stream.end(null);
            return null;
          });
      client.channel.peerSends(get("/"));
      String expected = "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\nA: b\r\n\r\n";
      assertThat(client.channel.received()).isEqualTo(expected + content + "d".repeat(10_000));
      assertThat(onlyNote().clientHeadBytesOut()).isEqualTo(expected.length());
      assertThat(onlyNote().clientBytesOut()).isEqualTo(expected.length() + 40_000);
    }

    @Test
    void endsContentOfUnknownLengthWithTheConnectionForHttp10() {
      Events events = client.later();
      client.channel.peerSends("GET http://h/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
      client.run(
          () -> {
            head(events.stream, 200, ContentLength.UNKNOWN, false);
            events.stream.content(bytes(events.stream, "abc"));
            events.stream.end(null);
          });
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 200 OK\r\nX: y\r\nConnection: close\r\n\r\nabc");
      assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void cutsAnAnswerShorterThanAnnounced() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.run(
          () -> {
            head(events.stream, 200, 10, false);
            events.stream.content(bytes(events.stream, "abc"));
            events.stream.end(null);
          });
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(onlyNote().errorDetail()).isEqualTo("response shorter than announced");
    }

    @Test
    void sendsNothingBeyondTheAnnouncedLength() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.run(
          () -> {
            head(events.stream, 200, 2, false);
            events.stream.content(bytes(events.stream, "abc"));
            events.stream.end(null);
          });
      assertThat(client.channel.received()).endsWith("\r\n\r\n");
      assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void abortFlushesWrittenBytesAndCloses() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.run(
          () -> {
            head(events.stream, 200, ContentLength.UNKNOWN, false);
            events.stream.content(bytes(events.stream, "abc"));
            events.stream.abort("origin broke off");
          });
      assertThat(client.channel.received()).endsWith("3\r\nabc\r\n");
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(events.log).isEmpty();
      assertThat(onlyNote().errorDetail()).isEqualTo("origin broke off");
    }

    private void earlyHints(Events events, String... fieldLines) {
      String head = "HTTP/1.1 103 x\r\n" + lines(fieldLines);
      client.run(() -> events.stream.interim(interim(head), new FieldLines(0)));
    }

    @Test
    void passesInterimAnswersOnWithoutHopByHopFields() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      earlyHints(events, "Link: </a>", "Connection: foo", "Foo: 1", "Keep-Alive: 3");
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(onlyNote().status()).isEqualTo(200);
    }

    /** As in final responses: the same means find the fields to drop. */
    @Test
    void keepsFieldsOfInterimResponsesThatConnectionMustNotRemove() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      earlyHints(
          events,
          "Date: x",
          "Content-Security-Policy: y",
          "Connection: date, content-security-policy",
          "Content-Length: 0");
      assertThat(client.channel.received())
          .isEqualTo("HTTP/1.1 103 Early Hints\r\nDate: x\r\nContent-Security-Policy: y\r\n\r\n");
    }

    @Test
    void sendsNoInterimAnswerToHttp10() {
      Events events = client.later();
      client.channel.peerSends("GET / HTTP/1.0\r\n\r\n");
      client.run(
          () ->
              events.stream.interim(
                  interim("HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n"), new FieldLines(0)));
      assertThat(client.channel.received()).isEmpty();
    }

    @Test
    void tellsWhenItTakesContentAgain() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.socketTakes(0);
      client.run(
          () -> {
            head(events.stream, 200, 100_000, false);
            events.stream.content(bytes(events.stream, "x".repeat(70_000)));
            events.stream.flush();
          });
      assertThat(events.stream.writable()).isFalse();
      assertThat(events.log).isEmpty();
      client.channel.socketTakes(60_000);
      assertThat(events.log).isEmpty();
      client.channel.socketTakes(60_000);
      assertThat(events.log).containsExactly("writable");
      assertThat(events.stream.writable()).isTrue();
    }

    @Test
    void tellsOfWritabilityGainedInAFlushAfterTheCallReturned() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.run(
          () -> {
            head(events.stream, 200, 100_000, false);
            events.stream.content(bytes(events.stream, "x".repeat(70_000)));
            events.stream.flush();
            assertThat(events.log).isEmpty();
          });
      assertThat(events.log).containsExactly("writable");
    }
  }

  @Nested
  class Contents {
    private static final String POST = "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n";
    private static final String CHUNKED =
        "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

    @Test
    void deliversContentOnlyWhenAskedFor() {
      Events events = client.later();
      client.channel.peerSends(POST + "abc");
      assertThat(events.log).isEmpty();
      client.run(() -> events.stream.readContent());
      assertThat(events.log).containsExactly("content abc");
      client.channel.peerSends("def" + get("/next"));
      assertThat(events.log).hasSize(1);
      client.run(() -> events.stream.readContent());
      assertThat(events.log).containsExactly("content abc", "content def");
      client.run(() -> events.stream.readContent());
      assertThat(events.log).containsExactly("content abc", "content def", "end");
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.targets).containsExactly("/p", "/next");
      assertThat(client.notes.get(0).clientBytesIn()).isEqualTo(POST.length() + 6);
    }

    @Test
    void keepsAtMostOneUnwantedRead() {
      client.later();
      client.channel.peerSends(POST);
      client.channel.peerSends("ab");
      client.channel.peerSends("cd");
      client.channel.peerSends("ef");
      assertThat(client.channel.unreadSegments()).isEqualTo(2);
    }

    @Test
    void decodesChunkedContentCutAtEveryPosition() {
      String content = "3\r\nabc\r\n5;x=y\r\ndefgh\r\n0\r\nSum: 1\r\n\r\n";
      for (int cut = 1; cut < content.length(); cut++) {
        Events events = client.laterReading();
        client.channel.peerSends(CHUNKED + content.substring(0, cut));
        client.channel.peerSends(content.substring(cut));
        StringBuilder all = new StringBuilder();
        events.log.forEach(event -> all.append(event.replace("content ", "")));
        assertThat(all.toString()).as("cut at %d", cut).isEqualTo("abcdefghend 1");
        client.run(() -> head(events.stream, 200, 0, true));
        assertThat(client.channel.isOpen()).isTrue();
        assertThat(client.notes.get(cut - 1).clientBytesIn())
            .isEqualTo(CHUNKED.length() + content.length());
      }
    }

    @Test
    void smallChunksThatArriveTogetherAreDeliveredTogether() {
      Events events = client.laterReading();
      client.channel.peerSends(CHUNKED);
      String content = "1\r\na\r\n".repeat(300) + "400\r\n" + "b".repeat(1_024) + "\r\n";
      client.channel.peerSends(content + "0\r\n\r\n" + get("/next"));
      String delivered = "content " + "a".repeat(300) + "b".repeat(1_024);
      assertThat(events.log).containsExactly(delivered, "end 0");
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.targets).containsExactly("/p", "/next");
      assertThat(client.notes.get(0).clientBytesIn())
          .isEqualTo(CHUNKED.length() + content.length() + 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "xyz\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"})
    void aMalformedChunkAfterSmallOnesFailsAsWell(String malformed) {
      Events events = client.laterReading();
      client.channel.peerSends(CHUNKED);
      client.channel.peerSends("1\r\na\r\n1\r\nb\r\n" + malformed);
      assertThat(events.log).containsExactly("content ab", "failed BAD_CHUNK_SIZE");
      client.run(() -> head(events.stream, 400, 0, true));
      assertThat(client.channel.finSent()).isTrue();
      assertThat(client.targets).containsExactly("/p");
    }

    @Test
    void malformedChunksFailTheContentAndTheConnection() {
      Events events = client.laterReading();
      client.channel.peerSends(CHUNKED);
      client.channel.peerSends("xyz\r\n" + get("/smuggled"));
      assertThat(events.log).containsExactly("failed BAD_CHUNK_SIZE");
      client.run(() -> head(events.stream, 400, 0, true));
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
      assertThat(client.targets).containsExactly("/p");
    }

    @Test
    void dropsUnreadContentToKeepTheConnection() {
      client.scripts.add(ScriptedClient::ok);
      client.channel.peerSends(POST + "abc");
      assertThat(client.channel.received()).isEqualTo(reply("/p"));
      client.channel.peerSends("def" + get("/next"));
      assertThat(client.channel.received()).isEqualTo(reply("/next"));
    }

    @Test
    void closesRatherThanReadingMuchUnwantedContent() {
      client.channel.peerSends(
          "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n" + "abc");
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void givesUpOnUnwantedChunkedContentBeyondTheBound() {
      client.channel.peerSends(CHUNKED);
      assertThat(client.channel.received()).isEqualTo(reply("/p"));
      for (int i = 0; i < 5; i++) {
        client.channel.peerSends("4000\r\n" + "x".repeat(0x4000) + "\r\n");
      }
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void sendsContinueOnceWhenAskedTo() {
      Events events = client.later();
      client.channel.peerSends(POST.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
      assertThat(client.channel.received()).isEmpty();
      client.run(
          () -> {
            events.stream.sendContinue();
            events.stream.sendContinue();
          });
      assertThat(client.channel.received()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
      client.run(() -> events.stream.readContent());
      client.channel.peerSends("abcdef");
      assertThat(events.log).containsExactly("content abcdef");
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.channel.isOpen()).isTrue();
      String received = client.channel.received();
      assertThat(onlyNote().clientBytesOut()).isEqualTo(received.length() + 25);
      assertThat(onlyNote().clientHeadBytesOut()).isEqualTo(received.length() + 25);
    }

    @Test
    void sendsNoContinueToAClientThatDoesNotWait() {
      Events events = client.later();
      client.channel.peerSends(
          POST.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n") + "abc");
      client.run(() -> events.stream.sendContinue());
      assertThat(client.channel.received()).isEmpty();
    }

    @Test
    void closesWhereTheClientWasNotToldToContinue() {
      client.channel.peerSends(POST.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void endsContentAtOnceWhereThereIsNone() {
      Events events = client.laterReading();
      client.channel.peerSends(get("/"));
      assertThat(events.log).containsExactly("end");
    }
  }

  @Nested
  class Endings {
    @Test
    void countsBytesThatTheSocketTookOfAnAbortedResponse() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.socketTakes(0);
      client.run(
          () -> {
            head(events.stream, 200, 100_000, false);
            events.stream.content(bytes(events.stream, "x".repeat(1_000)));
            events.stream.content(bytes(events.stream, "y".repeat(1_000)));
            events.stream.flush();
          });
      client.channel.socketTakes(700);
      client.channel.socketTakes(900);
      client.channel.peerResets();
      assertThat(client.channel.received()).hasSize(1_600);
      assertThat(onlyNote().clientBytesOut()).isEqualTo(1_600);
      assertThat(onlyNote().aborted()).isTrue();
      assertThat(events.log).containsExactly("gone");
    }

    @Test
    void finishesTheRecordWhenTheLastByteIsWritten() {
      Events events = client.later();
      client.channel.peerSends(get("/") + get("/next"));
      client.channel.socketTakes(0);
      client.run(() -> block(events.stream, 200, "\r\nhello", 5, true));
      client.poisonScratch();
      assertThat(client.notes).isEmpty();
      client.channel.socketTakes(42);
      assertThat(client.notes).isEmpty();
      client.nanos += 77;
      client.channel.socketTakes(Long.MAX_VALUE);
      assertThat(client.notes).extracting(Note::target).containsExactly("/", "/next");
      assertThat(client.notes.get(0).aborted()).isFalse();
      assertThat(client.notes.get(0).clientBytesOut()).isEqualTo(43);
      assertThat(client.notes.get(0).replyNanos()).isEqualTo(77);
      assertThat(events.log).isEmpty();
    }

    @Test
    void aClientGoneBeforeTheEndIsWrittenIsAborted() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.socketTakes(10);
      client.run(() -> block(events.stream, 200, "\r\nhello", 5, true));
      client.channel.peerVanishes();
      assertThat(onlyNote().aborted()).isTrue();
      assertThat(onlyNote().clientBytesOut()).isEqualTo(10);
      assertThat(events.log).as("the exchange had ended").isEmpty();
    }

    @Test
    void noticesAClientThatLeavesDuringALongMiss() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      assertThat(client.channel.reading()).isTrue();
      client.channel.peerResets();
      assertThat(events.log).containsExactly("gone");
      assertThat(onlyNote().aborted()).isTrue();
      assertThat(onlyNote().status()).isZero();
      client.run(
          () -> {
            head(events.stream, 200, 3, false);
            events.stream.content(client.channel.allocator().buffer().writeZero(3));
            events.stream.end(null);
          });
      assertThat(client.channel.received()).isEmpty();
      assertThat(client.notes).hasSize(1);
    }

    @Test
    void answersAClientThatShutItsOutputAndCloses() {
      Events events = client.later();
      client.channel.peerSends(get("/") + get("/second"));
      client.channel.peerFins();
      assertThat(events.log).isEmpty();
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.channel.received()).endsWith(reply("/second"));
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.notes).extracting(Note::aborted).containsExactly(false, false);
    }

    @Test
    void contentCutByAFinIsAnAbort() {
      Events events = client.laterReading();
      client.channel.peerSends("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc");
      client.channel.peerFins();
      assertThat(events.log).containsExactly("content abc", "gone");
      assertThat(onlyNote().aborted()).isTrue();
      assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void aFinWhileIdleClosesWithoutARecord() {
      client.channel.peerSends(get("/"));
      client.channel.peerFins();
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.notes).hasSize(1);
    }

    @Test
    void aConnectionWithoutARequestLeavesNoRecord() {
      client.channel.peerFins();
      assertThat(client.notes).isEmpty();
    }

    @Test
    void anIncompleteHeadLeavesARecord() {
      client.channel.peerSends("GET / HT");
      client.channel.peerFins();
      assertThat(onlyNote().url()).isEqualTo("error:transaction-end-before-headers");
      assertThat(onlyNote().clientBytesIn()).isEqualTo(8);
      assertThat(onlyNote().status()).isZero();
    }

    @Test
    void ourOwnFailureIsAnsweredWith500() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            throw new IllegalStateException("expected by this test");
          });
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received())
          .isEqualTo(
              lines(
                  "HTTP/1.1 500 Internal Server Error", "Connection: close", "Content-Length: 0"));
      assertThat(client.channel.finSent()).isTrue();
      assertThat(onlyNote().status()).isEqualTo(500);
    }

    @Test
    void ourOwnFailureAfterTheHeadCutsTheAnswer() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            head(stream, 200, 10, false);
            throw new IllegalStateException("expected by this test");
          });
      client.channel.peerSends(get("/"));
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(onlyNote().status()).isEqualTo(200);
    }

    @Test
    void recordKnowsItsClientPortAndStages() {
      client.nanos += 500;
      client.scripts.add(
          (stream, head, contentLength) -> {
            client.nanos += 40;
            return ScriptedClient.ok(stream, head, contentLength);
          });
      client.channel.peerSends(get("/"));
      Note note = onlyNote();
      assertThat(note.clientText()).isEqualTo("192.0.2.7");
      assertThat(note.portName()).isEqualTo("3128");
      assertThat(note.method()).isEqualTo("GET");
      assertThat(note.connectNanos()).isEqualTo(500);
      assertThat(note.replyNanos()).as("its own work before the head").isEqualTo(40);
      assertThat(note.totalNanos()).isEqualTo(40);
      assertThat(client.stream.clientConnections()).isEqualTo(1);
    }
  }

  @Nested
  class Times {
    @Test
    void closesAConnectionThatSendsNothingSilently() {
      client.channel.pass(4_900);
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.pass(400);
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.channel.received()).isEmpty();
      assertThat(client.notes).isEmpty();
    }

    @Test
    void answersAHeadThatDoesNotEndWith408() {
      client.channel.peerSends("GET / HTTP/1.1\r\n");
      for (int i = 0; i < 9; i++) {
        client.channel.pass(800);
        client.channel.peerSends("X: " + i + "\r\n");
      }
      client.channel.pass(700);
      assertThat(client.channel.received()).isEmpty();
      client.channel.pass(400);
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 Request Timeout\r\n");
      assertThat(onlyNote().status()).isEqualTo(408);
      assertThat(onlyNote().timedOut()).isTrue();
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void closesAKeptConnectionThatStaysIdle() {
      client.channel.peerSends(get("/"));
      client.channel.pass(2_900);
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.peerSends(get("/"));
      client.channel.pass(2_900);
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.pass(400);
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.notes).hasSize(2);
    }

    @Test
    void aLongMissIsNotIdle() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.pass(600_000);
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 200");
    }

    @Test
    void contentThatStopsComingFails() {
      Events events = client.laterReading();
      client.channel.peerSends("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc");
      client.channel.pass(19_000);
      assertThat(events.log).containsExactly("content abc");
      client.channel.pass(1_500);
      assertThat(events.log).containsExactly("content abc", "failed TOO_SLOW");
      client.run(() -> head(events.stream, 408, 0, true));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 ").contains("close");
      assertThat(onlyNote().timedOut()).isTrue();
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void contentThatStopsComingBehindItsAnswerIsAnAbort() {
      Events events = client.laterReading();
      client.channel.peerSends("POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc");
      client.run(() -> head(events.stream, 200, 5, false));
      client.channel.pass(20_500);
      assertThat(events.log).containsExactly("content abc", "gone");
      assertThat(onlyNote().timedOut()).isTrue();
    }

    @Test
    void aClientThatTakesNothingIsCutOff() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.socketTakes(0);
      client.run(
          () -> {
            head(events.stream, 200, 1_000, false);
            events.stream.content(bytes(events.stream, "x".repeat(500)));
            events.stream.flush();
          });
      client.channel.pass(9_000);
      client.channel.socketTakes(100);
      client.channel.pass(9_000);
      assertThat(client.channel.isOpen()).isTrue();
      client.channel.pass(1_500);
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(events.log).containsExactly("gone");
      assertThat(onlyNote().clientBytesOut()).isEqualTo(100);
      assertThat(onlyNote().timedOut()).isTrue();
    }

    @Test
    void noConnectionOutlivesItsLifetime() {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.pass(86_400_300);
      assertThat(events.log).containsExactly("gone");
      assertThat(client.channel.isOpen()).isFalse();
    }

    @Test
    void aSuspendedProcessTimesNoClientOut() {
      client.channel.advanceTimeBy(10, TimeUnit.MINUTES);
      client.channel.runPendingTasks();
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).isEqualTo(reply("/"));
      client.channel.advanceTimeBy(10, TimeUnit.MINUTES);
      client.channel.runPendingTasks();
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).isEqualTo(reply("/"));
    }
  }

  @Nested
  class Crowds {
    private void limited(int connections, int requests) {
      use(
          new ScriptedClient(
              ScriptedClient.with(
                  config ->
                      config
                          .with(ClientDirectives.CLIENT_IP_MAX_CONNECTIONS, connections)
                          .with(ClientDirectives.CLIENT_IP_MAX_REQUESTS, requests))));
    }

    @Test
    void aConnectionBeyondTheLimitOfItsAddressIsClosed() {
      limited(0, 0);
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(client.notes).isEmpty();
    }

    @Test
    void connectionsUpToTheLimitAreServed() {
      limited(1, 0);
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).isEqualTo(reply("/"));
    }

    @Test
    void aRequestIsInProgressUntilItsAnswerIsTaken() {
      limited(-1, 1);
      ClientAddresses.Count others = client.addresses.opened(ScriptedClient.ADDRESS);
      Events events = client.later();
      client.channel.peerSends(get("/"));
      assertThat(others.begin()).isEqualTo(2);
      others.end();
      client.run(() -> head(events.stream, 200, 0, true));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 200 ");
      assertThat(others.begin()).isEqualTo(1);
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 429 ");
      others.end();
      client.channel.peerSends(get("/"));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 200 ");
      client.addresses.closed(others);
    }
  }

  @Nested
  class Paces {
    private static final String POST =
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 10000\r\n\r\n";
    private static final String SLOW = "arrives too slowly";

    @BeforeEach
    void asked() {
      use(
          new ScriptedClient(
              ScriptedClient.with(
                  config ->
                      config
                          .with(ClientDirectives.MIN_REQUEST_RATE, 240)
                          .with(ClientDirectives.MIN_ANSWER_RATE, 240)
                          .with(TimeoutDirectives.RATE_WINDOW, 4_000L))));
    }

    /** The peer sends {@code text} every 500 ms for {@code millis}. */
    private void trickle(String text, long millis) {
      for (long left = millis; left > 0; left -= 500) {
        client.channel.peerSends(text);
        client.channel.pass(500);
      }
    }

    @Test
    void aHeadOfTwoBytesASecondIsAnswered408() {
      client.channel.peerSends("GET / HTTP/1.1\r\nA: ");
      trickle("x", 3_500);
      assertThat(client.channel.received()).isEmpty();
      trickle("x", 1_500);
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 ");
      assertThat(onlyNote().errorDetail()).contains(SLOW);
      assertThat(onlyNote().timedOut()).isTrue();
    }

    @Test
    void aByteInEveryTickIsTooSlow() {
      client.channel.peerSends("GET / HTTP/1.1\r\nA: ");
      for (int i = 0; i < 50; i++) {
        client.channel.peerSends("x");
        client.channel.pass(100);
      }
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 ");
    }

    @Test
    void aHeadThatComesFastEnoughHasItsTime() {
      client.channel.peerSends("GET / HTTP/1.1\r\nA: ");
      trickle("x".repeat(120), 7_000);
      client.channel.peerSends("\r\nHost: h\r\n\r\n");
      assertThat(client.channel.received()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aFastHeadDoesNotOutliveItsTime() {
      client.channel.peerSends("GET / HTTP/1.1\r\nA: ");
      trickle("x".repeat(100), 7_500);
      assertThat(client.channel.received()).isEmpty();
      trickle("x".repeat(100), 1_000);
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 ");
      assertThat(onlyNote().errorDetail()).isNull();
    }

    @Test
    void contentOfTwoBytesASecondFails() {
      Events events = client.laterReading();
      client.channel.peerSends(POST);
      trickle("x", 3_500);
      assertThat(events.log).doesNotContain("failed TOO_SLOW");
      trickle("x", 1_500);
      assertThat(events.log).contains("failed TOO_SLOW");
      client.run(() -> head(events.stream, 408, 0, true));
      assertThat(client.channel.received()).startsWith("HTTP/1.1 408 ");
      assertThat(onlyNote().errorDetail()).contains(SLOW);
    }

    @Test
    void chunkedContentOfTwoBytesASecondFails() {
      Events events = client.laterReading();
      client.channel.peerSends("POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.channel.peerSends("1;");
      trickle("e", 5_000);
      assertThat(events.log).containsExactly("failed TOO_SLOW");
      client.run(() -> head(events.stream, 408, 0, true));
    }

    @Test
    void contentThatComesFastEnoughHasAllTheTime() {
      Events events = client.laterReading();
      client.channel.peerSends(POST);
      trickle("x".repeat(125), 500 * 10_000 / 125);
      assertThat(events.log).endsWith("end").doesNotContain("failed TOO_SLOW");
    }

    @Test
    void unreadContentIsNotOwed() {
      Events events = client.later();
      client.channel.peerSends(POST + "x");
      client.channel.pass(60_000);
      client.run(events.stream::readContent);
      client.channel.pass(3_500);
      assertThat(events.log).containsExactly("content x");
      events.stream.loop();
      client.run(events.stream::readContent);
      client.channel.pass(5_000);
      assertThat(events.log).containsExactly("content x", "failed TOO_SLOW");
    }

    @Test
    void contentIsNotOwedBeforeTheClientIsToldToContinue() {
      Events events = client.laterReading();
      client.channel.peerSends(POST.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
      client.channel.pass(15_000);
      assertThat(events.log).isEmpty();
      client.run(events.stream::sendContinue);
      client.channel.pass(3_500);
      assertThat(events.log).isEmpty();
      client.channel.pass(1_000);
      assertThat(events.log).containsExactly("failed TOO_SLOW");
    }

    private Events answering(int bytes) {
      Events events = client.later();
      client.channel.peerSends(get("/"));
      client.channel.socketTakes(0);
      client.run(
          () -> {
            head(events.stream, 200, 10_000, false);
            events.stream.content(bytes(events.stream, "x".repeat(bytes)));
            events.stream.flush();
          });
      return events;
    }

    /** The socket takes {@code bytes} every 500 ms for {@code millis}. */
    private void taking(int bytes, long millis) {
      for (long left = millis; left > 0; left -= 500) {
        client.channel.socketTakes(bytes);
        client.channel.pass(500);
      }
    }

    @Test
    void aClientThatTakesTwoBytesASecondIsCutOff() {
      Events events = answering(5_000);
      taking(1, 3_500);
      assertThat(client.channel.isOpen()).isTrue();
      taking(1, 1_500);
      assertThat(client.channel.isOpen()).isFalse();
      assertThat(events.log).containsExactly("gone");
      assertThat(onlyNote().timedOut()).isTrue();
      assertThat(onlyNote().errorDetail()).contains("too slowly");
    }

    @Test
    void aClientThatTakesEnoughHasAllTheTime() {
      answering(9_000);
      taking(120, 30_000);
      assertThat(client.channel.isOpen()).isTrue();
    }

    @Test
    void aClientThatTookAllThereIsMayWait() {
      Events events = answering(500);
      client.channel.socketTakes(Long.MAX_VALUE);
      client.channel.pass(3_600_000);
      assertThat(client.channel.isOpen()).isTrue();
      client.run(
          () -> {
            events.stream.content(bytes(events.stream, "x".repeat(9_500)));
            events.stream.end(null);
          });
      assertThat(onlyNote().aborted()).isFalse();
    }

    @Test
    void anIdleConnectionOwesNothing() {
      client.channel.peerSends(get("/"));
      client.channel.pass(2_900);
      assertThat(client.channel.isOpen()).isTrue();
    }
  }

  @Nested
  class Tunnels {
    @Test
    void givesTheConnectionAwayWithTheBytesAfterTheHead() {
      Events events = client.later();
      client.channel.peerSends("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\nhello");
      client.run(
          () -> {
            events.stream.head(
                OutgoingHead.of(200, new FieldLines(8)).content(ContentLength.NONE, false));
            ChannelByteStream detached = (ChannelByteStream) events.stream.detach();
            assertThat(detached.early().toString(StandardCharsets.US_ASCII)).isEqualTo("hello");
            detached.early().release();
            assertThat(detached.channel().pipeline().get(Http1Connection.class)).isNull();
          });
      assertThat(client.channel.received()).isEqualTo("HTTP/1.1 200 OK\r\n\r\n");
      assertThat(client.notes).isEmpty();
      client.channel.peerVanishes();
      assertThat(client.loop.open()).isEqualTo(1);
      client.run(() -> events.stream.tunnelEnded(5, 100));
      assertThat(onlyNote().clientBytesOut()).isEqualTo(19 + 100);
      assertThat(onlyNote().clientBytesIn()).isEqualTo(39 + 5);
      client.run(() -> events.stream.tunnelEnded(5, 100));
      assertThat(client.notes).hasSize(1);
    }

    @Test
    void endsAsAWholeWhereItsTimeIsOver() {
      Events events = client.later();
      client.channel.peerSends("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n");
      List<String> ends = new ArrayList<>();
      client.run(
          () -> {
            events.stream.head(
                OutgoingHead.of(200, new FieldLines(8)).content(ContentLength.NONE, false));
            ((ChannelByteStream) events.stream.detach()).early().release();
            events.stream.tunnelBegun(() -> ends.add("both ends"));
          });
      client.run(() -> SimulatedListeners.endConnections(List.of(client.loop), 0, 0));
      client.channel.runScheduledPendingTasks();
      client.run(() -> events.stream.tunnelEnded(0, 0));
      assertThat(ends).containsExactly("both ends");
      client.channel.peerVanishes();
    }

    @Test
    void upgradesTheConnection() {
      Events events = client.later();
      client.channel.peerSends(
          "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
      client.run(
          () -> {
            events.stream.head(
                OutgoingHead.of(101, new FieldLines(8).add("Upgrade", "websocket"))
                    .content(ContentLength.NONE, false));
            ((ChannelByteStream) events.stream.detach()).early().release();
            events.stream.tunnelEnded(0, 0);
          });
      assertThat(client.channel.received())
          .isEqualTo(
              lines(
                  "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: upgrade"));
    }

    @Test
    void bytesAfterARefusedConnectAreNotARequest() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            head(stream, 403, 0, true);
            return null;
          });
      client.channel.peerSends(
          "CONNECT h:25 HTTP/1.1\r\nHost: h:25\r\n\r\n" + get("http://inside/"));
      assertThat(client.targets).containsExactly("h:25");
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
    }

    @Test
    void noRequestFollowsARefusedConnect() {
      client.scripts.add(
          (stream, head, contentLength) -> {
            head(stream, 403, 0, true);
            return null;
          });
      client.channel.peerSends("CONNECT h:25 HTTP/1.1\r\nHost: h:25\r\n\r\n");
      assertThat(client.channel.received()).contains("Connection: close\r\n");
      assertThat(client.channel.finSent()).isTrue();
      client.channel.peerSends(get("http://inside/"));
      assertThat(client.targets).containsExactly("h:25");
    }
  }

  private static String lines(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  private static ResponseHead interim(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    ResponseHead head = new ResponseHead();
    Http1ResponseParser parser = new Http1ResponseParser(ParseLimits.DEFAULT);
    assertThat(parser.parse(bytes, bytes.length, head))
        .isEqualTo(Http1ResponseParser.Result.COMPLETE);
    return head;
  }

  private static Fields trailers(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.ISO_8859_1);
    Fields fields = new Fields(1);
    fields.clear(bytes);
    int colon = line.indexOf(':');
    fields.add(FieldName.OTHER, 0, colon, colon + 2, bytes.length);
    return fields;
  }
}
