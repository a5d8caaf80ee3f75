package io.loligo.cluster.share;

import static io.loligo.cluster.sim.World.MILLI;
import static io.loligo.cluster.sim.World.SECOND;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.Invalidations;
import io.loligo.cluster.purges.PurgeProgress;
import io.loligo.cluster.purges.Replication;
import io.loligo.cluster.purges.ReplicationState;
import io.loligo.cluster.purges.StoreTrust;
import io.loligo.cluster.share.ShareWorld.Seen;
import io.loligo.cluster.sim.SimDisk;
import io.loligo.cluster.sim.SimJournal;
import io.loligo.cluster.sim.SimRun;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One node of the {@link ShareWorld}. What {@code HopSearch}, the fetches and the store of the
 * product do with the decisions is a model: they are Netty's connections and buffers.
 */
final class ShareNode {
  private static final long NEVER = Long.MAX_VALUE;
  private static final long COPY_NANOS = HotKeys.LONGEST_MILLIS * MILLI;

  /** As {@code read_timeout}: links lose messages. */
  private static final long READ_NANOS = 2 * SECOND;

  /**
   * @param moment of its request, by the order of requests and doubts of this node
   */
  private record Stored(int version, long untilNanos, long moment) {}

  /** A client's request, or one of a peer. */
  private static final class Reader {
    final int key;

    /** The client's response may not be older. */
    final int leastVersion;

    final long sinceNanos;
    final @Nullable ShareNode from;
    final @Nullable Ask ask;
    final @Nullable String tag;
    PurgeVector applied = PurgeVector.of(new long[0], new long[0]);

    Reader(
        int key,
        int leastVersion,
        long sinceNanos,
        @Nullable ShareNode from,
        @Nullable Ask ask,
        @Nullable String tag) {
      this.key = key;
      this.leastVersion = leastVersion;
      this.sinceNanos = sinceNanos;
      this.from = from;
      this.ask = ask;
      this.tag = tag;
    }
  }

  /** A fetch from a peer or the origin, with its readers: the first one began it. */
  private static final class Flight {
    final int key;
    final int hops;
    final List<Reader> readers = new ArrayList<>();

    /** The requests to peers, before the origin. */
    List<PeerRequest<ShareNode>> plan = List.of();

    int at;
    long moment;
    @Nullable Ask ask;
    int version = -1;

    /** Others may use it, if it is not from a peer that lags. */
    boolean shared;

    long keepNanos = NEVER;
    boolean ended;
    boolean done;

    /** Whether it has broken off, and its rest is requested. */
    boolean continued;

    Flight(int key, Reader first, int hops) {
      this.key = key;
      this.hops = hops;
      readers.add(first);
    }
  }

  /** A request to a peer that was sent. */
  private static final class Ask implements SignOfLife.Peer {
    final ShareNode by;
    final Flight flight;
    final PeerRequest<ShareNode> request;
    final long run;
    final SignOfLife sign;
    boolean acknowledged;
    int version = -1;

    Ask(ShareNode by, Flight flight, PeerRequest<ShareNode> request, long askedNanos, long run) {
      this.by = by;
      this.flight = flight;
      this.request = request;
      this.run = run;
      sign = new SignOfLife(this, askedNanos);
    }

    @Override
    public long limitNanos() {
      return request.limitNanos();
    }

    @Override
    public boolean isOut() {
      return request.isOut();
    }

    @Override
    public boolean isSuspected() {
      return request.isSuspected();
    }

    @Override
    public void acknowledged(long tookNanos) {
      acknowledged = true;
      request.acknowledged(tookNanos);
    }
  }

  final int index;
  private final ShareWorld world;

  /** Of this node's clock, which may be wrong by an hour either way. */
  private final long offsetNanos;

  /** By which its wall clock is wrong beside that. */
  private long clockNanos;

  /** Version of its messages. */
  private final int protocol;

  /** Time of its store for a purge, at most. */
  private final int storeMillis;

  private final boolean storeRefuses;

  // On disk.
  private final SimDisk disk;
  private final SimJournal journal;

