package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.share.AppliedPurges;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.CapturedLog;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Upstream;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests of a node to itself before it owns keys, with a clock and a way of the test. */
class OwnRequestsTest {
  private static final Member SELF =
      new Member(
          new NodeRun(new UUID(0, 1), 1),
          "self",
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 7800),
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 7801),
          100,
          true,
          1);

  private final CapturedLog log = new CapturedLog(OwnRequests.class);
  private final FakeSteps steps = new FakeSteps();
  private final SharedRing shared =
      new SharedRing(SELF.id(), steps::nanos, null, new AppliedPurges(() -> true), 1, 10, false);
  private final ItsOwnWay way = new ItsOwnWay();
  private final List<Runnable> removals = new ArrayList<>();
  private int ends;

  private void begin() {
    new OwnRequests(
            steps,
            shared,
            SELF,
            task -> task.accept(way),
            (CacheKey key, Runnable then) -> removals.add(then),
            () -> ends++)
        .begin();
  }

  @AfterEach
  void endLog() {
    log.close();
  }

  private void answer(int status) {
    way.answer(status);
    steps.pass(0);
  }

  private void removeAll() {
    while (!removals.isEmpty()) {
      removals.remove(0).run();
      steps.pass(0);
    }
  }

  @Test
  void asksForMissesHitsAndWhatIsNotStored() {
    begin();
    for (int status : new int[] {200, 200, 200, 200, 504}) {
      String port = way.lines().get(1);
      assertThat(shared.isOwnRequest(port)).isTrue();
      assertThat(shared.isOwnRequest(port + "x")).isFalse();
      answer(status);
    }
    assertThat(way.asked)
        .containsExactly(
            "/loligo-own-request/4096 shared",
            "/loligo-own-request/4096 shared",
            "/loligo-own-request/65536",
            "/loligo-own-request/65536",
            "/loligo-own-request/1 shared only-if-cached");
    assertThat(ends).as("what it stored is removed first").isZero();
    assertThat(removals).hasSize(1);
    removeAll();
    assertThat(ends).isEqualTo(1);
    assertThat(shared.isOwnRequest(way.lines().get(1))).as("the secret is over").isFalse();
    assertThat(log.lines()).hasSize(1).first().asString().contains("has asked itself");
    assertThat(steps.waiting()).isZero();
  }

  @Test
  void aStatusThatIsNotExpectedEndsThem() {
    begin();
    answer(421);
    removeAll();
    assertThat(ends).isEqualTo(1);
    assertThat(way.asked).hasSize(1);
    assertThat(log.lines())
        .hasSize(1)
        .first()
        .asString()
        .contains("4096: status 421 (expected: 200)", "; next: ");
  }

  @Test
  void aFailureEndsThem() {
    begin();
    way.events.failed(new FetchFailure(FetchFailure.Kind.CONNECT_FAILED, "refused"));
    steps.pass(0);
    removeAll();
    assertThat(ends).isEqualTo(1);
    assertThat(log.lines()).hasSize(1).first().asString().contains("refused", "; next: ");
  }

  @Test
  void aNodeThatDoesNotAnswerItselfOwnsKeysAfterATime() {
    begin();
    steps.pass(OwnRequests.LIMIT_NANOS - 1);
    assertThat(ends).isZero();
    steps.pass(1);
    assertThat(ends).isEqualTo(1);
    assertThat(way.cancelled).isTrue();
    assertThat(log.lines()).hasSize(1).first().asString().contains("not over in 10 s; ");
    removeAll();
    assertThat(ends).isEqualTo(1);
  }

  /** A disk may hang. */
  @Test
  void aRemovalThatDoesNotEndIsNotWaitedFor() {
    begin();
    answer(421);
    steps.pass(OwnRequests.LIMIT_NANOS);
    assertThat(ends).isEqualTo(1);
    assertThat(log.lines()).as("the failure alone").hasSize(1);
    removeAll();
    assertThat(ends).isEqualTo(1);
  }

  /** Takes requests, which the test answers. */
  private static final class ItsOwnWay implements Upstream {
    final List<String> asked = new ArrayList<>();
    private OriginEvents events;
    private Hop hop;
    private boolean cancelled;

    /** The values of the fields for nodes. */
    List<String> lines() {
      return hop.form().peerHop().lines().stream().map(line -> line.value()).toList();
    }

    void answer(int status) {
      byte[] bytes = ("HTTP/1.1 " + status + " X\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
      ResponseHead head = new ResponseHead();
      new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head);
      OriginEvents asking = events;
      asking.head(head, 0);
      asking.end(null);
    }

    @Override
    public OriginStream fetch(
        List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents told) {
      events = told;
      hop = hops.get(0);
      String path = new String(request.path(), StandardCharsets.US_ASCII);
      String small = hop.node().sharesConnection() ? " shared" : "";
      String stored = hop.form().cacheControl() == null ? "" : " " + hop.form().cacheControl();
      asked.add(path + small + stored);
      assertThat(hop.host()).isEqualTo("127.0.0.1");
      assertThat(hop.port()).isEqualTo(7801);
      return new Asked();
    }

    private final class Asked implements OriginStream {
      @Override
      public void read() {}

      @Override
      public void cancel() {
        cancelled = true;
      }

      @Override
      public void content(ByteBuf content) {
        throw new AssertionError();
      }

      @Override
      public void endContent(io.loligo.core.message.@Nullable Fields trailers) {
        throw new AssertionError();
      }

      @Override
      public boolean writable() {
        return true;
      }

      @Override
      public ByteStream detach() {
        throw new AssertionError();
      }

      @Override
      public FetchTimings timings() {
        throw new AssertionError();
      }
    }

    @Override
    public OriginStream connect(
        List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents told) {
      throw new AssertionError();
    }

    @Override
    public OriginStream probe(Hop unused, AddressCheck check, OriginEvents told) {
      throw new AssertionError();
    }

    @Override
    public void verify(
        TlsOptions options,
        String server,
        List<X509Certificate> chain,
        Consumer<List<TlsFault>> done) {
      throw new AssertionError();
    }

    @Override
    public @Nullable List<InetAddress> resolved(String host) {
      throw new AssertionError();
    }

    @Override
    public void resolve(String host, Consumer<List<InetAddress>> done) {
      throw new AssertionError();
    }
  }
}
