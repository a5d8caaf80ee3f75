package io.loligo.server.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.HttpDate;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.config.Configs;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.route.PeerAnswer;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.server.upstream.route.PeerQuestion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches of digests, and looks into them, on a virtual clock. */
class PeerDigestTest {
  private static final String URL = "http://o.example/one";
  private static final String OTHER = "http://o.example/two";
  private static final String TWO_SIBLINGS =
      "cache_peer a.example sibling 3128 0 no-query name=a\n"
          + "cache_peer b.example sibling 3128 0 no-query name=b\n";

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nanos() {
          return channel.eventLoop().ticker().nanoTime();
        }

        @Override
        public long millis() {
          return 1_000_000_000_000L + TimeUnit.NANOSECONDS.toMillis(nanos());
        }
      };
  private final PeerHealth health = new PeerHealth(time::nanos);
  private final PeerDigests digests = new PeerDigests(channel.eventLoop(), time, health);
  private final LoopTimer timer = new LoopTimer(channel.eventLoop(), time);

  /** The fetches so far. */
  private final List<OriginEvents> fetches = new ArrayList<>();

  private int cancelled;
  private final OriginStream stream = fake(OriginStream.class);
  private final Upstream upstream = fake(Upstream.class);
  private final OwnWay way = new OwnWay(upstream, (address, port) -> null, timer, health, () -> 0);
  private List<Peer> peers = List.of();
  private final List<List<Peer>> queries = new ArrayList<>();
  private boolean queriesAsk;
  private final PeerAsking asking =
      digests.before(
          new PeerAsking() {
            @Override
            public boolean asks(Peer peer) {
              return queriesAsk;
            }

            @Override
            public void ask(PeerQuestion question, Consumer<PeerAnswer> then) {
              queries.add(question.peers());
              then.accept(PeerAnswer.NOBODY);
            }
          });

  /** Notes fetches and cancels. */
  private <T> T fake(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              switch (method.getName()) {
                case "fetch" -> {
                  fetches.add((OriginEvents) arguments[3]);
                  return stream;
                }
                case "cancel" -> cancelled++;
                case "read" -> {}
                default -> throw new UnsupportedOperationException(method.getName());
              }
              return null;
            }));
  }

  @BeforeEach
  void freeze() {
    channel.freezeTime();
  }

  private void use(String lines) {
    peers = Configs.of(lines).get(PeerDirectives.CACHE_PEER);
    digests.use(peers, way);
  }

  private PeerAnswer ask(String url, Fields fields) {
    List<Peer> asked = peers.stream().filter(asking::asks).toList();
    List<PeerAnswer> answers = new ArrayList<>();
    if (asked.isEmpty()) {
      return PeerAnswer.NOBODY;
    }
    asking.ask(new PeerQuestion(url, URI.create(url).getHost(), fields, asked), answers::add);
    channel.runPendingTasks();
    assertThat(answers).hasSize(1);
    return answers.get(0);
  }

  private PeerAnswer ask(String url) {
    return ask(url, new Fields(1));
  }

  private void pass(long seconds) {
    for (long passed = 0; passed < seconds; passed++) {
      for (int tick = 0; tick < 10; tick++) {
        channel.advanceTimeBy(LoopTimer.TICK_MILLIS, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
      }
    }
    channel.runPendingTasks();
  }

  /** Half a second more than the time of a timeout, which may be two ticks late. */
  private void passAndABit(long seconds) {
    pass(seconds + 1);
  }

  private static ResponseHead head(int status, @Nullable Long expiresMillis) {
    ResponseHead head = new ResponseHead();
    FieldLines date = new FieldLines(32);
    if (expiresMillis != null) {
      HttpDate.append(date, expiresMillis);
    }
    byte[] bytes = ("Expires" + new String(date.toBytes(), US_ASCII)).getBytes(US_ASCII);
    head.clear(bytes);
    head.statusLine(1, status, 0, 0);
    if (expiresMillis != null) {
      head.fields().add(FieldName.EXPIRES, 0, 7, 7, bytes.length);
    }
    return head;
  }

  private static byte[] digest(int urls, String... has) {
    DigestFilter filter = DigestFilter.empty(urls, 5);
    for (String url : has) {
      filter.add(Objects.requireNonNull(CacheKeys.of(url)));
    }
    return filter.bytes();
  }

  private OriginEvents last() {
    return fetches.get(fetches.size() - 1);
  }

  private static void content(OriginEvents fetch, byte[] bytes) {
    ByteBuf content = Unpooled.wrappedBuffer(bytes);
    fetch.content(content);
    assertThat(content.refCnt()).isZero();
  }

  private static void answer(OriginEvents fetch, @Nullable Long expiresMillis, byte[] bytes) {
    fetch.head(head(200, expiresMillis), bytes.length);
    content(fetch, bytes);
    fetch.end(null);
  }

  private long count(int peer, PeerCount count) {
    return health.numbers(peers).get(peer).value(count);
  }

  private static PeerAnswer sibling(String name) {
    return new PeerAnswer(name, HierarchyCode.CD_SIBLING_HIT, false);
  }

  @Test
  void theFirstRequestLetsDigestsBeFetchedAndDoesNotWait() {
    use(TWO_SIBLINGS);
    pass(1000);
    assertThat(fetches).as("nobody has asked").isEmpty();
    assertThat(ask(URL)).isEqualTo(PeerAnswer.NOBODY);
    assertThat(ask(URL)).isEqualTo(PeerAnswer.NOBODY);
    assertThat(fetches).hasSize(2);
    answer(fetches.get(0), null, digest(100, OTHER));
    answer(fetches.get(1), null, digest(100, URL));
    assertThat(ask(URL)).isEqualTo(sibling("b"));
    assertThat(ask(OTHER)).isEqualTo(sibling("a"));
    assertThat(count(0, PeerCount.DIGEST_HITS)).isEqualTo(1);
    assertThat(count(0, PeerCount.DIGEST_MISSES)).isEqualTo(1);
    assertThat(count(1, PeerCount.DIGEST_HITS)).isEqualTo(1);
    assertThat(count(1, PeerCount.DIGEST_MISSES)).isZero();
    assertThat(digests.bytes()).isEqualTo(160);
  }

  @Test
  void aParentsDigestHasACodeOfItsOwn() {
    use("cache_peer a.example sibling 3128 0\ncache_peer b.example parent 3128 0\n");
    ask(URL);
    answer(fetches.get(1), null, digest(100, URL));
    assertThat(ask(URL)).isEqualTo(new PeerAnswer("b.example", HierarchyCode.CD_PARENT_HIT, false));
  }

  @Test
  void onlyDigestsThatMayChangeAChoiceAreFetched() {
    use("cache_peer a.example parent 3128 0\n");
    assertThat(asking.asks(peers.get(0))).as("the only peer").isFalse();
    use(
        "cache_peer a.example sibling 3128 0 no-digest\n"
            + "cache_peer b.example parent 80 0 originserver\n"
            + "cache_peer 224.0.0.9 multicast 3128 3130\n");
    assertThat(peers).noneMatch(asking::asks);
    use("cache_peer a.example sibling 3128 0\n");
    assertThat(peers).allMatch(asking::asks);
  }

  @Test
  void queriesFollowWhereNoDigestHasTheUrl() {
    use(TWO_SIBLINGS);
    queriesAsk = true;
    ask(URL);
    assertThat(queries).containsExactly(peers);
    answer(fetches.get(0), null, digest(100, URL));
    ask(URL);
    assertThat(queries).hasSize(1);
    ask(OTHER);
    assertThat(queries).hasSize(2);
  }

  @Test
  void aRequestWithCredentialsIsNotLookedFor() {
    use(TWO_SIBLINGS);
    ask(URL);
    answer(fetches.get(0), null, digest(100, URL));
    Fields fields = new Fields(1);
    fields.clear("Authorization".getBytes(US_ASCII));
    fields.add(FieldName.AUTHORIZATION, 0, 13, 13, 13);
    assertThat(ask(URL, fields)).isEqualTo(PeerAnswer.NOBODY);
    assertThat(ask(URL)).isEqualTo(sibling("a"));
  }

  @Test
  void aDeadPeersDigestIsLeftOut() {
    use(TWO_SIBLINGS);
    ask(URL);
    answer(fetches.get(0), null, digest(100, URL));
    answer(fetches.get(1), null, digest(100, URL));
    health.answers("a", false);
    assertThat(ask(URL)).isEqualTo(sibling("b"));
  }

  @Test
  void aDigestIsFetchedAgainAfterItExpires() {
    use("cache_peer a.example sibling 3128 0 name=a\n");
    ask(URL);
    answer(last(), time.millis() + 3_600_000, digest(100, URL));
    pass(3_600 + PeerDigest.GAP_SECONDS - 1);
    assertThat(fetches).hasSize(1);
    pass(2);
    assertThat(fetches).hasSize(2);
    assertThat(ask(URL)).as("the old one is used on").isEqualTo(sibling("a"));
    answer(last(), null, digest(100, OTHER));
    assertThat(ask(URL)).isEqualTo(PeerAnswer.NOBODY);
    pass(PeerDigest.GAP_SECONDS - 1);
    assertThat(fetches).hasSize(2);
    pass(2);
    assertThat(fetches).as("no Expires: in the shortest time").hasSize(3);
    answer(last(), time.millis() - 1_000_000, digest(100, OTHER));
    passAndABit(PeerDigest.GAP_SECONDS);
    assertThat(fetches).as("it has expired").hasSize(4);
    answer(last(), time.millis() + 1_000_000_000_000L, digest(100, OTHER));
    pass(PeerDigest.MAX_WAIT_SECONDS - 1);
    assertThat(fetches).hasSize(4);
    pass(2);
    assertThat(fetches).as("at the latest").hasSize(5);
  }

  @Test
  void failuresLeaveNoDigestAndAreRepeatedLaterAndLater() {
    use("cache_peer a.example sibling 3128 0 name=a\n");
    ask(URL);
    answer(last(), null, digest(100, URL));
    passAndABit(PeerDigest.GAP_SECONDS);
    last().failed(new FetchFailure(FetchFailure.Kind.CONNECT_FAILED, "refused"));
    assertThat(ask(URL)).isEqualTo(PeerAnswer.NOBODY);
    assertThat(digests.bytes()).isZero();
    long wait = PeerDigest.GAP_SECONDS;
    for (int i = 0; i < 10; i++) {
      int before = fetches.size();
      pass(wait - 1);
      assertThat(fetches).hasSize(before);
      pass(2);
      assertThat(fetches).hasSize(before + 1);
      last().head(head(404, null), 0);
      wait = Math.min(2 * wait, PeerDigest.MAX_WAIT_SECONDS);
    }
    assertThat(cancelled).isEqualTo(10);
    assertThat(count(0, PeerCount.DIGEST_FAILURES)).isEqualTo(11);
    passAndABit(PeerDigest.MAX_WAIT_SECONDS);
    answer(last(), null, digest(100, URL));
    assertThat(ask(URL)).isEqualTo(sibling("a"));
    passAndABit(PeerDigest.GAP_SECONDS);
    last().failed(new FetchFailure(FetchFailure.Kind.CONNECT_FAILED, "refused"));
    int before = fetches.size();
    passAndABit(PeerDigest.GAP_SECONDS);
    assertThat(fetches).as("a good one ends it").hasSize(before + 1);
  }

  @Test
  void damagedCutAndEndlessAnswersAreFailures() {
    use("cache_peer a.example sibling 3128 0 name=a\n");
    ask(URL);
    byte[] good = digest(100, URL);
    last().head(head(200, null), -1);
    content(last(), good);
    content(last(), new byte[1]);
    assertThat(cancelled).isEqualTo(1);
    content(last(), new byte[1]);
    passAndABit(PeerDigest.GAP_SECONDS);
    last().head(head(200, null), -1);
    content(last(), Arrays.copyOf(good, good.length - 1));
    last().end(null);
    assertThat(ask(URL)).isEqualTo(PeerAnswer.NOBODY);
    passAndABit(2 * PeerDigest.GAP_SECONDS);
    last().head(head(200, null), -1);
    pass(PeerDigest.FETCH_SECONDS - 1);
    assertThat(count(0, PeerCount.DIGEST_FAILURES)).isEqualTo(2);
    pass(2);
    assertThat(count(0, PeerCount.DIGEST_FAILURES)).isEqualTo(3);
    assertThat(cancelled).isEqualTo(2);
  }

  @Test
  void memoryIsBounded() {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      lines.append("cache_peer p").append(i).append(".example sibling 3128 0\n");
    }
    use(lines.toString());
    ask(URL);
    byte[] large = digest(1 << 23, URL); // 5 MB
    fetches.forEach(fetch -> answer(fetch, null, large));
    assertThat(digests.bytes()).isEqualTo(12L * (large.length - 128));
    assertThat(digests.bytes()).isLessThan(PeerDigests.MAX_TOTAL_BYTES);
    assertThat(count(19, PeerCount.DIGEST_FAILURES)).isEqualTo(1);
  }

  @Test
  void aDigestIsNotLargerThanItsLimit() {
    use("cache_peer a.example sibling 3128 0 name=a\n");
    ask(URL);
    byte[] good = DigestFilter.empty(1 << 23, 11).bytes();
    assertThat(good.length).isGreaterThan(PeerDigests.MAX_BYTES);
    answer(last(), null, good);
    assertThat(count(0, PeerCount.DIGEST_FAILURES)).isEqualTo(1);
  }

  @Test
  void aReloadKeepsDigestsAndTheirTimes() {
    use(TWO_SIBLINGS);
    ask(URL);
    answer(fetches.get(0), null, digest(100, URL));
    pass(100);
    use(TWO_SIBLINGS.replace("name=a", "name=a proxy-only"));
    assertThat(ask(URL)).isEqualTo(sibling("a"));
    assertThat(cancelled).as("that of b").isEqualTo(1);
    pass(1);
    assertThat(fetches).as("b again").hasSize(3);
    passAndABit(PeerDigest.GAP_SECONDS - 101);
    assertThat(fetches).as("a in its time").hasSize(4);
    use(TWO_SIBLINGS.replace("a.example", "c.example"));
    assertThat(ask(URL)).as("another place").isEqualTo(PeerAnswer.NOBODY);
    use("");
    int before = fetches.size();
    pass(2 * PeerDigest.GAP_SECONDS);
    assertThat(fetches).hasSize(before);
  }
}
