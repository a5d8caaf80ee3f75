package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.Store;
import io.loligo.store.memory.Entry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Crowds of clients on one object: one fetch, or none that waits in vain. */
class HerdWireTest extends WireTest {
  private static final int CROWD = 300;
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String[] STALE_AT_ONCE = {
    "Cache-Control: max-age=1, stale-while-revalidate=1000", "Age: 100"
  };

  private final CountDownLatch release = new CountDownLatch(1);

  @Override
  int eventLoops() {
    return 2;
  }

  private List<RawClient> crowdOn(String path) throws Exception {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      clients.add(client().get(origin.url(path)));
    }
    return clients;
  }

  private static void assertAllGet(List<RawClient> clients, String text) throws Exception {
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo(text);
    }
  }

  /** Soon or at once stale, and fresh for long when it was validated, which waits for release. */
  private void onShort(String path, String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("ETag: \"a\"");
    origin.on(
        path,
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("shared", all.toArray(String[]::new));
            return;
          }
          await(release);
          call.send("HTTP/1.1 304 Not Modified\r\n" + FRESH + "\r\nETag: \"a\"\r\n\r\n");
        });
  }

  /** Asks until it is not fresh any more, never the origin. */
  private void awaitExpiryOf(String path) throws Exception {
    while (get(path, "Cache-Control: only-if-cached").status() == 200) {
      Thread.onSpinWait();
    }
  }

  @Test
  void fetchesAColdObjectOnce() throws Exception {
    startProxy();
    origin.on(
        "/cold",
        call -> {
          await(release);
          call.ok("shared", FRESH);
        });
    List<RawClient> clients = crowdOn("/cold");
    release.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/cold")).isEqualTo(1);
  }

  @Test
  void validatesAnExpiringObjectOnce() throws Exception {
    startProxy();
    onShort("/old", "Cache-Control: max-age=1");
    assertThat(get("/old").text()).isEqualTo("shared");
    awaitExpiryOf("/old");
    List<RawClient> clients = crowdOn("/old");
    release.countDown();
    assertAllGet(clients, "shared");
    assertThat(origin.fetches("/old")).isEqualTo(2);
  }

  @Test
  void validatesInTheBackgroundOnce() throws Exception {
    startProxy();
    onShort("/swr", STALE_AT_ONCE);
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertAllGet(crowdOn("/swr"), "shared");
    release.countDown();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(origin.fetches("/swr")).isEqualTo(2);
  }

  @Test
  void sharesTheFailureOfAFetch() throws Exception {
    startProxy();
    origin.on(
        "/broken",
        call -> {
          await(release);
          call.send("HTTP/2.9 nonsense\r\n\r\n");
          call.close();
        });
    List<RawClient> clients = crowdOn("/broken");
    origin.awaitRequest("/broken");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().status()).isEqualTo(502);
    }
    // who came when it had failed already has caused another: some, not one each
    assertThat(origin.fetches("/broken")).isLessThan(CROWD / 10);
  }

  /** The answers come only when the requests of two clients are there at once. */
  @Test
  void doesNotWaitAgainForWhatCouldNotBeShared() throws Exception {
    startProxy("loligo_event_loops 1");
    CyclicBarrier both = new CyclicBarrier(2);
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/own",
        call -> {
          if (!first.getAndSet(false)) {
            both.await(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
          }
          call.ok("own", "Cache-Control: private");
        });
    assertThat(get("/own").text()).isEqualTo("own");
    RawClient one = client().get(origin.url("/own"));
    RawClient other = client().get(origin.url("/own"));
    assertThat(one.response().text()).isEqualTo("own");
    assertThat(other.response().text()).isEqualTo("own");
  }

  @Test
  void waitsAgainForWhatCanBeSharedByNow() throws Exception {
    startProxy("loligo_event_loops 1");
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/later",
        call -> {
          if (first.getAndSet(false)) {
            call.ok("private", "Cache-Control: private");
          } else {
            call.ok("shared", "Cache-Control: max-age=1", "ETag: \"a\"");
          }
        });
    assertThat(get("/later").text()).isEqualTo("private");
    assertThat(get("/later").text()).isEqualTo("shared");
    awaitExpiryOf("/later");
    origin.on(
        "/later",
        call -> {
          await(release);
          call.ok("new", FRESH);
        });
    List<RawClient> clients = crowdOn("/later");
    release.countDown();
    assertAllGet(clients, "new");
    assertThat(origin.fetches("/later")).isEqualTo(3);
  }

  @Test
  void waitsForAnotherNoLongerThanSet() throws Exception {
    startProxy("loligo_event_loops 1", "loligo_collapsed_wait 200 milliseconds");
    AtomicBoolean first = new AtomicBoolean(true);
    origin.on(
        "/slow",
        call -> {
          if (first.getAndSet(false)) {
            await(release);
          }
          call.ok("answer", FRESH);
        });
    RawClient slow = client().get(origin.url("/slow"));
    origin.awaitRequest("/slow");
    assertThat(get("/slow").text()).isEqualTo("answer");
    release.countDown();
    assertThat(slow.response().text()).isEqualTo("answer");
  }

  /** A fetch that ended between this client's look and its own fetch. */
  @Test
  void findsWhatWasStoredSinceItLooked() throws Exception {
    AtomicBoolean blind = new AtomicBoolean();
    proxy = ProxyUnderTest.start(configuration(), 0, store -> blindOnce(store, blind));
    origin.onOk("/between", "stored", FRESH);
    assertThat(get("/between").text()).isEqualTo("stored");
    blind.set(true);
    WireMessage second = get("/between");
    assertThat(blind).isFalse();
    assertThat(second.text()).isEqualTo("stored");
    assertHit(second);
    assertThat(origin.fetches("/between")).isEqualTo(1);
  }

  /** The same for a validation behind a client's back. */
  @Test
  void doesNotValidateWhatWasValidatedSinceItLooked() throws Exception {
    AtomicReference<Entry> old = new AtomicReference<>();
    AtomicBoolean remembered = new AtomicBoolean();
    AtomicBoolean replay = new AtomicBoolean();
    proxy =
        ProxyUnderTest.start(
            configuration(),
            0,
            store ->
                seenThrough(
                    store,
                    found -> {
                      if (replay.getAndSet(false)) {
                        found.release();
                        return old.getAndSet(null);
                      }
                      if (remembered.compareAndSet(false, true)) {
                        found.tryRetain();
                        old.set(found);
                      }
                      return found;
                    }));
    onShort("/swr", STALE_AT_ONCE);
    release.countDown();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(get("/swr").text()).as("stale, and validated behind it").isEqualTo("shared");
    // stale answers end when the validation has
    while (get("/swr").field("Cache-Status").contains("ttl=-")) {
      Thread.onSpinWait();
    }
    replay.set(true);
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(replay).isFalse();
    assertThat(get("/swr").text()).isEqualTo("shared");
    assertThat(origin.fetches("/swr")).isEqualTo(2);
  }

  private static Store blindOnce(Store store, AtomicBoolean blind) {
    return seenThrough(
        store,
        found -> {
          if (found != null && blind.getAndSet(false)) {
            found.release();
            return null;
          }
          return found;
        });
  }

  /** {@code store}, but what it finds goes through {@code lens} first, which takes it. */
  private static Store seenThrough(Store store, UnaryOperator<Entry> lens) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(store, arguments);
                boolean found = method.getName().equals("find") && answer != null;
                return found ? lens.apply((Entry) answer) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
