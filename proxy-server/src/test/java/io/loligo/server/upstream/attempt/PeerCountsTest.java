package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.tunnel.ChannelByteStream;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.StatusSet;
import io.loligo.server.upstream.connect.FakeTransport;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The counts of each parent. */
class PeerCountsTest extends AttemptFixture {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final String NONE = "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno";

  private final Peer first = Settings.parent("a");
  private final Peer second = Settings.parent("b");
  private long sent;

  /** Requests, responses, failures, failures to connect, bytes sent and received. */
  private List<Long> counts(Peer peer) {
    PeerNumbers numbers = health.numbers(List.of(peer)).get(0);
    return Arrays.stream(PeerCount.values())
        .filter(count -> count.compareTo(PeerCount.QUERIES) < 0)
        .map(numbers::value)
        .toList();
  }

  private List<Long> expected(long... counts) {
    return Arrays.stream(counts).boxed().toList();
  }

  /** The bytes that the peer of the last connection has got are {@code sent} from now on. */
  private void noteSent() {
    sent = last().sent().length();
    assertThat(sent).isPositive();
  }

  @Test
  void aParentThatNobodyAskedHasNone() {
    fetch(get());
    last().answer(OK);
    assertThat(counts(first)).containsOnly(0L);
  }

  @Test
  void aRequestAndItsResponseCountWithTheirBytes() {
    Listening seen = fetch(get(), hop(first));
    noteSent();
    assertThat(counts(first)).as("in progress").isEqualTo(expected(1, 0, 0, 0, 0, 0));
    last().answer(OK);
    assertThat(seen.over()).isTrue();
    assertThat(counts(first)).isEqualTo(expected(1, 1, 0, 0, sent, OK.length()));
    fetch(get(), hop(first));
    last().answer(OK);
    assertThat(counts(first))
        .as("on a kept connection")
        .isEqualTo(expected(2, 2, 0, 0, 2 * sent, 2L * OK.length()));
  }

  @Test
  void aParentThatDoesNotAnswerHasFailed() {
    Listening seen = fetch(get(), hop(first), hop(second));
    noteSent();
    last().close();
    settle();
    last().answer(OK);
    assertThat(seen.over()).isTrue();
    assertThat(counts(first)).isEqualTo(expected(1, 0, 1, 0, sent, 0));
    assertThat(counts(second)).isEqualTo(expected(1, 1, 0, 0, sent, OK.length()));
  }

  @Test
  void aResponseThatIsCutIsBoth() {
    Listening seen = fetch(get(), hop(first));
    noteSent();
    String part = OK.substring(0, OK.length() - 1);
    last().answer(part);
    last().close();
    assertThat(seen.failure).isNotNull();
    assertThat(counts(first)).isEqualTo(expected(1, 1, 1, 0, sent, part.length()));
  }

  @Test
  void aResponseThatIsNotWantedCounts() {
    OutgoingRequest request =
        OutgoingRequest.of("GET", Method.GET)
            .authority("origin.example")
            .path(latin1("/path?q"))
            .fieldLines(latin1("Host: origin.example\r\nAccept: */*\r\n"))
            .nextOn(StatusSet.of(404))
            .build();
    Listening seen = fetch(request, hop(first), hop(second));
    noteSent();
    last().answer(NONE);
    settle();
    last().answer(OK);
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(counts(first)).isEqualTo(expected(1, 1, 0, 0, sent, NONE.length()));
    assertThat(counts(second)).isEqualTo(expected(1, 1, 0, 0, sent, OK.length()));
  }

  @Test
  void aParentThatCannotBeReachedGetsNoRequest() {
    transport.usually(FakeTransport.Manner.REFUSE);
    fetch(get(), hop(first));
    assertThat(counts(first)).isEqualTo(expected(0, 0, 0, 1, 0, 0));
  }

  @Test
  void aRequestThatIsGivenUpIsNoFailure() {
    Listening seen = fetch(get(), hop(first));
    noteSent();
    seen.stream.cancel();
    assertThat(counts(first)).isEqualTo(expected(1, 0, 0, 0, sent, 0));
  }

  @Test
  void aTunnelIsARequestAndARefusalAResponse() {
    String open = "HTTP/1.1 200 Connection established\r\n\r\n";
    Listening seen = connect(hop(first));
    noteSent();
    last().answer(open + "early bytes of the tunnel");
    ((ChannelByteStream) seen.stream.detach()).early().release();
    assertThat(counts(first)).isEqualTo(expected(1, 1, 0, 0, sent, open.length()));
    connect(hop(second));
    last().answer(NONE);
    assertThat(counts(second)).isEqualTo(expected(1, 1, 0, 0, sent, NONE.length()));
  }

  @Test
  void aProbeIsNoRequest() {
    Hop hop = hop(first);
    Listening seen = new Listening();
    seen.stream = upstream().probe(hop, check, seen);
    settle();
    assertThat(counts(first)).containsOnly(0L);
    fetch(get(), hop);
    noteSent();
    last().answer(OK);
    assertThat(counts(first)).isEqualTo(expected(1, 1, 0, 0, sent, OK.length()));
  }
}
