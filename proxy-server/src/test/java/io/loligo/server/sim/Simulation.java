package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.settings.FetchDirectives;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Stage;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The whole proxy on a virtual clock, with its clients, origins and nameserver, all drawn from one
 * seed. Permanent invariants are checked at every output, and final ones at the end, when no client
 * is active any more.
 */
final class Simulation {
  /** Sizes of a cache that is too small for the requests, bytes. */
  private static final List<Long> TIGHT =
      List.of(2L << 10, 3L << 10, 5L << 10, 9L << 10, 48L << 10);

  /** The smallest read_ahead_gap, less a little: no reader lags within it. */
  private static final int LEAST_GAP_BYTES = 4_000;

  private final World world;
  private final Faults faults;
  private final Truth truth;
  private final Network network;
  private final Origin origin;
  private final Nameserver nameserver;
  private final List<Resource> resources = new ArrayList<>();
  private final Map<Integer, SimRequest> requests = new HashMap<>();
  private final List<Client> clients = new ArrayList<>();
  private final SimFeatures features;
  private final List<SimSetting> settings;
  private final List<Parent> parents = new ArrayList<>();
  private final List<TunnelClient> tunnels = new ArrayList<>();
  private final List<Talker> farEnds = new ArrayList<>();

  /** Null: nothing is on disk. */
  private final Disks disks;

  /** The same with pools of this world. */
  private final IdentityHashMap<SimSetting, SimSetting> pooled = new IdentityHashMap<>();

  private SimSetting setting;
  private Life life;
  private int lives;

  /** Whether a next life follows, and no port is open until then. */
  private boolean restarting;

  /** Whether {@link #life} has stopped in order, and is to be closed. */
  private boolean closing;

  /** When the last life ended, and when the last one was killed; negative: none was. */
  private long endedNanos = -1;

  private long killedNanos = -1;
  private boolean alwaysCollapsed;
  private int purgesLeft;
  private int revalidationsLeft;
  private int purgesOfOvertakersLeft;
  private Resource lastAsked;
  private int killsLeft;
  private long cacheBytes;
  private long evictions;
  private int records;

  /** Requests whose stages do not add up to their time. */
  private final List<String> unexplained = new ArrayList<>();

  private int dialledDead;
  private int smallFailures;
  private int http2Connections;
  private int originStreams;
  private long fromDisk;
  private long fromLivesBefore;
  private long evictionsFromDisk;

  Simulation(long seed, boolean tracing) {
    world = new World(seed, tracing);
    faults = new Faults(world);
    truth = new Truth(world, faults);
    network = new Network(world, this::dialled);
    features = SimFeatures.of(seed);
    settings = features.parents() ? SimSetting.WITH_PARENTS : SimSetting.ALL;
    setting = anySetting();
    truth.rulesBegin(setting, false);
    int hosts = 1 + world.draw(features.parents() ? 3 : 2);
    for (int i = 1 + world.draw(7); i > 0; i--) {
      resources.add(new Resource(world, resources.size(), hosts));
    }
    origin = new Origin(this, resources, requests, this::sharedBytes, this::answers);
    nameserver = new Nameserver(world, faults);
    SimSetting.ADDRESSES.forEach(
        (name, addresses) ->
            nameserver.knows(name, addresses.stream().map(InetAddress::getAddress).toList()));
    for (int i = 0; features.parents() && i < 2; i++) {
      parents.add(new Parent(world, i));
    }
    for (int i = features.tunnels() ? 1 + world.draw(4) : 0; i > 0; i--) {
      String host = (char) ('a' + world.draw(hosts)) + ".test";
      Tunneled tunnel = new Tunneled(world, tunnels.size(), host);
      tunnels.add(new TunnelClient(this, 20_000 + tunnels.size(), tunnel));
    }
    disks = hasDisks(seed) ? new Disks(world, faults) : null;
    alwaysCollapsed = setting.config.get(FetchDirectives.COLLAPSED_FORWARDING);
    boolean tight = world.chance(disks == null ? 30 : 60);
    cacheBytes = tight ? world.one(TIGHT) : setting.config.get(MemoryDirectives.CACHE_MEM);
    live();
  }

  /**
   * Whether the world of {@code seed} has disks: every second one behind the first ten thousand.
   */
  static boolean hasDisks(long seed) {
    return seed >= 10_000 && seed % 2 == 1;
  }

  private SimSetting anySetting() {
    SimSetting any = world.one(settings);
    return features.pools() ? pooled.computeIfAbsent(any, SimSetting::pooled) : any;
  }

