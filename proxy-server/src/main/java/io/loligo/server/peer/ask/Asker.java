package io.loligo.server.peer.ask;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerHtcp;
import io.loligo.server.upstream.Removal;
import io.loligo.server.upstream.route.PeerAnswer;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.server.upstream.route.PeerQuestion;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks peers for responses, for all event loops. Confined to its own event loop, except for {@link
 * #on} and {@link #use}.
 *
 * <p>A question begins a {@link Round}: one query to each peer. The first hit answers it; else all
 * expected replies, or the time-out. A round is known until its time-out, so that late replies
 * count as replies.
 */
public final class Asker {
  private static final Logger LOG = LoggerFactory.getLogger(Asker.class);

  /** The longest URL that fits a query of every protocol; nobody is asked about a longer one. */
  static final int MOST_URL_BYTES = 16_000;

  /** Rounds at the same time; further requests go on without asking. */
  static final int MOST_ROUNDS = 65_536;

  /** For so long a removal that finds nothing is not forwarded again. */
  private static final long FORWARDED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MOST_FORWARDED = 1_024;

  private final EventExecutor loop;
  private final TimeSource time;
  private final PeerHealth health;
  private final IntSupplier random;
  private final Map<Integer, Round> rounds = new HashMap<>();
  private final LogRateLimit strangers;
  private final AtomicLong timeouts = new AtomicLong();
  private volatile List<QueryProtocol> protocols = List.of();

  /** By the name of the line. Replaced whole; the values are confined to the loop. */
  private volatile Map<String, Neighbour> neighbours = Map.of();

  /** The removals of which some peer is told. Replaced whole. */
  private volatile Set<Removal> told = Set.of();

  /** The addresses of hosts, also of those that a configuration will have next. */
  private final Map<String, List<InetAddress>> hosts = new HashMap<>();

  /** The moments at which removals were forwarded, by URL, in the order of use. */
  private final Map<String, Long> forwarded = new LinkedHashMap<>();

  private @Nullable AskSettings settings;
  private Map<InetSocketAddress, Neighbour> senders = Map.of();

  /** Those of all peers. Replaced whole. */
  private volatile Set<InetAddress> addresses = Set.of();

  /**
   * Asks nobody yet.
   *
   * @param loop its own
   * @param health learns which peers answer
   * @param random numbers of queries, which nobody can guess: with one, any sender that forges the
   *     address of a peer could answer
   */
  public Asker(EventExecutor loop, TimeSource time, PeerHealth health, IntSupplier random) {
    this.loop = loop;
    this.time = time;
    this.health = health;
    this.random = random;
    strangers = new LogRateLimit(time::nanos);
  }

  /** Its event loop. */
  public EventExecutor loop() {
    return loop;
  }

  /** Asks for requests of event loop {@code of}. Any thread. */
  public PeerAsking on(EventExecutor of) {
    return new PeerAsking() {
      @Override
      public boolean asks(Peer peer) {
        return Asker.this.asks(peer);
      }

      @Override
      public boolean isPeer(InetAddress address) {
        return knows(address);
      }

      @Override
      public void ask(PeerQuestion question, Consumer<PeerAnswer> then) {
        if (of == loop) {
          begin(question, then);
        } else {
          PeerQuestion kept =
              new PeerQuestion(
                  question.url(), question.host(), question.fields().snapshot(), question.peers());
          loop.execute(() -> begin(kept, answer -> of.execute(() -> then.accept(answer))));
        }
      }

      @Override
      public void removed(String url, Removal why) {
        if (told.contains(why)) {
          loop.execute(() -> tell(url, why, null));
        }
      }
    };
  }

  /**
   * A neighbour, {@code from}, has had the responses for {@code url} removed: tells the peers that
   * want to know. Peers that forward to each other would pass a removal on for ever, so one that
   * finds nothing here is not forwarded for a second after the last one for that URL. On its loop.
   *
   * @param any whether a response was removed here
   */
  public void forwardRemoval(String url, InetAddress from, boolean any) {
    if (!told.contains(Removal.FORWARDED)) {
      return;
    }
    long now = time.nanos();
    Long last = forwarded.remove(url);
    boolean recent = last != null && now - last < FORWARDED_NANOS;
    forwarded.put(url, recent && !any ? last : Long.valueOf(now));
    if (forwarded.size() > MOST_FORWARDED) {
      forwarded.remove(forwarded.keySet().iterator().next());
    }
    if (any || !recent) {
      tell(url, Removal.FORWARDED, from);
    }
  }

  private void tell(String url, Removal why, @Nullable InetAddress from) {
    for (Neighbour each : neighbours.values()) {
      PeerHtcp htcp = each.line().querying().htcp();
      List<InetAddress> at = addresses(each);
      boolean isSender = from != null && at.contains(from);
      if (htcp != null && htcp.told().contains(why) && !at.isEmpty() && !isSender) {
        protocols.forEach(protocol -> protocol.removed(url, why, each.line(), at.get(0)));
      }
    }
  }

  /**
   * Uses the peers of {@code config} from now on. Any thread; in force when {@link #loop} has run
   * the task.
   *
   * @param spoken the protocols, in order of preference
   */
  public void use(ProxyConfig config, List<QueryProtocol> spoken) {
    AskSettings next = new AskSettings(config);
    loop.execute(() -> use(next, spoken));
  }

  private void use(AskSettings next, List<QueryProtocol> spoken) {
    Map<String, Neighbour> all = new HashMap<>();
    for (Peer peer : next.peers) {
      Neighbour old = neighbours.get(peer.name());
      if (old != null && old.isAt(peer)) {
        old.renew(peer); // not another one: replies to queries under way belong to it
        all.put(peer.name(), old);
        continue;
      }
      if (old != null) {
        health.answers(peer.name(), true);
      }
      all.put(peer.name(), new Neighbour(peer));
    }
    protocols = List.copyOf(spoken);
    for (Peer peer : next.peers) {
      if (!isQueried(peer)) {
        health.answers(peer.name(), true); // no reply would end it
      }
    }
    hosts.keySet().retainAll(next.peers.stream().map(Peer::host).toList());
    settings = next;
    neighbours = all;
    told = told(next.peers);
    learnSenders();
  }

  /** The addresses of {@code host} are {@code found}; empty: none were found. On its loop. */
  public void found(String host, List<InetAddress> found) {
    if (!found.isEmpty() && !found.equals(hosts.get(host))) {
      hosts.put(host, List.copyOf(found));
      learnSenders();
    }
  }

  private List<InetAddress> addresses(Neighbour of) {
    return hosts.getOrDefault(of.line().host(), List.of());
  }

  private static Set<Removal> told(List<Peer> peers) {
    EnumSet<Removal> all = EnumSet.noneOf(Removal.class);
    for (Peer peer : peers) {
      PeerHtcp htcp = peer.querying().htcp();
      if (htcp != null) {
        all.addAll(htcp.told());
      }
    }
    return all;
  }

  private void learnSenders() {
    Map<InetSocketAddress, Neighbour> all = new HashMap<>();
    Set<InetAddress> known = new HashSet<>();
    for (Neighbour each : neighbours.values()) {
      if (!each.isGroup()) {
        for (InetAddress address : addresses(each)) {
          known.add(address);
          all.putIfAbsent(new InetSocketAddress(address, each.line().querying().port()), each);
        }
      }
    }
    senders = all;
    addresses = known;
  }

  /** Whether {@code address} is that of a peer. Any thread. */
  public boolean knows(InetAddress address) {
    return addresses.contains(address);
  }

  /** Whether its line and a protocol let it get queries, or replies come for those to a group. */
  private boolean isQueried(Peer peer) {
    return peer.querying().asked() && protocol(peer) != null;
  }

  private boolean asks(Peer peer) {
    if (!isQueried(peer) || peer.querying().answersGroup()) {
      return false;
    }
    Neighbour known = neighbours.get(peer.name());
    return known != null && !known.isRefused();
  }

  private @Nullable QueryProtocol protocol(Peer peer) {
    for (QueryProtocol each : protocols) {
      if (each.speaksWith(peer)) {
        return each;
      }
    }
    return null;
  }

  // ---- a round

  private void begin(PeerQuestion question, Consumer<PeerAnswer> then) {
    AskSettings now = settings;
    if (now == null || rounds.size() >= MOST_ROUNDS || question.url().length() > MOST_URL_BYTES) {
      then.accept(PeerAnswer.NOBODY);
      return;
    }
    long nanos = time.nanos();
    int number = nextNumber();
    Round round = new Round(question, then, nanos, now.wantsDistance);
    Wait wait = new Wait();
    for (Peer peer : question.peers()) {
      Neighbour to = neighbours.get(peer.name());
      QueryProtocol protocol = to == null ? null : protocol(to.line());
      List<InetAddress> at = to == null ? List.of() : addresses(to);
      if (to == null || protocol == null || at.isEmpty() || !to.isDue(nanos, now.backgroundNanos)) {
        continue;
      }
      protocol.query(number, question, to.line(), at.get(0));
      to.queried(nanos);
      health.asked(peer.name(), PeerCount.QUERIES);
      round.queried(to);
      wait.add(to, question.isParent(to.line()), now);
    }
    if (round.unanswered().isEmpty() && round.group() == null) {
      round.giveUp();
      return;
    }
    rounds.put(number, round);
    time.schedule(loop, () -> end(number), now.waitMillis(wait.millis()));
    if (!round.isExpecting()) {
      round.giveUp();
    }
  }

  /** A number that no running round has, and not 0. */
  private int nextNumber() {
    int number;
    do {
      number = random.getAsInt();
    } while (number == 0 || rounds.containsKey(number));
    return number;
  }

  /** The time of a round is over. */
  private void end(int number) {
    Round round = rounds.remove(number);
    AskSettings now = settings;
    if (round == null || now == null) {
      return;
    }
    long nanos = time.nanos();
    for (Neighbour silent : round.unanswered()) {
      String name = silent.line().name();
      if (!silent.equals(neighbours.get(name))) {
        continue; // a reload has removed it, or its name stands for another place
      }
      health.asked(name, PeerCount.QUERY_TIMEOUTS);
      if (silent.unanswered(nanos, now.deadNanos)) {
        health.answers(name, false);
        LOG.warn(
            "{} answers no queries: requests no longer wait for it; next: look at that peer, at"
                + " its port for queries, and at firewalls",
            silent.line());
      }
    }
    Neighbour group = round.group();
    if (group != null) {
      group.groupReplied(round.groupReplies());
    }
    if (!round.isDecided()) {
      timeouts.incrementAndGet();
    }
    round.timedOut();
  }

  /**
   * A reply has come. One of an unknown sender, or for no round, changes nothing for a request. On
   * its loop.
   *
   * @param number of the query; 0: unknown
   * @param distanceMillis of the sender to the origin; 0: unknown
   */
  public void replied(InetSocketAddress from, int number, Reply reply, int distanceMillis) {
    Neighbour sender = senders.get(from);
    if (sender == null) {
      if (strangers.permits()) {
        LOG.warn(
            "a reply of {}, which is no cache_peer, is ignored; {} so far; next: if it is one, its"
                + " line needs this address and port",
            NetUtil.toSocketAddressString(from),
            strangers.count());
      }
      return;
    }
    Round round = rounds.get(number);
    boolean expected = round != null && round.expects(sender);
    long nanos = round == null || !expected ? -1 : time.nanos() - round.startNanos();
    String name = sender.line().name();
    boolean wasDown = sender.replied(reply, nanos < 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nanos));
    if (wasDown) {
      health.answers(name, true);
      LOG.info("{} answers queries again", sender.line());
    }
    health.roundTrip(name, sender.knownRoundTripMillis());
    if (sender.refuses()) {
      LOG.warn(
          "{} refuses queries of this proxy, and gets no more; next: add this proxy to icp_access"
              + " there, or no-query to the line",
          sender.line());
    }
    if (round != null && expected) {
      count(name, reply);
      round.replied(sender, !wasDown, reply, nanos, distanceMillis);
    }
  }

  private void count(String name, Reply reply) {
    switch (reply) {
      case HIT -> health.asked(name, PeerCount.QUERY_HITS);
      case DENIED -> health.asked(name, PeerCount.QUERY_REFUSALS);
      default -> health.asked(name, PeerCount.QUERY_MISSES);
    }
  }

  /** Rounds whose requests waited until the time-out. Any thread. */
  public long timeouts() {
    return timeouts.get();
  }

  /** Rounds that are not over. On its loop. */
  int rounds() {
    return rounds.size();
  }

  /** The time that is waited for replies: an average of the peers that are asked. */
  private static final class Wait {
    private long parentMillis;
    private int parents;
    private long siblingMillis;
    private int siblings;
    private long groupMillis;

    void add(Neighbour to, boolean parent, AskSettings settings) {
      if (!to.isUp()) {
        return;
      }
      if (to.isGroup()) {
        groupMillis = to.groupReplies() == 0 ? settings.groupMillis / 2 : to.roundTripMillis();
      } else if (parent) {
        parentMillis += to.roundTripMillis();
        parents++;
      } else {
        siblingMillis += to.roundTripMillis();
        siblings++;
      }
    }

    long millis() {
      if (parents > 0) {
        return 2 * parentMillis / parents;
      }
      if (groupMillis > 0) {
        return 2 * groupMillis;
      }
      return siblings > 0 ? 2 * siblingMillis / siblings : 2_000;
    }
  }
}
