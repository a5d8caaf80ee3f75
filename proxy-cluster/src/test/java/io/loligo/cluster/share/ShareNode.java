package io.loligo.cluster.share;

import static io.loligo.cluster.share.ShareWorld.MILLI;
import static io.loligo.cluster.share.ShareWorld.NODES;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.Invalidations;
import io.loligo.cluster.purges.PurgeProgress;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationState;
import io.loligo.cluster.share.ShareWorld.Seen;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One node of the {@link ShareWorld}. */
final class ShareNode {
  private static final long NEVER = Long.MAX_VALUE;

  /** The node that an {@link Ask} goes to, by its place in the ranking. */
  private enum Place {
    OWNER,
    SECOND,
    PREVIOUS
  }

  private record Stored(int version, long untilNanos) {}

  /** A client's request, or one of a peer. */
  private static final class Reader {
    final int key;

    /** The client's response may not be older. */
    final int leastVersion;

    final @Nullable ShareNode from;
    final @Nullable Ask ask;
    @Nullable PurgeVector applied;

    Reader(int key, int leastVersion, @Nullable ShareNode from, @Nullable Ask ask) {
      this.key = key;
      this.leastVersion = leastVersion;
      this.from = from;
      this.ask = ask;
    }
  }

  /** A fetch from a peer or the origin, with its readers: the first one began it. */
  private static final class Flight {
    final int key;
    final boolean toPeer;
    final List<Reader> readers = new ArrayList<>();
    @Nullable PurgeVector claim;
    @Nullable Ask ask;
    int version = -1;
    int hops;
    boolean shared;
    boolean ended;
    boolean done;
    long keepNanos = NEVER;

    Flight(int key, boolean toPeer, Reader first, int hops) {
      this.key = key;
      this.toPeer = toPeer;
      this.hops = hops;
      readers.add(first);
    }
  }

  /** A request to a peer. */
  private static final class Ask {
    final Flight flight;
    final ClusterPeer peer;
    final Place place;
    final long askedNanos;
    final long run;
    boolean acknowledged;
    int version = -1;

    Ask(Flight flight, ClusterPeer peer, Place place, long askedNanos, long run) {
      this.flight = flight;
      this.peer = peer;
      this.place = place;
      this.askedNanos = askedNanos;
      this.run = run;
    }
  }

  final int index;
  private final ShareWorld world;

  /** Of this node's clock, which may be wrong by an hour either way. */
  private final long offsetNanos;

  /** Version of its messages. */
  private final int protocol;

  // On disk.
  private final ShareJournal journal = new ShareJournal();

  /** Older versions must not be stored: a purge was carried out here. */
  private final int[] purged = new int[ShareWorld.KEYS + 1];

  private long run;

  // Gone with the run.
  private boolean up;
  private long hungUntilNanos;
  private NodeRun self = new NodeRun(new UUID(0, 0), 0);
  private @Nullable Replication replication;
  private AppliedPurges purges = new AppliedPurges(() -> true);
  private boolean[] there = new boolean[NODES];
  private int draining = -1;
  private Set<NodeRun> others = Set.of();
  private boolean doubting;

  /** Purges on their way through the store. */
  private int applying;

  /** What members had carried out when most of them were new: older versions must not be served. */
  private final Map<NodeRun, int[]> had = new HashMap<>();

  private Routing routing = new Routing(Ring.empty());
  private Fallbacks fallbacks = new Fallbacks(2);
  private HotKeys hot = new HotKeys(2, 0);
  private final Map<Integer, Stored> store = new HashMap<>();
  private final Map<Integer, Flight> fromOrigin = new HashMap<>();
  private final Map<Integer, Flight> fromPeer = new HashMap<>();
  private final Map<Integer, Flight> fetching = new HashMap<>();
  private final List<Reader> clients = new ArrayList<>();
  private final AcknowledgementTimes times = new AcknowledgementTimes();

  ShareNode(ShareWorld world, int index, int protocol) {
    this.world = world;
    this.index = index;
    this.protocol = protocol;
    offsetNanos = (world.random.nextInt(7_201) - 3_600) * 1_000 * MILLI;
  }