  /** Times that bytes had to wait for a pool. */
  long waits() {
    return pooled.values().stream().mapToLong(SimSetting::waits).sum();
  }

  /** A process begins. */
  private void live() {
    if (disks != null) {
      disks.begin();
    }
    lives++;
    records = 0;
    restarting = false;
    life =
        new Life(
            world, faults, truth, network, nameserver, setting, cacheBytes, disks, this::logged);
  }

  World world() {
    return world;
  }

  Faults faults() {
    return faults;
  }

  Truth truth() {
    return truth;
  }

  /** Answers that came from the store. */
  int fromStore() {
    return truth.fromStore();
  }

  /** Entries that had to go for others. */
  long evictions() {
    return evictions;
  }

  /** Lives but the first. */
  int restarts() {
    return lives - 1;
  }

  /** Responses found on disk. */
  long fromDisk() {
    return fromDisk;
  }

  /** The same in lives but the first. */
  long fromLivesBefore() {
    return fromLivesBefore;
  }

  /** Responses evicted from disk for others. */
  long evictionsFromDisk() {
    return evictionsFromDisk;
  }

  /** Answers to QUERY that came from the store. */
  int queriesFromStore() {
    return truth.queriesFromStore();
  }

  /** Requests sent to parents. */
  int askedParents() {
    return truth.askedParents();
  }

  /** Connections to parents that were dead. */
  int dialledDead() {
    return dialledDead;
  }

  /** Small files of disks that could not be read or changed. */
  int smallFailures() {
    return smallFailures;
  }

  /** Tunnels that both sides ended, having heard all. */
  long wholeTunnels() {
    return tunnels.stream().filter(each -> each.tunnel().isWhole()).count();
  }

  /** Connections of clients over HTTP/2. */
  int http2Connections() {
    return http2Connections;
  }

  /** Requests to origins over HTTP/2. */
  int originStreams() {
    return originStreams;
  }

  int asked() {
    return origin.asked();
  }

  int requests() {
    return requests.size();
  }

  // ---- the network

  /** Client number {@code client} connects. */
  SimSocket connect(SimPeer client, int number) {
    return connect(client, number, false);
  }

  private SimSocket connect(SimPeer client, int number, boolean http2) {
    int loop = world.draw(Life.LOOPS);
    SimSocket socket =
        new SimSocket(network, client, new InetSocketAddress("10.2.0.1", 10_000 + number));
    network.accepted(socket);
    life.accepted(socket, loop, http2);
    return socket;
  }

  /** Whether client number {@code client} speaks HTTP/2. */
  boolean speaksHttp2(int client) {
    return features.http2Clients() && client % 2 == 0;
  }

  /** The same over HTTP/2. */
  ClientStreams connectStreams(Client client, int number) {
    ClientStreams streams = new ClientStreams(world, client);
    streams.begin(connect(streams, number, true));
    http2Connections++;
    return streams;
  }

  private void dialled(SimSocket socket, InetSocketAddress address) {
    byte[] bytes = address.getAddress().getAddress();
    int last = bytes[3];
    boolean toParent = bytes[1] == 8 && last < parents.size() && address.getPort() == 3128;
    if (bytes[1] != 9 && !toParent) {
      world.fail("dialled " + address + ", which no nameserver named");
      return;
    }
    if (!toParent && !truth.mayDial(last)) {
      world.fail("dialled " + address + ", which no configuration allows");
    }
    String host = parents.isEmpty() ? (char) ('a' - 1 + last) + ".test" : Faults.ANY;
    long micros = network.latencyMicros();
    Parent parent = toParent ? parents.get(last) : null;
    if (parent != null && parent.isDown()) {
      dialledDead(socket, parent, micros);
      return;
    }
    if (world.chance(faults.connect())) {
      faults.trouble(host, 0);
      if (world.chance(40)) {
        faults.troubleUntil(host, world.millis() + 10_000);
        return; // there is no response
      }
      world.after(micros, socket::refused);
      return;
    }
    int port = address.getPort();
    if (!toParent && port == 80 && features.http2Origins() && !features.tunnels()) {
      world.after(micros, () -> connectedOverHttp2(socket));
      return;
    }
    if (toParent || port == 80) {
      world.after(micros, () -> socket.connected(origin.accept(socket, parent)));
      return;
    }
    Tunneled tunnel = tunnel(port);
    world.after(
        micros,
        () -> {
          truth.tunnelled(tunnel);
          tunnel.opened(socket);
          Talker far = talker(socket, tunnel, false);
          socket.connected(far);
          far.begin();
        });
  }

