package io.loligo.server.upstream.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKerberos;
import io.loligo.server.upstream.PeerTokens.Made;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tokens on a thread for each peer, with a centre of the test's. */
class KerberosPeersTest {
  private static final PeerKerberos A = new PeerKerberos("a.example", "/keys", "bob");
  private static final PeerKerberos B = new PeerKerberos("b.example", "/keys", "bob");

  private final AtomicLong seconds = new AtomicLong(1_000);
  private final AtomicInteger made = new AtomicInteger();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch answers = new CountDownLatch(1);
  private final EventExecutor loop = new DefaultEventExecutor();
  private volatile boolean fails;
  private final KerberosPeers peers =
      new KerberosPeers(
          new TimeSource() {
            @Override
            public long nanos() {
              return TimeUnit.SECONDS.toNanos(seconds.get());
            }

            @Override
            public long millis() {
              return TimeUnit.SECONDS.toMillis(seconds.get());
            }
          },
          of -> () -> token(of));

  private byte[] token(PeerKerberos of) throws LoginException {
    int number = made.incrementAndGet();
    if (of.equals(B)) {
      begun.countDown();
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new LoginException("interrupted");
      }
    }
    if (fails) {
      throw new LoginException("no key");
    }
    return new byte[] {(byte) number};
  }

  @AfterEach
  void stop() throws InterruptedException {
    answers.countDown();
    peers.close();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).await();
  }

  private CompletableFuture<Made> ask(PeerKerberos of) {
    CompletableFuture<Made> told = new CompletableFuture<>();
    peers.next(of, loop, told::complete);
    return told;
  }

  private static Made told(CompletableFuture<Made> asked) throws Exception {
    return asked.get(30, TimeUnit.SECONDS);
  }

  @Test
  void eachRequestHasATokenOfItsOwnAndNoTextShowsIt() throws Exception {
    Made first = told(ask(A));
    assertThat(first.credentials()).isEqualTo("Negotiate AQ==");
    assertThat(first.toString()).doesNotContain("AQ==");
    seconds.addAndGet(KerberosPeers.SLOW_SECONDS + 1);
    assertThat(told(ask(A)).credentials()).isEqualTo("Negotiate Ag==");
  }

  @Test
  void afterAFailureRequestsFailAtOnceForAWhile() throws Exception {
    fails = true;
    assertThat(told(ask(A)).why()).isEqualTo("a.example: no Kerberos token: no key");
    fails = false;
    seconds.addAndGet(KerberosPeers.PAUSE_SECONDS - 1);
    assertThat(ask(A)).isCompletedWithValue(new Made(null, "a.example: no Kerberos token: no key"));
    assertThat(made).hasValue(1);
    seconds.addAndGet(1);
    assertThat(told(ask(A)).credentials()).isEqualTo("Negotiate Ag==");
  }

  @Test
  void requestsThatWaitFailWithTheOneBeforeThem() throws Exception {
    fails = true;
    CompletableFuture<Made> first = ask(B);
    CompletableFuture<Made> second = ask(B);
    assertThat(second).isNotDone();
    answers.countDown();
    assertThat(told(first).why()).isEqualTo("b.example: no Kerberos token: no key");
    assertThat(told(second)).isEqualTo(told(first));
    assertThat(made).hasValue(1);
  }

  @Test
  void aTokenArrivesOnTheLoopThatAsks() throws Exception {
    CompletableFuture<Boolean> onLoop = new CompletableFuture<>();
    peers.next(A, loop, token -> onLoop.complete(loop.inEventLoop()));
    assertThat(onLoop.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theEndInterruptsACentreThatHangs() throws Exception {
    CompletableFuture<Made> hangs = ask(B);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    peers.close();
    assertThat(told(hangs).why()).isEqualTo("b.example: no Kerberos token: interrupted");
  }

  @Test
  void requestsToAPeerThatIsGoneStillGetTheirTokens() throws Exception {
    CompletableFuture<Made> hangs = ask(B);
    CompletableFuture<Made> waits = ask(B);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    peers.use(List.of());
    answers.countDown();
    assertThat(told(hangs).credentials()).isEqualTo("Negotiate AQ==");
    assertThat(told(waits).credentials()).isEqualTo("Negotiate Ag==");
  }

  @Test
  void aCentreThatHangsDelaysNoOtherPeerAndNoFurtherRequest() throws Exception {
    CompletableFuture<Made> hangs = ask(B);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(told(ask(A)).credentials()).startsWith("Negotiate ");
    seconds.addAndGet(KerberosPeers.SLOW_SECONDS);
    CompletableFuture<Made> waits = ask(B);
    assertThat(waits).isNotDone();
    seconds.addAndGet(1);
    assertThat(ask(B))
        .isCompletedWithValue(
            new Made(null, "b.example: the key distribution centre does not answer"));
    assertThat(hangs).isNotDone();
    answers.countDown();
    assertThat(told(hangs).credentials()).startsWith("Negotiate ");
    assertThat(told(waits).credentials()).startsWith("Negotiate ");
  }

  @Test
  void soManyRequestsWait() throws Exception {
    ask(B);
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < KerberosPeers.MOST_WAITING; i++) {
      assertThat(ask(B)).isNotDone();
    }
    assertThat(ask(B))
        .isCompletedWithValue(
            new Made(null, "b.example: too many requests wait for a Kerberos token"));
  }

  @Test
  void aPeerThatIsGoneIsForgotten() throws Exception {
    fails = true;
    assertThat(told(ask(A)).credentials()).isNull();
    fails = false;
    peers.use(List.of(Peer.parent("a", "a.example", 3128).kerberos(A).build()));
    assertThat(told(ask(A)).credentials()).as("it is known").isNull();
    peers.use(List.of(Peer.parent("b", "b.example", 3128).build()));
    assertThat(told(ask(A)).credentials()).isEqualTo("Negotiate Ag==");
  }
}