  /** The time of this node. */
  private long now() {
    return world.nowNanos + offsetNanos;
  }

  boolean isUp() {
    return up;
  }

  private Replication replication() {
    return Objects.requireNonNull(replication);
  }

  /** The purges that it has carried out, of each stream that has any. */
  Map<NodeRun, Long> numbers() {
    Map<NodeRun, Long> numbers = replication().applied();
    numbers.values().removeIf(number -> number == 0);
    return numbers;
  }

  /** The versions that it knows to be the oldest ones, by the purges that it has carried out. */
  private int[] carriedOut() {
    int[] versions = new int[ShareWorld.KEYS + 1];
    if (replication != null) {
      numbers().forEach((stream, number) -> world.purged(stream, number, versions));
    }
    return versions;
  }

  ReplicationState state() {
    return replication().state();
  }

  /** All that it has stored, after purges that each node has applied. */
  void checkStored() {
    store.forEach(
        (key, stored) -> {
          if (stored.version < world.published[key]) {
            ShareWorld.fail("purged response of key " + key + " stored at node " + index);
          }
        });
  }

  // Faults

  void start() {
    if (up) {
      return;
    }
    up = true;
    hungUntilNanos = 0;
    run++;
    self = new NodeRun(new UUID(0, index), run);
    Life life = new Life(self, run);
    Replication fresh =
        new Replication(life, life, member(draining), life, journal, ShareWorld.LIMITS);
    replication = fresh;
    purges = new AppliedPurges(fresh::isCaughtUp);
    fresh.report(
        new PurgeProgress() {
          @Override
          public void begins(NodeRun stream, long number) {
            if (world.holds(ShareRule.PURGES_THAT_HAVE_BEGUN_COUNT)) {
              purges.begins(stream, number);
            }
          }

          @Override
          public void applied(NodeRun stream, long number) {
            purges.applied(stream, number);
          }
        });
    others = Set.of();
    had.clear();
    doubting = false;
    applying = 0;
    routing = new Routing(Ring.empty());
    fallbacks = new Fallbacks(2);
    hot = new HotKeys(2, now());
    boolean[] all = new boolean[NODES];
    Arrays.fill(all, true);
    fresh.start();
    view(all, -1);
    for (ShareNode node : world.nodes) {
      if (node != this) {
        node.step(world.delay(20), node::viewAgain);
      }
    }
  }

  void crash() {
    up = false;
    world.open -= clients.size();
    clients.clear();
    if (world.random.nextBoolean()) {
      store.clear();
    }
    store.values().removeIf(stored -> stored.untilNanos != NEVER);
    fromOrigin.clear();
    fromPeer.clear();
    fetching.clear();
  }

  void hang(long forNanos) {
    hungUntilNanos = world.nowNanos + forNanos;
  }

  void view(boolean[] nowThere, int nowDraining) {
    there = nowThere;
    draining = nowDraining;
    viewAgain();
  }

  /** The members may have begun again. */
  private void viewAgain() {
    if (!up) {
      return;
    }
    List<Member> members = new ArrayList<>();
    Set<NodeRun> nowOthers = new HashSet<>();
    List<ShareNode> fresh = new ArrayList<>();
    for (ShareNode node : world.nodes) {
      if (there[node.index] || node == this) {
        Member member = node.member(draining);
        members.add(member);
        if (node != this) {
          nowOthers.add(member.id());
          if (!others.contains(member.id())) {
            fresh.add(node);
          }
        }
      }
    }
    others = nowOthers;
    had.keySet().retainAll(nowOthers);
    if (!world.isMixed() && 2 * fresh.size() > nowOthers.size()) {
      fresh.forEach(node -> had.put(node.self, node.carriedOut()));
    }
    View view = new View(1, members);
    routing.use(routing.ring().next(view, self, now()));
    replication().view(view);
    doubts();
  }