  private void connectedOverHttp2(SimSocket socket) {
    OriginStreams streams =
        new OriginStreams(
            world,
            socket,
            stream -> {
              originStreams++;
              return origin.accept(stream, null);
            });
    socket.speakHttp2();
    socket.connected(streams);
    streams.begin();
  }

  private void dialledDead(SimSocket socket, Parent parent, long micros) {
    dialledDead++;
    Parent other = parents.get(1 - parent.number);
    if (faults.isCalm() && !other.isDown() && parent.isKnownDead()) {
      world.fail("parent " + parent.number + " is dialled, which is known as dead");
    }
    if (!faults.isCalm() && world.chance(30)) {
      return;
    }
    long dialled = world.nanoTime();
    world.after(
        micros,
        () -> {
          parent.refused(dialled);
          socket.refused();
        });
  }

  // ---- tunnels

  /** The tunnel whose target has {@code port}. */
  Tunneled tunnel(int port) {
    Tunneled tunnel = tunnels.get(Tunneled.id(port)).tunnel();
    tunnel.check(tunnel.port() == port, "is asked for with port %d", port);
    return tunnel;
  }

  /** The tunnel that the request for an upgrade of {@code path} is for. */
  Tunneled upgraded(String path) {
    return tunnels.get(Integer.parseInt(path.substring(2))).tunnel();
  }

  /** One side of {@code tunnel}, which is open now. */
  Talker talker(SimSocket socket, Tunneled tunnel, boolean isClient) {
    int breaks = isClient ? faults.clients() : faults.origin();
    Talker talker = new Talker(world, socket, tunnel, isClient, breaks);
    if (!isClient) {
      farEnds.add(talker);
    }
    return talker;
  }

  /** {@code tunnel} is asked for. */
  void asked(Tunneled tunnel, SimSocket socket) {
    Life mine = life;
    tunnel.asked(socket, mine::drain);
  }

  /** Whether the client of {@code tunnel} may be left without a response. */
  boolean mayBeLost(Tunneled tunnel) {
    return !faults.isCalm() || tunnel.mayBeLost();
  }

  // ---- events

  private SimRequest newRequest(Resource resource, boolean crowd) {
    SimRequest request =
        new SimRequest(world, requests.size() + 1, resource, crowd, features.queries());
    requests.put(request.id, request);
    return request;
  }

  /** The same once more, or one like it. */
  SimRequest again(SimRequest request) {
    return newRequest(request.resource, false);
  }

  /** Concurrent requests for less share a fetch: a larger response is not stored. */
  private long sharedBytes() {
    // the simulated disk keeps validated responses unchanged
    boolean shares = alwaysCollapsed && !life.isPlayed() && disks == null;
    return shares ? storableBytes() : 0;
  }

  /** Content of this size or more is never stored. */
  private long storableBytes() {
    // the head, the index and the other costs of an entry take some, and so does rounding up
    long fits = cacheBytes / 4 - 512;
    return Math.min(MemorySettings.of(setting.config).maxObjectInMemoryBytes(), Math.max(0, fits));
  }

  /**
   * Whether readers that lag behind another are cut: they cannot continue from a response that is
   * not stored.
   */
  boolean mayBeCut(Resource resource) {
    boolean unstored = truth.isDisturbed(resource) && resource.maxLength() >= LEAST_GAP_BYTES;
    return unstored || resource.maxLength() >= storableBytes();
  }

  /** {@code request} was sent on a connection that is closed, and may have been read or not. */
  void abandoned(SimRequest request) {
    request.over = true;
    truth.disturb(request.resource);
  }