  /** Older versions must not be stored: a purge was carried out here. */
  private final int[] purged;

  private long run;

  // Gone with the run.
  private boolean up;
  private long hungUntilNanos;
  private NodeRun self = new NodeRun(new UUID(0, 0), 0);
  private @Nullable Replication replication;
  private @Nullable StoreTrust trust;
  private AppliedPurges purges = new AppliedPurges(() -> true);
  private boolean[] there;
  private int drained = -1;
  private boolean drains;
  private Set<NodeRun> others = Set.of();
  private long moments;
  private long doubtUntil;

  /** What members had carried out when most of them were new: older versions must not be served. */
  private final Map<NodeRun, int[]> had = new HashMap<>();

  private volatile Ring ring = Ring.empty();
  private @Nullable PeerRequests<ShareNode> requests;
  private final Map<Integer, Stored> store = new HashMap<>();
  private final Map<Integer, Flight> fromOrigin = new HashMap<>();
  private final Map<Integer, Flight> fromPeer = new HashMap<>();
  private final Map<Integer, Flight> fetching = new HashMap<>();
  private final List<Reader> clients = new ArrayList<>();

  /** Nobody joins them, but a purge ends them: they began before a doubt. */
  private final Set<Flight> separate = new HashSet<>();

  /** Fetches from the origin that have not ended. */
  private final Set<Flight> atOrigin = new HashSet<>();

  /** Requests to peers that wait; each is looked at as an event loop of the product does. */
  private final List<Ask> waiting = new ArrayList<>();

  private boolean looking;

  /** Requests of peers whose connections are open. */
  private final Set<Ask> connections = new LinkedHashSet<>();

  ShareNode(ShareWorld world, int index, int protocol) {
    this.world = world;
    this.index = index;
    this.protocol = protocol;
    there = new boolean[0];
    purged = new int[world.coldKey() + 1];
    offsetNanos = (world.world.below(7_201) - 3_600) * SECOND;
    boolean slow = world.faults.slowStores() && world.world.oneIn(2);
    storeMillis = slow ? 40 : 2;
    storeRefuses = slow && world.world.oneIn(2);
    disk = new SimDisk(world.world, (world.world.oneIn(2) ? 1 : 20) * MILLI);
    journal = new SimJournal(world.world, disk);
  }

  /** The time of this node. */
  private long now() {
    return world.world.now() + offsetNanos;
  }

  private long clockMillis() {
    return (now() + clockNanos) / MILLI;
  }

  boolean isUp() {
    return up;
  }

  private Replication replication() {
    return Objects.requireNonNull(replication);
  }

  private StoreTrust trust() {
    return Objects.requireNonNull(trust);
  }

  private PeerRequests<ShareNode> requests() {
    return Objects.requireNonNull(requests);
  }

  boolean isTrusted() {
    return trust().isTrusted();
  }

  /** The purges that it has carried out, of each stream that has any. */
  Map<NodeRun, Long> numbers() {
    Map<NodeRun, Long> numbers = replication().applied();
    numbers.values().removeIf(number -> number == 0);
    return numbers;
  }

  /** The versions that it knows to be the oldest ones, by the purges that it has carried out. */
  private int[] carriedOut() {
    int[] versions = new int[purged.length];
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
    int[] floor = carriedOut();
    store.forEach(
        (key, stored) -> {
          if (stored.version < Math.max(floor[key], world.confirmed[key])) {
            ShareWorld.fail("purged response of key " + key + " stored at node " + index);
          }
        });
  }