  private Member member(int nowDraining) {
    Member member = Members.member(index, 100, index == nowDraining);
    return new Member(
        new NodeRun(new UUID(0, index), Math.max(1, run)),
        member.name(),
        member.address(),
        member.bodies(),
        member.weight(),
        member.draining(),
        protocol);
  }

  /** As if all peers had answered since the faults. */
  void recovered() {
    routing.ring().peers().forEach(peer -> peer.health().acknowledged());
  }

  /** Runs {@code step} if this run lasts so long, and later if the node stands still. */
  void step(long delayNanos, Runnable step) {
    long ofRun = run;
    world.at(
        delayNanos,
        () -> {
          if (up && run == ofRun) {
            if (hungUntilNanos > world.nowNanos) {
              step(hungUntilNanos - world.nowNanos, step);
            } else {
              step.run();
            }
          }
        });
  }

  private void soon(Runnable step) {
    step(world.delay(2), step);
  }

  // Purges

  void purge(int key) {
    if (!up) {
      return;
    }
    step(
        0,
        () -> {
          int version = ++world.origin[key];
          if (world.holds(ShareRule.PURGES_WITHOUT_A_NUMBER_COUNT)) {
            purges.publishing();
          }
          soon(
              () -> {
                effect(key, version);
                soon(() -> number(key, version));
              });
        });
  }

  private void number(int key, int version) {
    world.published(self, key, version);
    replication()
        .publish(
            ByteBuffer.allocate(8).putInt(key).putInt(version).array(),
            true,
            nodes -> {
              if (nodes.acknowledged() == nodes.configured()) {
                world.saw(Seen.CONFIRMED);
                world.confirmed[key] = Math.max(world.confirmed[key], version);
              } else {
                world.saw(Seen.NOT_CONFIRMED);
              }
            });
    if (world.holds(ShareRule.PURGES_WITHOUT_A_NUMBER_COUNT)) {
      purges.published();
    }
  }

  private void effect(int key, int version) {
    purged[key] = Math.max(purged[key], version);
    Stored stored = store.get(key);
    boolean isCopy = stored != null && stored.untilNanos != NEVER;
    if (!isCopy || world.holds(ShareRule.PURGES_REACH_COPIES)) {
      store.remove(key);
    }
    for (Map<Integer, Flight> flights : List.of(fromOrigin, fromPeer)) {
      Flight flight = flights.remove(key);
      if (flight != null) {
        flight.ended = true;
      }
    }
    fetching.remove(key);
  }

  /** A message of the replication of {@code from} to the run {@code to}. */
  void message(NodeRun from, NodeRun to, byte[] message) {
    if (self.equals(to)) {
      step(0, () -> replication().message(from, message));
    }
  }

  /** One run, as the replication sees it. */
  private final class Life implements Steps, Group, Invalidations {
    private final NodeRun id;
    private final long ofRun;

    Life(NodeRun id, long ofRun) {
      this.id = id;
      this.ofRun = ofRun;
    }

    @Override
    public long nanos() {
      return now();
    }

    @Override
    public void execute(Runnable step) {
      step(0, step);
    }

    @Override
    public Runnable schedule(Runnable step, long delayNanos) {
      boolean[] cancelled = new boolean[1];
      step(
          delayNanos,
          () -> {
            if (!cancelled[0]) {
              step.run();
            }
          });
      return () -> cancelled[0] = true;
    }

    @Override
    public NodeRun self() {
      return id;
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      if (run == ofRun) {
        int index = (int) to.node().getLeastSignificantBits();
        world.sendMessage(ShareNode.this, id, world.nodes.get(index), to, message);
      }
    }

    @Override
    public int configured() {
      return NODES;
    }

    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      ByteBuffer in = ByteBuffer.wrap(entry);
      int key = in.getInt();
      int version = in.getInt();
      applying++;
      soon(
          () -> {
            effect(key, version);
            soon(
                () -> {
                  applying--;
                  then.accept(true);
                });
          });
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      world.saw(Seen.VALIDATED_ALL);
      soon(
          () -> {
            for (int key = 0; key <= ShareWorld.KEYS; key++) {
              effect(key, 0);
            }
            soon(() -> then.accept(true));
          });
    }