  private void script() {
    int sessions = 2 + world.draw(8);
    for (int i = 0; i < sessions; i++) {
      List<SimRequest> wanted = new ArrayList<>();
      for (int n = 1 + world.draw(5); n > 0; n--) {
        wanted.add(newRequest(world.one(resources), false));
      }
      begin(wanted, world.draw(15_000_000));
    }
    for (int i = world.draw(3); i > 0; i--) {
      crowd();
    }
    for (int i = world.draw(8); i > 0; i--) {
      Resource resource = world.one(resources);
      world.after(world.draw(25_000_000), () -> resource.version++);
    }
    for (int i = world.chance(disks == null ? 40 : 70) ? 1 + world.draw(4) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), () -> purge(world.one(resources)));
    }
    purgesLeft = world.chance(20) ? 3 : 0;
    for (int i = world.chance(15) ? 1 + world.draw(3) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), this::stepClock);
    }
    for (int i = world.chance(20) ? 1 + world.draw(3) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), this::reload);
    }
    if (world.chance(12) && disks == null) {
      world.after(world.draw(20_000_000), this::stop);
    }
    if (cacheBytes <= TIGHT.get(TIGHT.size() - 1) && world.chance(30)) {
      world.after(world.draw(20_000_000), this::resize);
    }
    if (disks != null) {
      scriptOfLives();
    }
    tunnels.forEach(tunnel -> world.after(world.draw(15_000_000), tunnel::begin));
    // where nothing is to go wrong the other one is there
    for (Parent parent :
        faults.isCalm() ? parents.subList(0, Math.min(1, parents.size())) : parents) {
      if (world.chance(70)) {
        world.after(world.draw(12_000_000), () -> die(parent));
      }
    }
    for (int i = features.revalidations() ? 1 + world.draw(3) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), this::revalidateAll);
    }
    revalidationsLeft = features.revalidations() ? 3 : 0;
  }

  private void die(Parent parent) {
    boolean politely = faults.isCalm() || world.chance(50);
    if (!faults.isCalm()) {
      faults.trouble(Faults.ANY, 1);
    }
    parent.dies(politely);
    world.after(
        1_000_000 + world.draw(world.chance(50) ? 3_000_000 : 25_000_000),
        () -> {
          parent.comesBack();
          if (!faults.isCalm()) {
            faults.trouble(Faults.ANY, -1);
            faults.troubleUntil(Faults.ANY, world.millis() + 12_000);
          }
        });
  }

  /** The process ends and begins again, and the same things are asked for. */
  private void scriptOfLives() {
    killsLeft = world.chance(40) ? 1 : 0;
    purgesOfOvertakersLeft = world.chance(50) ? 4 : 0;
    disks.whenOvertaking(this::purgeWhereOvertaken);
    for (int i = world.draw(3); i > 0; i--) {
      world.after(
          3_000_000 + world.draw(14_000_000), world.chance(30) ? this::restart : this::kill);
    }
    for (int i = 2 + world.draw(5); i > 0; i--) {
      begin(List.of(newRequest(world.one(resources), false)), 10_000_000 + world.draw(12_000_000));
    }
  }

  private void begin(List<SimRequest> wanted, long micros) {
    Client client = new Client(this, clients.size(), wanted);
    clients.add(client);
    world.after(micros, client::next);
  }

  /** Many want the same at about the same time. */
  private void crowd() {
    Resource resource = world.one(resources);
    long micros = world.draw(15_000_000);
    for (int n = 2 + world.draw(6); n > 0; n--) {
      begin(List.of(newRequest(resource, true)), micros + world.draw(100_000));
    }
  }

  private void reload() {
    if (restarting || life.isReloading()) {
      return;
    }
    SimSetting other = anySetting();
    boolean closes = world.chance(50);
    parents.forEach(Parent::forgotten);
    life.reload(other, closes);
    alwaysCollapsed &= life.inForce().get(FetchDirectives.COLLAPSED_FORWARDING);
    world.note("reload, closed: %s", closes);
  }

  private void stop() {
    long lifetime = world.one(List.of(500L, 3_000L, 20_000L, 120_000L));
    world.note("draining for %d ms", lifetime);
    clients.forEach(Client::meetsTheEnd);
    life.drain(lifetime, tunnelLifetime(lifetime), () -> {});
  }

  private long tunnelLifetime(long lifetimeMillis) {
    return features.tunnels() ? world.one(List.of(200L, 2_000L, lifetimeMillis)) : lifetimeMillis;
  }

  /** The process ends in order, and another one begins. */
  private void restart() {
    if (!restarting && !done()) {
      restarting = true;
      long lifetime = world.one(List.of(100L, 1_000L, 3_000L));
      world.note("ends within %d ms", lifetime);
      clients.forEach(Client::meetsTheEnd);
      life.drain(lifetime, tunnelLifetime(lifetime), () -> closing = true);
    }
  }

  private void closeAndLive() {
    closing = false;
    for (int i = 0; i < 60 && !life.isLanded(); i++) {
      world.pass(1_000);
    }
    count();
    life.endExchanges();
    world.pass(1_000);
    evictions += life.close(records);
    ended();
    live();
    world.note("begins anew");
    if (killsLeft > 0) {
      // the content left by a clean end must not outlive the following one
      world.after(world.draw(3_000_000), () -> purge(world.one(resources)));
    }
  }

  /** The process is killed, or the system ends with it, and another one begins. */
  private void kill() {
    if (restarting || done()) {
      return;
    }
    restarting = true;
    boolean power = world.chance(40);
    world.note(power ? "the power fails" : "killed");
    count();
    if (power) {
      truth.powerFailed();
    } else {
      truth.killed(disks.idleNanos());
    }
    tunnels.forEach(each -> each.tunnel().killed());
    life.kill(power);
    killedNanos = world.nanoTime();
    ended();
    world.after(
        1_000 + world.draw(400_000),
        () -> {
          live();
          world.note("begins after that");
        });
  }

  private void ended() {
    endedNanos = world.nanoTime();
    if (faults.disk() > 0 && world.chance(30)) {
      disks.damage();
    }
    resources.forEach(truth::disturb);
    truth.rulesEnd();
    setting = anySetting();
    truth.rulesBegin(setting, false);
    parents.forEach(Parent::forgotten);
  }

  private void count() {
    smallFailures += disks == null ? 0 : disks.smallFailures();
    for (DiskStats stats : life.diskStats()) {
      fromDisk += stats.hits();
      fromLivesBefore += lives > 1 ? stats.hits() : 0;
      evictionsFromDisk += stats.evictions();
      world.note("%s", stats);
    }
  }

  /** How the proxy stopped; null: not yet. */
  Life.Drain drain() {
    return life.drain();
  }

  /** Whether a client can connect. */
  boolean isListening() {
    return !restarting && life.drain() == null;
  }

  /** Whether a client can connect later, if none can now. */
  boolean comesBack() {
    return restarting;
  }

  /** When the last life ended; negative: none has. */
  long endedNanos() {
    return endedNanos;
  }

  private void resize() {
    cacheBytes = Math.min(cacheBytes, world.one(TIGHT));
    world.note("the cache is to have %d bytes", cacheBytes);
    life.resize(cacheBytes);
  }

  /** An origin is about to respond: a purge now meets a response in transit. */
  private void answers(Resource resource) {
    if (purgesLeft > 0 && world.chance(40)) {
      purgesLeft--;
      world.after(world.draw(5_000), () -> purge(resource));
      begin(List.of(newRequest(resource, true)), 100_000 + world.draw(900_000));
    }
    if (revalidationsLeft > 0 && world.chance(40)) {
      revalidationsLeft--;
      world.after(world.draw(5_000), this::revalidateAll);
      begin(List.of(newRequest(resource, true)), 6_000 + world.draw(200_000));
    }
  }

  private void stepClock() {
    long most = world.one(List.of(3_000L, 30_000L, 3_600_000L));
    world.stepClock((1L + world.draw((int) most)) * (world.chance(50) ? 1 : -1));
    // an expiring response is fetched again, and not together with one that did not expire
    resources.forEach(truth::disturb);
  }

  private void purge(Resource resource) {
    if (restarting) {
      return;
    }
    SimLoop loop = life.anyLoop();
    boolean soft = world.chance(30);
    boolean pattern = !soft && world.chance(30);
    Purge what =
        pattern
            ? new Purge.Matching(UrlPattern.of(resource.host, resource.path))
            : new Purge.Url(CacheKeys.of(resource.url()), soft);
    if (pattern) {
      resources.forEach(truth::disturb);
    }
    truth.disturb(resource);
    loop.execute(
        () -> {
          long asked = world.nanoTime();
          world.note("purge of %s", what);
          life.store()
              .purge(
                  what,
                  loop,
                  purged -> {
                    world.note("purged %s: %s", what, purged);
                    // the lateness of the clock is unknown for earlier lives
                    boolean reaches = !(soft || pattern) || lives == 1 || !world.wasSetBack();
                    if (purged.outcome() == Purged.Outcome.DONE && reaches) {
                      truth.purged(resource, asked, soft);
                      killSoon(resource);
                    }
                  });
        });
  }

  /** Nothing stored until now may be served without a validation. */
  private void revalidateAll() {
    if (restarting) {
      return;
    }
    SimLoop loop = life.anyLoop();
    resources.forEach(truth::disturb);
    loop.execute(
        () -> {
          long asked = world.nanoTime();
          world.note("purge of everything");
          life.store()
              .purge(
                  new Purge.Everything(),
                  loop,
                  purged -> {
                    world.note("purged everything: %s", purged);
                    boolean reaches = lives == 1 || !world.wasSetBack();
                    if (purged.outcome() == Purged.Outcome.DONE && reaches) {
                      resources.forEach(each -> truth.purged(each, asked, false));
                      killSoon(world.one(resources));
                    }
                  });
        });
  }

  /** {@code request} is being asked. */
  void sent(SimRequest request) {
    lastAsked = request.resource;
  }

  /** A purge while a task waits for its disk, usually for the last request. */
  private void purgeWhereOvertaken() {
    if (purgesOfOvertakersLeft > 0 && world.chance(10) && !done()) {
      purgesOfOvertakersLeft--;
      boolean any = lastAsked == null || world.chance(25);
      Resource resource = any ? world.one(resources) : lastAsked;
      purge(resource);
      begin(List.of(newRequest(resource, true)), 50_000 + world.draw(900_000));
    }
  }

  /** {@code request} was answered: the responses that it removes must not come back. */
  void answered(SimRequest request) {
    if (request.method.equals("POST")) {
      killSoon(request.resource);
    }
  }

  /** A removed response must not come back. */
  private void killSoon(Resource resource) {
    if (killsLeft > 0 && world.chance(50) && !done()) {
      killsLeft--;
      world.after(world.draw(world.chance(50) ? 1_000 : 1_000_000), this::kill);
      begin(List.of(newRequest(resource, false)), 1_000_000 + world.draw(3_000_000));
    }
  }

  // ---- the log

  private void logged(ExchangeRecord record) {
    records++;
    stagesAddUp(record);
    if (record.request == null) {
      return;
    }
    Fields fields = record.request.fields();
    for (int i = 0; i < fields.count(); i++) {
      if (fields.name(i).toString().equalsIgnoreCase("X-Tunnel")) {
        tunnels.get(Integer.parseInt(fields.value(i).toString())).tunnel().logged(record);
      }
      if (fields.name(i).toString().equalsIgnoreCase("X-Req")) {
        SimRequest request = requests.get(Integer.parseInt(fields.value(i).toString()));
        request.records++;
        request.loggedStatus = record.status;
        request.invalidated = !record.invalidationLate;
        world.note("logged %d: %d %s", request.id, record.status, record.tag);
      }
    }
  }

  /** The stages in sequence explain the response time, whatever happened. */
  private void stagesAddUp(ExchangeRecord record) {
    long sum = 0;
    StringBuilder stages = new StringBuilder();
    for (Stage stage : Stage.values()) {
      if (record.stage(stage) >= 0) {
        sum += stage.inSequence() ? record.stage(stage) : 0;
        stages.append(' ').append(stage).append(' ').append(record.stage(stage));
      }
    }
    long total = record.stage(Stage.TOTAL);
    if (sum < total * 9 / 10 || sum > total * 11 / 10) {
      unexplained.add(record.hitClass + " " + record.tag + stages);
    }
  }

  // ---- the whole

  /** Plays it to its end. */
  void run() {
    world.note(
        "%s, %d bytes of cache, calm: %s, disks: %s", setting, cacheBytes, faults.isCalm(), disks);
    script();
    long limit = TimeUnit.MINUTES.toNanos(20);
    while (!done()) {
      if (closing) {
        closeAndLive();
      }
      if (!world.step(limit)) {
        throw new AssertionError("not done after 20 minutes");
      }
      if (disks != null) {
        disks.look();
      }
    }
    end();
    network.end();
  }

  private boolean done() {
    if (restarting) {
      return false;
    }
    for (Client client : clients) {
      if (!client.isDone()) {
        return false;
      }
    }
    return tunnels.stream().allMatch(TunnelClient::isDone)
        && farEnds.stream().allMatch(Talker::isOver);
  }

  private void end() {
    // background work ends by itself
    world.pass(40_000);
    count();
    life.endExchanges();
    world.pass(1_000);
    for (SimRequest request : requests.values()) {
      boolean told = request.headArrived && request.sentNanos > killedNanos;
      assertThat(unexplained).isEmpty();
      assertThat(request.records).as("log lines of %s", request).isBetween(told ? 1 : 0, 1);
      if (told) {
        assertThat(request.loggedStatus).as("logged of %s", request).isEqualTo(request.status);
      }
    }
    tunnels.forEach(each -> each.tunnel().end());
    // responses without readers and without a place are released before the end, too
    long pinned = life.pinnedBytes();
    evictions += life.close(records);
    assertThat(pinned).as("entries nobody lets go of").isZero();
  }
}
