package io.loligo.server.shaping;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What an operator sees of the buckets of pools. */
class PoolLevelsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final byte[] CLIENT = {10, 0, 1, 1};
  private static final byte[] OTHER = {10, 0, 1, 2};

  private static DelayPool pool(int kind, @Nullable Rate... rates) {
    return new DelayPool(7, kind, Arrays.asList(rates), 50, AclList.allowAll());
  }

  private static void take(DelayPool pool, byte[] client, String user, long bytes, long nowNanos) {
    Objects.requireNonNull(pool.of(client, user, user, nowNanos)).charge(bytes);
  }

  /** A request of which only the address of the client is asked. */
  private static AclInput fromClient() {
    return (AclInput)
        Proxy.newProxyInstance(
            AclInput.class.getClassLoader(),
            new Class<?>[] {AclInput.class},
            (request, asked, nothing) -> {
              assertThat(asked.getName()).isEqualTo("clientAddress");
              return CLIENT;
            });
  }

  /** Level, maximum, buckets in use and lowest level; {@code -} for one that the pool has not. */
  private static String shown(PoolLevels levels) {
    StringBuilder text = new StringBuilder();
    for (PoolLevel one : PoolLevel.values()) {
      text.append(text.isEmpty() ? "" : " ");
      text.append(levels.has(one) ? String.valueOf(levels.value(one)) : "-");
    }
    return text.toString();
  }

  @Test
  void theBucketForAllIsShownAsItIsNow() {
    DelayPool pool = pool(1, new Rate(1_000, 8_000));
    assertThat(pool.levels(0).name()).isEqualTo("delay_pools 7");
    assertThat(shown(pool.levels(0))).as("as a new one begins").isEqualTo("4000 8000 - -");
    take(pool, CLIENT, "", 5_000, 0);
    assertThat(shown(pool.levels(0))).as("in debt").isEqualTo("-1000 8000 - -");
    assertThat(shown(pool.levels(3 * SECOND))).isEqualTo("2000 8000 - -");
    assertThat(shown(pool.levels(60 * SECOND))).isEqualTo("8000 8000 - -");
  }

  @Test
  void bucketsAreInUseUntilTheyAreFull() {
    DelayPool pool = pool(2, new Rate(10_000, 80_000), new Rate(1_000, 8_000));
    assertThat(shown(pool.levels(0))).isEqualTo("40000 80000 0 -");
    take(pool, CLIENT, "", 1_000, 0);
    take(pool, OTHER, "", 3_000, 0);
    assertThat(shown(pool.levels(0))).isEqualTo("36000 80000 2 1000");
    assertThat(shown(pool.levels(5 * SECOND))).as("one is full").isEqualTo("80000 80000 1 6000");
    assertThat(shown(pool.levels(7 * SECOND))).isEqualTo("80000 80000 0 -");
  }

  /** The network's bucket is full at 500 bytes, less than the lowest of those in use. */
  @Test
  void bucketsOfAllKindsCountAndFullOnesDoNot() {
    DelayPool pool = pool(4, null, new Rate(500, 500), new Rate(10, 8_000), new Rate(20, 9_000));
    take(pool, CLIENT, "bob", 200, 0);
    take(pool, OTHER, "alice", 100, 0);
    assertThat(shown(pool.levels(0))).as("a network, two hosts, two users").isEqualTo("- - 5 -50");
    assertThat(shown(pool.levels(2 * SECOND))).isEqualTo("- - 4 3820");
  }

  @Test
  void aTagHasABucketAndThereIsNoneForAll() {
    DelayPool pool = pool(5, new Rate(1_000, 8_000));
    take(pool, CLIENT, "one", 500, 0);
    assertThat(shown(pool.levels(0))).isEqualTo("- - 1 3500");
  }

  @Test
  void aPoolWithoutLimitsShowsNothing() {
    assertThat(shown(pool(2, null, null).levels(0))).isEqualTo("- - - -");
  }

  @Test
  void poolsOfClientsAndResponsesShowTheirs() {
    ClientPool clients = new ClientPool(1, new Rate(1_000, 8_000), 50, AclList.allowAll());
    Objects.requireNonNull(clients.of(CLIENT, 0)).charge(1_000);
    assertThat(shown(clients.levels(0))).isEqualTo("- - 1 3000");
    Rate each = new Rate(10, 10);
    ResponsePool responses =
        new ResponsePool("films", each, new Rate(1_000, 8_000), 50, AclList.allowAll());
    Objects.requireNonNull(responses.ofResponse(0)).charge(1_000);
    assertThat(shown(responses.levels(0))).isEqualTo("7000 8000 - -");
  }

  @Test
  void ratesShowWholeRequests() {
    RequestRate.Key key = new RequestRate.Key(RequestRate.Kind.ADDRESS, 32, 64, "");
    Rate rate = new Rate(RequestRate.UNITS, 4 * RequestRate.UNITS);
    RequestRate requests = new RequestRate("a", key, rate, false, AclList.allowAll());
    Bucket bucket = Objects.requireNonNull(requests.of(fromClient(), 0));
    assertThat(requests.admits(bucket, 0)).isTrue();
    assertThat(requests.admits(bucket, 0)).isTrue();
    assertThat(shown(requests.levels(0))).isEqualTo("- - 1 2");
    assertThat(shown(requests.levels(SECOND / 2))).as("two and a half").isEqualTo("- - 1 2");
    assertThat(shown(requests.levels(2 * SECOND))).isEqualTo("- - 0 -");
    assertThat(List.of(PoolLevel.values())).allMatch(PoolLevel::isGauge);
  }
}