  /** Its fetches of {@code key} from the origin that have not ended. */
  int fetchesNow(int key) {
    return (int) atOrigin.stream().filter(flight -> flight.key == key).count();
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
    world.world.tell(() -> this + " starts");
    Life life = new Life();
    StoreTrust fresh = new StoreTrust(life, this::now, this::clockMillis, life);
    trust = fresh;
    drains = true;
    NodeDrain draining = new NodeDrain(life, this::announce);
    fresh.tell(draining::trusted);
    boolean watched = world.holds(ShareRule.PURGES_ON_THEIR_WAY_KEEP_THE_DOUBT);
    Replication purging =
        new Replication(
            life, life, member(), watched ? fresh.watch(life) : life, journal, ShareWorld.LIMITS);
    replication = purging;
    purges = new AppliedPurges(purging::isCaughtUp);
    purging.report(new Progress());
    others = Set.of();
    had.clear();
    ring = Ring.empty();
    requests =
        new PeerRequests<>(
            () -> ring,
            purges,
            (peer, earlier) -> node(peer),
            world.fallBacks(),
            world.hotRequests(),
            now());
    fresh.start(purging);
    boolean[] all = new boolean[world.count()];
    Arrays.fill(all, true);
    view(all, -1);
    tellOthers();
  }

  private ShareNode node(ClusterPeer peer) {
    return world.nodes.get(Integer.parseInt(peer.member().name()));
  }

  private void announce(boolean now) {
    drains = now;
    viewAgain();
    tellOthers();
  }

  private void tellOthers() {
    for (ShareNode node : world.nodes) {
      if (node != this) {
        node.step(world.delay(world.faults.noticeMillis()), node::viewAgain);
      }
    }
  }

  /** By chance its connections are reset, or nobody hears of it. */
  void crash() {
    if (world.world.oneIn(2)) {
      reset();
    }
    world.world.tell(() -> this + " crashes");
    up = false;
    world.open -= clients.size();
    clients.clear();
    connections.clear();
    waiting.clear();
    looking = false;
    if (world.world.oneIn(2)) {
      store.clear();
    }
    forgetLostPurges();
    disk.crash();
    journal.crash();
    if (world.faults.crashesAtPurges() && world.world.oneIn(4)) {
      journal.damage();
    }
    store.values().removeIf(stored -> stored.untilNanos != NEVER);
    fromOrigin.clear();
    fromPeer.clear();
    fetching.clear();
    separate.clear();
    atOrigin.clear();
  }

  /** A purge of this node that was not answered may be lost: no other node knows it. */
  private void forgetLostPurges() {
    int[] kept = new int[purged.length];
    replication()
        .applied()
        .forEach(
            (stream, number) -> {
              if (!stream.node().equals(self.node())) {
                world.purged(stream, number, kept);
              }
            });
    for (int key = 0; key < kept.length; key++) {
      purged[key] = Math.max(kept[key], world.confirmed[key]);
    }
  }

  /** As kill -9 does: the kernel resets the connections. */
  void kill() {
    reset();
    crash();
  }

  private void reset() {
    for (Ask ask : connections) {
      world.at(
          world.delay(2),
          () -> {
            if (world.reaches(this, ask.by) && ask.by.isCurrent(ask)) {
              world.saw(Seen.RESET);
              ask.by.failed(ask, false);
            }
          });
    }
  }

  void hang(long forNanos) {
    hungUntilNanos = world.world.now() + forNanos;
  }

  void setClock(long nanos) {
    clockNanos = nanos;
  }