    @Override
    public void start(Listener listener) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void announce(Member member) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException();
    }
  }

  // Requests

  void request(int key) {
    if (!up) {
      return;
    }
    Reader reader = new Reader(key, world.confirmed[key], null, null);
    clients.add(reader);
    world.open++;
    step(
        0,
        () -> {
          fallbacks.request(now());
          serve(reader);
        });
  }

  private void serve(Reader reader) {
    Stored stored = stored(reader.key);
    if (stored != null) {
      if (stored.untilNanos != NEVER) {
        world.saw(Seen.COPY_USED);
      }
      finish(reader, stored.version);
      return;
    }
    Flight flight = fromOrigin.getOrDefault(reader.key, fromPeer.get(reader.key));
    if (flight != null) {
      flight.readers.add(reader);
      return;
    }
    ClusterPeer owner = routing.owner(hash(reader.key), now());
    if (owner == null || owner.isSelf()) {
      fetchAsOwner(reader, 0);
    } else {
      fetchFromPeer(reader, owner);
    }
  }

  private @Nullable Stored stored(int key) {
    Stored stored = store.get(key);
    if (stored == null || stored.untilNanos < now()) {
      return null;
    }
    if (doubts()) {
      world.saw(Seen.DOUBTED);
      return null; // it would be validated
    }
    if (stored.version < purged[key]) {
      ShareWorld.fail("node " + index + " has a response of key " + key + " that it purged");
    }
    for (int[] floor : had.values()) {
      if (stored.version < floor[key]) {
        ShareWorld.fail("node " + index + " is back, and misses a purge of key " + key);
      }
    }
    return stored;
  }

  /** As {@code PurgeMode} of proxy-server, which this package cannot use. */
  private boolean doubts() {
    if (!replication().isCaughtUp()) {
      doubting = world.holds(ShareRule.A_NODE_THAT_COMES_BACK_DOUBTS);
    } else if (applying == 0 || !world.holds(ShareRule.PURGES_ON_THEIR_WAY_KEEP_THE_DOUBT)) {
      doubting = false;
    }
    return doubting;
  }

  private void fetchFromPeer(Reader reader, ClusterPeer owner) {
    Flight flight = new Flight(reader.key, true, reader, 0);
    flight.keepNanos = hot.request(hash(reader.key), now()) ? HotKeys.keepMillis(NEVER) * MILLI : 0;
    if (world.holds(ShareRule.THE_CLAIM_COMES_AFTER_THE_FETCH_IS_KNOWN)) {
      fromPeer.put(flight.key, flight);
      soon(
          () -> {
            flight.claim = purges.claim();
            ask(flight, owner, Place.OWNER);
          });
    } else {
      flight.claim = purges.claim();
      soon(
          () -> {
            fromPeer.putIfAbsent(flight.key, flight);
            ask(flight, owner, Place.OWNER);
          });
    }
  }

  private void fetchAsOwner(Reader reader, int hops) {
    Flight flight = new Flight(reader.key, false, reader, hops);
    fromOrigin.put(flight.key, flight);
    if (fetching.put(flight.key, flight) != null) {
      ShareWorld.fail("two fetches of key " + flight.key + " at node " + index);
    }
    soon(
        () -> {
          flight.claim = purges.claim();
          ClusterPeer previous = routing.previous(hash(flight.key), now());
          if (previous == null) {
            fetch(flight);
          } else {
            ask(flight, previous, Place.PREVIOUS);
          }
        });
  }

  private void fetch(Flight flight) {
    world.fetches[flight.key]++;
    int slowMillis = world.random.nextInt(4) == 0 ? 40 : 6;
    step(
        world.delay(6),
        () -> {
          int version = world.origin[flight.key];
          step(
              world.delay(slowMillis),
              () -> {
                head(flight, version, true);
                step(world.delay(slowMillis), () -> end(flight));
              });
        });
  }

  // A request to a peer

  private void ask(Flight flight, ClusterPeer peer, Place place) {
    Ask ask = new Ask(flight, peer, place, now(), run);
    flight.ask = ask;
    ShareNode to = world.nodes.get(Integer.parseInt(peer.member().name()));
    String tag = flight.claim == null ? null : flight.claim.tag();
    int hops = flight.hops + 1;
    world.send(this, to, node -> node.hop(this, ask, flight.key, tag, hops), () -> failed(ask));
    step(times.limitNanos(0), () -> failedUnlessAcknowledged(ask));
    step(2_000 * MILLI, () -> failed(ask));
  }

  private void failedUnlessAcknowledged(Ask ask) {
    if (!ask.acknowledged) {
      failed(ask);
    }
  }

  private void acknowledged(Ask ask) {
    if (isCurrent(ask)) {
      ask.acknowledged = true;
      ask.peer.health().acknowledged();
      times.add(now() - ask.askedNanos);
    }
  }

  private boolean isCurrent(Ask ask) {
    return ask.run == run && ask.flight.ask == ask && !ask.flight.done;
  }

  private void failed(Ask ask) {
    if (!isCurrent(ask)) {
      return;
    }
    if (world.isCalm()) {
      ShareWorld.fail("a request to a peer without faults failed");
    }
    if (!ask.acknowledged) {
      ask.peer.health().failed(ask.askedNanos, now());
    }
    if (ask.flight.version >= 0) {
      world.saw(Seen.TRUNCATED);
      giveUp(ask.flight);
    } else {
      next(ask);
    }
  }

  /** The peer failed, or has no response stored. */
  private void next(Ask ask) {
    Flight flight = ask.flight;
    flight.ask = null;
    if (ask.place == Place.PREVIOUS) {
      fetch(flight);
      return;
    }
    ClusterPeer second =
        ask.place == Place.OWNER ? routing.second(hash(flight.key), ask.peer, now()) : null;
    if (second != null) {
      ask(flight, second, Place.SECOND);
    } else if (fallbacks.take(now())) {
      world.saw(Seen.FELL_BACK);
      fetch(flight);
    } else {
      world.saw(Seen.REFUSED);
      giveUp(flight);
    }
  }

  private void giveUp(Flight flight) {
    leave(flight);
    flight.readers.forEach(reader -> finish(reader, -1));
  }

  private void peerMissed(Ask ask) {
    if (isCurrent(ask)) {
      next(ask);
    }
  }

  private void peerHead(Ask ask, int key, int version, String answer) {
    if (!isCurrent(ask)) {
      return;
    }
    Flight flight = ask.flight;
    if (flight.key != key) {
      ShareWorld.fail("response of another key");
    }
    PurgeVector claim = flight.claim;
    boolean covered = claim != null && claim.isCoveredBy(answer);
    if (!world.holds(ShareRule.VECTORS_ARE_COMPARED)) {
      covered = true;
    }
    world.saw(covered ? Seen.SHARED_FROM_PEER : Seen.ALONE_FROM_PEER);
    if (ask.place == Place.PREVIOUS) {
      if (!covered && world.holds(ShareRule.A_PULL_FROM_A_PEER_THAT_LAGS_IS_A_MISS)) {
        next(ask);
        return;
      }
      covered = true;
      world.saw(Seen.PULLED);
    } else if (ask.place == Place.SECOND) {
      world.saw(Seen.SECOND_ANSWERED);
    }
    ask.version = version;
    head(flight, version, covered);
  }

  private void peerEnd(Ask ask, int version) {
    if (isCurrent(ask) && ask.version >= 0) {
      if (ask.version != version) {
        ShareWorld.fail("bytes of another response");
      }
      end(ask.flight);
    }
  }

  // A request of a peer

  private void hop(ShareNode from, Ask ask, int key, @Nullable String tag, int hops) {
    boolean onlyIfCached = ask.place != Place.OWNER;
    if (hops > 1 && !onlyIfCached) {
      ShareWorld.fail("two hops towards an owner");
    }
    world.send(this, from, node -> node.acknowledged(ask), () -> {});
    Reader reader = new Reader(key, 0, from, ask);
    serveHop(reader, tag, hops, onlyIfCached);
  }

  private void serveHop(Reader reader, @Nullable String tag, int hops, boolean onlyIfCached) {
    reader.applied = purges.applied();
    int key = reader.key;
    soon(
        () -> {
          Stored stored = stored(key);
          if (stored != null) {
            sendHead(reader, stored.version);
            finish(reader, stored.version);
            return;
          }
          if (onlyIfCached && world.holds(ShareRule.ONLY_IF_CACHED_FETCHES_NOTHING)) {
            world.send(this, reader.from, node -> node.peerMissed(reader.ask), () -> {});
            return;
          }
          Flight flight = fromOrigin.get(key);
          if (flight == null && !world.holds(ShareRule.A_HOP_JOINS_NO_FETCH_FROM_A_PEER)) {
            flight = fromPeer.get(key);
          }
          if (flight != null && world.holds(ShareRule.A_HOP_JOINS_A_FETCH_FROM_THE_ORIGIN)) {
            flight.readers.add(reader);
            if (flight.version >= 0) {
              sendHead(reader, flight.version);
            }
            return;
          }
          if (!world.holds(ShareRule.A_HOP_GOES_NO_FURTHER)) {
            ClusterPeer owner = routing.owner(hash(key), now());
            if (owner != null && !owner.isSelf()) {
              Flight further = new Flight(key, true, reader, hops);
              further.claim = purges.claim();
              ask(further, owner, Place.OWNER);
              return;
            }
          }
          fetchAsOwner(reader, hops);
        });
  }

  private void sendHead(Reader reader, int version) {
    PurgeVector applied =
        world.holds(ShareRule.A_PEER_READS_ITS_VECTOR_BEFORE_IT_LOOKS)
            ? reader.applied
            : purges.applied();
    String answer = applied.answer(null);
    Ask ask = reader.ask;
    int key = reader.key;
    world.send(this, reader.from, node -> node.peerHead(ask, key, version, answer), () -> {});
  }

  // What readers get

  private void head(Flight flight, int version, boolean shared) {
    flight.version = version;
    flight.shared = shared;
    if (!shared) {
      fromPeer.remove(flight.key, flight);
      fromOrigin.remove(flight.key, flight);
      if (world.holds(ShareRule.WAITING_REQUESTS_LEAVE_BYTES_OF_A_PEER_THAT_LAGS)) {
        List<Reader> others = new ArrayList<>(flight.readers.subList(1, flight.readers.size()));
        flight.readers.removeAll(others);
        others.forEach(this::serveAgain);
      }
    }
    for (Reader reader : flight.readers) {
      if (reader.from != null) {
        sendHead(reader, version);
      }
    }
  }

  private void serveAgain(Reader reader) {
    if (reader.from == null) {
      serve(reader);
    } else {
      serveHop(reader, null, 1, false);
    }
  }

  private void end(Flight flight) {
    boolean keeps = flight.shared && !flight.ended && flight.keepNanos > 0;
    leave(flight);
    if (keeps) {
      store.put(
          flight.key,
          new Stored(flight.version, flight.keepNanos == NEVER ? NEVER : now() + flight.keepNanos));
    }
    flight.readers.forEach(reader -> finish(reader, flight.version));
  }

  private void leave(Flight flight) {
    flight.done = true;
    fromPeer.remove(flight.key, flight);
    fromOrigin.remove(flight.key, flight);
    fetching.remove(flight.key, flight);
  }

  /**
   * @param version -1: no response, or a truncated one
   */
  private void finish(Reader reader, int version) {
    if (reader.from == null) {
      if (version >= 0 && version < reader.leastVersion) {
        ShareWorld.fail("purged bytes of key " + reader.key + " at node " + index);
      }
      clients.remove(reader);
      world.open--;
    } else if (version >= 0) {
      Ask ask = reader.ask;
      step(
          4 * MILLI,
          () -> world.send(this, reader.from, node -> node.peerEnd(ask, version), () -> {}));
    }
  }

  private static long hash(int key) {
    return Mix.of(key);
  }
}