  void view(boolean[] nowThere, int nowDrained) {
    there = nowThere;
    drained = nowDrained;
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
      if (node == this || (there[node.index] && node.run > 0)) {
        Member member = node.member();
        if (node.index == drained) {
          member = draining(member);
        }
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
    ring = ring.next(view, self, now());
    trust().view(view);
  }

  private Member member() {
    Member member = Members.member(index, 100, drains);
    return new Member(
        self,
        member.name(),
        member.address(),
        member.bodies(),
        member.weight(),
        member.draining(),
        protocol);
  }

  private static Member draining(Member member) {
    return new Member(
        member.id(),
        member.name(),
        member.address(),
        member.bodies(),
        member.weight(),
        true,
        member.protocol());
  }

  /** As if all peers had answered since the faults. */
  void recovered() {
    ring.peers().forEach(peer -> peer.health().acknowledged());
  }

  /** Runs {@code step} if this run lasts so long, and later if the node stands still. */
  void step(long delayNanos, Runnable step) {
    long ofRun = run;
    world.at(
        delayNanos,
        () -> {
          if (up && run == ofRun) {
            arrive(step);
          }
        });
  }

  /** Runs {@code step} now, or later if the node stands still. */
  void arrive(Runnable step) {
    if (hungUntilNanos > world.world.now()) {
      step(hungUntilNanos - world.world.now(), step);
    } else {
      step.run();
    }
  }

  private void soon(Runnable step) {
    step(world.delay(2), step);
  }

  // Purges

  void purge(int key) {
    if (!up) {
      return;
    }
    arrive(
        () -> {
          int version = ++world.origin[key];
          world.world.tell(() -> this + " is asked to purge key " + key + " below " + version);
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
              world.world.tell(
                  () -> this + " purged key " + key + " below " + version + " " + nodes.text());
              if (world.isConfirmed(nodes)) {
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
    separate.forEach(flight -> flight.ended |= flight.key == key);
  }

  /** A message of the replication of {@code from} to the run {@code to}. */
  void message(NodeRun from, NodeRun to, byte[] message) {
    if (self.equals(to)) {
      arrive(() -> trust().message(from, message));
    }
  }

  private final class Progress implements PurgeProgress {
    @Override
    public void begins(NodeRun stream, long number) {
      if (world.holds(ShareRule.PURGES_THAT_HAVE_BEGUN_COUNT)) {
        purges.begins(stream, number);
      }
    }

    @Override
    public void applied(NodeRun stream, long number) {
      purges.applied(stream, number);
      if (up && number > 0 && stream.run() > 0 && !stream.equals(self)) {
        world.crashSoon(
            ShareNode.this, world.purgedKey(stream, number), Seen.CRASHED_AFTER_ACKNOWLEDGEMENT);
      }
    }
  }

  /** One run, as the code of the product sees it. */
  private final class Life extends SimRun implements Invalidations, StoreTrust.Store {
    private final long ofRun = run;

    Life() {
      super(self, world.count());
    }

    @Override
    public long nanos() {
      return now();
    }

    @Override
    protected void later(long delayNanos, Runnable step) {
      step(delayNanos, step);
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      if (run == ofRun) {
        int other = (int) to.node().getLeastSignificantBits();
        world.sendMessage(ShareNode.this, self(), world.nodes.get(other), to, message);
      }
    }

    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      ByteBuffer in = ByteBuffer.wrap(entry);
      int key = in.getInt();
      int version = in.getInt();
      world.crashSoon(ShareNode.this, key, Seen.CRASHED_BEFORE_ACKNOWLEDGEMENT);
      if (storeRefuses && world.world.oneIn(3)) {
        world.saw(Seen.STORE_REFUSED);
        purging(() -> then.accept(false));
      } else {
        purging(
            () -> {
              effect(key, version);
              purging(() -> then.accept(true));
            });
      }
    }

    private void purging(Runnable step) {
      step(world.delay(storeMillis), step);
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      world.saw(Seen.VALIDATED_ALL);
      purging(
          () -> {
            for (int key = 0; key < purged.length; key++) {
              effect(key, 0);
            }
            purging(() -> then.accept(true));
          });
    }

    @Override
    public void doubt() {
      doubtUntil = ++moments;
      separate.addAll(fromOrigin.values());
      separate.addAll(fromPeer.values());
      fromOrigin.clear();
      fromPeer.clear();
      fetching.clear();
      world.world.tell(() -> ShareNode.this + " doubts");
    }

    @Override
    public void trust() {
      doubtUntil = 0;
      world.world.tell(() -> ShareNode.this + " trusts");
    }
  }

  // Requests

  void request(int key) {
    if (!up) {
      return;
    }
    Reader reader = new Reader(key, world.confirmed[key], world.world.now(), null, null, null);
    clients.add(reader);
    world.open++;
    arrive(
        () -> {
          trust().requestBegins(now(), clockMillis());
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
    Flight begun = new Flight(reader.key, reader, 0);
    boolean isOwners = requests().owns(hash(begun.key), now());
    if (isOwners || world.holds(ShareRule.THE_CLAIM_COMES_AFTER_THE_FETCH_IS_KNOWN)) {
      register(begun, isOwners);
      soon(() -> begin(begun, plan(begun.key)));
    } else {
      List<PeerRequest<ShareNode>> plan = plan(begun.key);
      soon(
          () -> {
            register(begun, false);
            begin(begun, plan);
          });
    }
  }

  private List<PeerRequest<ShareNode>> plan(int key) {
    PeerRequest<ShareNode> first = requests().first(hash(key), now());
    PeerRequest<ShareNode> second = first == null ? null : requests().second(first, now());
    return first == null ? List.of() : second == null ? List.of(first) : List.of(first, second);
  }

  /** Of a request that came from a peer: the owner is never asked. */
  private List<PeerRequest<ShareNode>> previous(int key) {
    PeerRequest<ShareNode> previous = requests().previous(hash(key), now());
    return previous == null ? List.of() : List.of(previous);
  }

  private static boolean isOwners(List<PeerRequest<ShareNode>> plan) {
    return plan.isEmpty() || plan.get(0).rank() == PeerRequest.Rank.PREVIOUS;
  }

  /** A purge ends the fetch from now on. */
  private void register(Flight flight, boolean isOwners) {
    flight.moment = ++moments;
    flight.keepNanos = isOwners ? NEVER : COPY_NANOS;
    if (!isOwners) {
      fromPeer.putIfAbsent(flight.key, flight);
    } else {
      fromOrigin.put(flight.key, flight);
      if (fetching.put(flight.key, flight) != null) {
        ShareWorld.fail("two fetches of key " + flight.key + " at node " + index);
      }
    }
  }

  /** The owner may be another one than a moment ago. */
  private void begin(Flight flight, List<PeerRequest<ShareNode>> plan) {
    boolean isOwners = isOwners(plan);
    if (isOwners && fromPeer.remove(flight.key, flight)) {
      Flight other = fromOrigin.get(flight.key);
      if (other != null) {
        other.readers.addAll(flight.readers);
        flight.done = true;
        return;
      }
      register(flight, true);
    } else if (!isOwners && fromOrigin.remove(flight.key, flight)) {
      fetching.remove(flight.key, flight);
      flight.keepNanos = COPY_NANOS;
      fromPeer.put(flight.key, flight);
    }
    follow(flight, plan);
  }

  private void follow(Flight flight, List<PeerRequest<ShareNode>> plan) {
    flight.plan = plan;
    flight.at = 0;
    if (plan.isEmpty()) {
      fetch(flight);
    } else {
      ask(flight, plan.get(0), false);
    }
  }

  private @Nullable Stored stored(int key) {
    Stored stored = store.get(key);
    if (stored == null || stored.untilNanos < now()) {
      return null;
    }
    if (stored.moment <= doubtUntil && world.holds(ShareRule.A_NODE_THAT_COMES_BACK_DOUBTS)) {
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

  private void fetchAsOwner(Reader reader, int hops) {
    Flight flight = new Flight(reader.key, reader, hops);
    register(flight, true);
    soon(() -> begin(flight, previous(flight.key)));
  }

  private void fetch(Flight flight) {
    atOrigin.add(flight);
    world.fetched(flight.key);
    int slowMillis = world.slowMillis();
    step(
        world.delay(6),
        () -> {
          int version = world.origin[flight.key];
          step(
              world.delay(slowMillis),
              () -> {
                if (!flight.continued) {
                  head(flight, version, true);
                } else if (flight.version != version) {
                  breakOff(flight); // it has another entity tag
                  return;
                }
                step(world.delay(slowMillis), () -> end(flight));
              });
        });
  }

  /** As if it had asked each peer some hundred times, and was answered after a millisecond. */
  void isWarm() {
    Set<ClusterPeer> asked = new HashSet<>();
    for (int key = 0; key < purged.length; key++) {
      PeerRequest<ShareNode> request = requests().first(hash(key), now());
      if (request != null && asked.add(request.peer())) {
        for (int i = 0; i < 150; i++) {
          request.acknowledged(MILLI);
        }
      }
    }
  }

  // A request to a peer

  /**
   * @param asOwner the owner before it is out of routing
   */
  private void ask(Flight flight, PeerRequest<ShareNode> request, boolean asOwner) {
    Ask ask = new Ask(this, flight, request, now(), run);
    flight.ask = ask;
    ShareNode to = request.place();
    if (to == this) {
      ShareWorld.fail("node " + index + " asks itself");
    }
    if (asOwner) {
      world.saw(Seen.SECOND_BECAME_OWNER);
    }
    boolean onlyStored = request.onlyStored() && !asOwner;
    String tag = request.purges();
    int hops = flight.hops + 1;
    world.send(
        this,
        to,
        node -> node.hop(ask, flight.key, tag, hops, onlyStored),
        () -> failed(ask, false));
    waiting.add(ask);
    if (!looking) {
      looking = true;
      look(now());
    }
    step(READ_NANOS, () -> failed(ask, true));
  }

  private void acknowledged(Ask ask) {
    if (isCurrent(ask)) {
      ask.sign.came(now());
    }
  }

  private void look(long plannedNanos) {
    waiting.removeIf(ask -> !isCurrent(ask));
    if (waiting.isEmpty()) {
      looking = false;
      return;
    }
    long lateNanos = now() - plannedNanos;
    for (Ask ask : List.copyOf(waiting)) {
      if (isCurrent(ask) && ask.sign.isSilent(now(), lateNanos, () -> canContinue(ask.flight))) {
        failed(ask, true);
      }
    }
    long nextNanos = now() + SignOfLife.TICK_NANOS;
    step(SignOfLife.TICK_NANOS, () -> look(nextNanos));
  }

  /** As {@code Continuing} of the product: once, and by a strong entity tag. */
  private boolean canContinue(Flight flight) {
    return !flight.continued && world.hasEntityTag(flight.key);
  }

  private boolean isCurrent(Ask ask) {
    return ask.run == run && ask.flight.ask == ask && !ask.flight.done;
  }

  private void failed(Ask ask, boolean silent) {
    if (!isCurrent(ask)) {
      return;
    }
    if (world.faults.calm() && !ask.request.isOut()) {
      ShareWorld.fail("a request to a peer without faults failed");
    }
    world.world.tell(() -> this + " gets nothing of " + ask.request.place());
    if (!ask.acknowledged || (!silent && ask.version < 0)) {
      ask.request.failed(silent, now());
    }
    Flight flight = ask.flight;
    if (!ask.sign.hasResponded()) {
      next(ask);
    } else if (canContinue(flight)) {
      world.saw(Seen.CONTINUED);
      flight.ask = null;
      flight.continued = true;
      ask.request.place().connections.remove(ask);
      follow(flight, flight.hops > 0 ? previous(flight.key) : plan(flight.key));
    } else {
      breakOff(flight);
    }
  }

  private void breakOff(Flight flight) {
    world.saw(Seen.TRUNCATED);
    giveUp(flight);
  }

  /** The peer failed, or has no response stored. */
  private void next(Ask ask) {
    Flight flight = ask.flight;
    flight.ask = null;
    ask.request.place().connections.remove(ask);
    flight.at++;
    if (flight.at < flight.plan.size()) {
      ask(flight, flight.plan.get(flight.at), ask.request.isOut());
    } else if (ask.request.isOwnersFetch(now())) {
      fetch(flight);
    } else if (ask.request.takeFallBack(now())) {
      world.saw(Seen.FELL_BACK);
      fetch(flight);
    } else if (flight.continued) {
      breakOff(flight);
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
      acknowledged(ask);
      ask.request.answered(false);
      next(ask);
    }
  }

  private void peerHead(Ask ask, int key, int version, String answer) {
    if (!isCurrent(ask)) {
      return;
    }
    ask.sign.responded(now());
    ask.sign.reads();
    ask.request.answered(true);
    Flight flight = ask.flight;
    if (flight.key != key) {
      ShareWorld.fail("response of another key");
    }
    ask.version = version;
    if (flight.continued) {
      if (flight.version != version) {
        breakOff(flight);
      }
      return;
    }
    PeerRequest.Use use = ask.request.use(answer);
    PeerRequest.Rank rank = ask.request.rank();
    if (use == PeerRequest.Use.ALONE && !world.holds(ShareRule.VECTORS_ARE_COMPARED)) {
      use = rank == PeerRequest.Rank.PREVIOUS ? PeerRequest.Use.STORED : PeerRequest.Use.COPIED;
    }
    world.saw(use == PeerRequest.Use.ALONE ? Seen.ALONE_FROM_PEER : Seen.SHARED_FROM_PEER);
    if (rank == PeerRequest.Rank.PREVIOUS) {
      if (use == PeerRequest.Use.ALONE
          && world.holds(ShareRule.A_PULL_FROM_A_PEER_THAT_LAGS_IS_A_MISS)) {
        next(ask);
        return;
      }
      use = PeerRequest.Use.STORED;
      world.saw(Seen.PULLED);
    } else if (rank == PeerRequest.Rank.SECOND) {
      world.saw(Seen.SECOND_ANSWERED);
    }
    flight.keepNanos =
        switch (use) {
          case ALONE, JOINED -> 0;
          case COPIED -> COPY_NANOS;
          case STORED -> NEVER;
        };
    head(flight, version, use != PeerRequest.Use.ALONE);
  }

  private void peerEnd(Ask ask, int version) {
    if (isCurrent(ask) && ask.version >= 0) {
      if (ask.version != version) {
        ShareWorld.fail("bytes of another response");
      }
      ask.request.place().connections.remove(ask);
      end(ask.flight);
    }
  }

  // A request of a peer

  private void hop(Ask ask, int key, @Nullable String tag, int hops, boolean onlyStored) {
    if (hops > 1 && !onlyStored) {
      ShareWorld.fail("two hops towards an owner");
    }
    if (ask.by.isCurrent(ask)) {
      connections.add(ask);
    }
    world.send(this, ask.by, node -> node.acknowledged(ask), () -> {});
    serveHop(new Reader(key, 0, world.world.now(), ask.by, ask, tag), hops, onlyStored);
  }

  private void serveHop(Reader reader, int hops, boolean onlyStored) {
    reader.applied = purges.applied();
    trust().requestBegins(now(), clockMillis());
    int key = reader.key;
    soon(
        () -> {
          Stored stored = stored(key);
          if (stored != null) {
            sendHead(reader, stored.version);
            finish(reader, stored.version);
            return;
          }
          if (onlyStored && world.holds(ShareRule.ONLY_IF_CACHED_FETCHES_NOTHING)) {
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
            List<PeerRequest<ShareNode>> plan = plan(key);
            if (!isOwners(plan)) {
              Flight further = new Flight(key, reader, hops);
              further.keepNanos = 0;
              begin(further, plan);
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
    String answer = applied.answer(reader.tag);
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
      serveHop(reader, 1, false);
    }
  }

  private void end(Flight flight) {
    boolean keeps = flight.shared && !flight.ended && flight.keepNanos > 0;
    leave(flight);
    if (keeps) {
      long untilNanos = flight.keepNanos == NEVER ? NEVER : now() + flight.keepNanos;
      store.put(flight.key, new Stored(flight.version, untilNanos, flight.moment));
    }
    flight.readers.forEach(reader -> finish(reader, flight.version));
  }

  private void leave(Flight flight) {
    flight.done = true;
    separate.remove(flight);
    atOrigin.remove(flight);
    fromPeer.remove(flight.key, flight);
    fromOrigin.remove(flight.key, flight);
    fetching.remove(flight.key, flight);
  }

  /**
   * @param version -1: no response, or a truncated one
   */
  private void finish(Reader reader, int version) {
    if (reader.from == null) {
      world.world.tell(() -> this + " answers key " + reader.key + " with version " + version);
      if (version >= 0 && version < reader.leastVersion) {
        ShareWorld.fail("purged bytes of key " + reader.key + " at node " + index);
      }
      clients.remove(reader);
      world.answered(version >= 0, world.world.now() - reader.sinceNanos);
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

  @Override
  public String toString() {
    return "node" + index + "." + run;
  }
}
