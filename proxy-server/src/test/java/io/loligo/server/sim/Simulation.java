package io.loligo.server.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.Memory;
import io.loligo.core.config.Reconfiguration;
import io.loligo.core.message.Fields;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.SimulatedProxy;
import io.loligo.server.downstream.ListeningPort;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.upstream.names.DnsSettings;
import io.loligo.server.wire.FakeDisk;
import io.loligo.store.Store.LoadOutcome;
import io.loligo.store.StoreStats;
import io.loligo.store.TieredStore;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The whole proxy on a virtual clock, with its clients, origins and nameserver, all out of one
 * seed. What must always hold is checked whenever something comes out of it, and what must hold in
 * the end when nobody wants anything any more.
 */
final class Simulation {
  private static final Map<String, List<InetAddress>> ADDRESSES =
      Map.of(
          "a.test", List.of(NetUtil.createInetAddressFromIpAddressString("10.9.0.1")),
          "b.test", List.of(NetUtil.createInetAddressFromIpAddressString("10.9.0.2")));

  /** Configurations; a world has one of them. */
  private static final List<Setting> SETTINGS =
      List.of(
          new Setting(""),
          new Setting("loligo_stream_buffer_size 4 KB", "read_ahead_gap 4 KB"),
          new Setting("quick_abort_min 0 KB", "quick_abort_max 0 KB"),
          new Setting("maximum_object_size_in_memory 16 KB", "read_ahead_gap 8 KB"),
          new Setting("range_offset_limit none", "loligo_stream_buffer_size 4 KB"),
          new Setting("collapsed_forwarding off", "half_closed_clients on"));

  /** Sizes of a cache that is too small for what is asked for, octets. */
  private static final List<Long> TIGHT =
      List.of(2L << 10, 3L << 10, 5L << 10, 9L << 10, 48L << 10);

  private static final List<LoadOutcome> OUTCOMES =
      List.of(LoadOutcome.ABSENT, LoadOutcome.DAMAGED, LoadOutcome.BUSY);

  private static final int LOOPS = 2;

  /** The smallest read_ahead_gap, less a little: nobody lags behind in less. */
  private static final int LEAST_GAP_BYTES = 4_000;

  /** Everything sent is there before. */
  private static final long LATEST_ARRIVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** A configuration, read once for all worlds. */
  private static final class Setting {
    private final ProxyConfig config;
    private final DnsSettings names;

    /** The same where nobody has to be asked. */
    private final DnsSettings listed;

    /** The same with {@link Truth#isClosed} resources. */
    private final ProxyConfig closing;

    Setting(String... lines) {
      String text =
          String.join(
              "\n",
              "http_port 3128",
              "cache_mem 16 MB",
              "dns_nameservers 192.0.2.53",
              "hosts_file none",
              "dns_timeout 6 seconds",
              "dns_retransmit_interval 2 seconds",
              "negative_dns_ttl 3 seconds",
              "positive_dns_ttl 20 seconds",
              "connect_timeout 3 seconds",
              "forward_timeout 8 seconds",
              "read_timeout 5 seconds",
              "write_timeout 6 seconds",
              "request_timeout 5 seconds",
              "request_start_timeout 10 seconds",
              "client_idle_pconn_timeout 10 seconds",
              "server_idle_pconn_timeout 6 seconds",
              "loligo_collapsed_wait 4 seconds",
              "max_stale " + Truth.MAX_STALE + " seconds",
              String.join("\n", lines),
              "");
      config = read(text + "http_access allow all\n");
      closing =
          read(
              text
                  + "acl closed urlpath_regex [13579]$\n"
                  + "http_access deny closed\n"
                  + "http_access allow all\n");
      names = DnsSettings.load(config.dns());
      listed = new DnsSettings(names.config(), names.servers(), ADDRESSES, names.system());
    }

    private static ProxyConfig read(String text) {
      ConfigResult result = new ConfigReader(new FileConfigSource()).readText("sim.conf", text);
      assertThat(result.errors()).isEmpty();
      return result.config();
    }

    @Override
    public String toString() {
      return config.memory() + " " + config.forwarding();
    }
  }

  private final World world;
  private final Faults faults;
  private final Truth truth;
  private final Network network;
  private final Origin origin;
  private final Setting setting;
  private final List<Resource> resources = new ArrayList<>();
  private final Map<Integer, Request> requests = new HashMap<>();
  private final List<Client> clients = new ArrayList<>();
  private final List<SimLoop> loops = new ArrayList<>();
  private final SimLoop maintenance;
  private final MemoryLedger transit;
  private final TieredStore store;
  private final FakeDisk disk;
  private final SimulatedProxy proxy;
  private ProxyConfig inForce;
  private Drain drain;
  private boolean drained;
  private boolean reloading;
  private boolean alwaysCollapsed;
  private int purgesLeft;
  private long cacheBytes;
  private long evictions;
  private final ListeningPort listening;
  private int records;

  Simulation(long seed, boolean tracing) {
    world = new World(seed, tracing);
    faults = new Faults(world);
    truth = new Truth(world, faults);
    network = new Network(world, this::dialled);
    setting = world.one(SETTINGS);
    int hosts = 1 + world.draw(2);
    for (int i = 1 + world.draw(7); i > 0; i--) {
      resources.add(new Resource(world, resources.size(), hosts));
    }
    origin =
        new Origin(world, faults, truth, resources, requests, this::sharedBytes, this::answers);
    Nameserver nameserver = new Nameserver(world, faults);
    ADDRESSES.forEach((name, addresses) -> nameserver.knows(name, addresses.get(0).getAddress()));
    for (int i = 0; i < LOOPS; i++) {
      loops.add(world.addLoop("loop-" + i));
    }
    maintenance = world.addLoop("maintenance");
    SimLoop walks = world.addLoop("walks");
    transit = new MemoryLedger(16 << 20);
    ProxyConfig config = setting.config;
    inForce = config;
    alwaysCollapsed = config.forwarding().collapsedForwarding();
    cacheBytes = world.chance(30) ? world.one(TIGHT) : config.memory().cacheBytes();
    try {
      store =
          new TieredStore(
              network.allocator(),
              of(config.memory(), cacheBytes),
              config.disk(),
              transit,
              new PacedExecutor(task -> maintenance.schedule(task, 5, TimeUnit.MILLISECONDS)),
              walks,
              world::wallMillis);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    store.open().join();
    maintenance.scheduleWithFixedDelay(store::tick, 1, 1, TimeUnit.SECONDS);
    disk = new FakeDisk(store, this::onDisk, network.allocator());
    disk.onDisk = world.chance(30);
    proxy =
        new SimulatedProxy(
            config,
            faults.dnsError() > 0 || world.chance(5) ? setting.names : setting.listed,
            loops,
            new SocketTransport(() -> new SimSocket(network), network.allocator()),
            () -> new SimDatagrams(network, nameserver),
            disk.onDisk ? disk : store,
            new Time(),
            this::logged);
    listening = new ListeningPort(config.ports().get(0));
  }

  private static Memory of(Memory memory, long cacheBytes) {
    return new Memory(
        cacheBytes,
        memory.maxObjectInMemoryBytes(),
        memory.transitBytes(),
        memory.streamBufferBytes(),
        memory.readAheadGapBytes());
  }

  private final class Time implements TimeSource {
    @Override
    public long nanos() {
      return world.nanoTime();
    }

    @Override
    public long millis() {
      return world.wallMillis();
    }
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

  int asked() {
    return origin.asked();
  }

  int requests() {
    return requests.size();
  }

  // ---- the network

  /** Client number {@code client} connects. */
  SimSocket connect(Client client, int number) {
    int loop = world.draw(LOOPS);
    SimSocket socket =
        new SimSocket(network, client, new InetSocketAddress("10.2.0.1", 10_000 + number));
    network.accepted(socket);
    SimLoop eventLoop = loops.get(loop);
    eventLoop.execute(
        () -> {
          socket.pipeline().addLast(new Http1Connection(proxy.clients(loop), listening));
          eventLoop.register(socket);
        });
    return socket;
  }

  private void dialled(SimSocket socket, InetSocketAddress address) {
    String host = address.getAddress().getAddress()[3] == 1 ? "a.test" : "b.test";
    if (address.getAddress().getAddress()[1] != 9) {
      throw new AssertionError("dialled " + address + ", which no nameserver named");
    }
    long micros = network.latencyMicros();
    if (world.chance(faults.connect())) {
      faults.trouble(host, 0);
      if (world.chance(40)) {
        faults.troubleUntil(host, world.millis() + 10_000);
        return; // nobody answers
      }
      world.after(micros, socket::refused);
      return;
    }
    world.after(micros, () -> socket.connected(origin.accept(socket)));
  }

  /** What is to be done on disk is done, some time and perhaps in vain. */
  private void onDisk(Runnable task) {
    boolean late = world.chance(faults.disk());
    world.after(
        late ? world.draw(5_000_000) : world.draw(20_000),
        () -> {
          boolean fails = world.chance(faults.disk());
          disk.outcome = fails ? world.one(OUTCOMES) : LoadOutcome.FOUND;
          disk.damagedFrom = world.chance(faults.disk()) ? world.draw(10_000) : Long.MAX_VALUE;
          task.run();
        });
  }

  // ---- what happens

  private Request newRequest(Resource resource, boolean crowd) {
    Request request = new Request(world, requests.size() + 1, resource, crowd);
    requests.put(request.id, request);
    return request;
  }

  /** The same once more, or one like it. */
  Request again(Request request) {
    return newRequest(request.resource, false);
  }

  /** Those who ask for less at the same time share a fetch: what is larger is not stored. */
  private long sharedBytes() {
    // the disk that is played here keeps what is validated as it was
    boolean shares = alwaysCollapsed && !disk.onDisk;
    return shares ? storableBytes() : 0;
  }

  /** Content from here on is not stored, whatever it is. */
  private long storableBytes() {
    // the head, the index and what an entry costs besides take some, and so does rounding up
    long fits = cacheBytes / 4 - 512;
    return Math.min(setting.config.memory().maxObjectInMemoryBytes(), Math.max(0, fits));
  }

  /** Whether readers that lag behind another are cut: what is not stored they cannot go on from. */
  boolean mayBeCut(Resource resource) {
    boolean unstored = truth.isDisturbed(resource) && resource.maxLength() >= LEAST_GAP_BYTES;
    return unstored || resource.maxLength() >= storableBytes();
  }

  /** {@code request} was sent on a connection that is closed, and may have been read or not. */
  void abandoned(Request request) {
    request.over = true;
    truth.disturb(request.resource);
  }

  private void script() {
    int sessions = 2 + world.draw(8);
    for (int i = 0; i < sessions; i++) {
      List<Request> wanted = new ArrayList<>();
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
    for (int i = world.chance(40) ? 1 + world.draw(4) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), () -> purge(world.one(resources)));
    }
    purgesLeft = world.chance(20) ? 3 : 0;
    for (int i = world.chance(15) ? 1 + world.draw(3) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), this::stepClock);
    }
    for (int i = world.chance(20) ? 1 + world.draw(3) : 0; i > 0; i--) {
      world.after(world.draw(20_000_000), this::reload);
    }
    if (world.chance(12)) {
      world.after(world.draw(20_000_000), this::stop);
    }
    if (cacheBytes <= TIGHT.get(TIGHT.size() - 1) && world.chance(30)) {
      world.after(world.draw(20_000_000), this::resize);
    }
  }

  private void begin(List<Request> wanted, long micros) {
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

  /** Another configuration, as far as one can be had without a new start. */
  private void reload() {
    if (reloading) {
      return;
    }
    Setting other = world.one(SETTINGS);
    boolean closes = world.chance(50);
    inForce = Reconfiguration.of(inForce, closes ? other.closing : other.config).config();
    alwaysCollapsed &= inForce.forwarding().collapsedForwarding();
    reloading = true;
    int[] left = {LOOPS};
    world.note("reload, closed: %s", closes);
    proxy.reconfigure(
        inForce,
        faults.dnsError() > 0 ? other.names : other.listed,
        listening,
        () -> {
          if (left[0] == LOOPS) {
            truth.rulesBegin(closes);
          }
          if (--left[0] == 0) {
            truth.rulesEnd(!closes);
            truth.rulesBegin(closes);
            reloading = false;
          }
        });
  }

  private void stop() {
    long lifetime = world.one(List.of(500L, 3_000L, 20_000L, 120_000L));
    world.note("draining for %d ms", lifetime);
    proxy.drain(
        lifetime,
        () -> {
          drain = new Drain(world.nanoTime(), world.nanoTime() + lifetime * 1_000_000);
          world.after(
              lifetime * 1000 + 100_000,
              () -> {
                assertThat(proxy.metrics().value(ConnectionGauge.CLIENT_OPEN))
                    .as("connections after the deadline")
                    .isZero();
                assertThat(drained).as("drained").isTrue();
              });
        },
        () -> drained = true);
  }

  /**
   * When it stopped.
   *
   * @param announced from then on answers say so, and nobody can connect
   * @param deadline until then nobody is cut
   */
  record Drain(long announced, long deadline) {
    /** Whether a request of {@code sent} may meet the end of its connection unread. */
    boolean mayMiss(long sent) {
      return sent > announced - LATEST_ARRIVAL_NANOS;
    }
  }

  /** How it stopped; null: not yet. */
  Drain drain() {
    return drain;
  }

  private void resize() {
    cacheBytes = Math.min(cacheBytes, world.one(TIGHT));
    world.note("the cache is to have %d octets", cacheBytes);
    store.resize(cacheBytes);
  }

  /** An origin is about to answer: what is purged now is on its way. */
  private void answers(Resource resource) {
    if (purgesLeft > 0 && world.chance(40)) {
      purgesLeft--;
      world.after(world.draw(5_000), () -> purge(resource));
      begin(List.of(newRequest(resource, true)), 100_000 + world.draw(900_000));
    }
  }

  private void stepClock() {
    long most = world.one(List.of(3_000L, 30_000L, 3_600_000L));
    world.stepClock((1L + world.draw((int) most)) * (world.chance(50) ? 1 : -1));
    // what expires is fetched again, and not together with what did not
    resources.forEach(truth::disturb);
  }

  private void purge(Resource resource) {
    SimLoop loop = world.one(loops);
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
          (disk.onDisk ? disk : store)
              .purge(
                  what,
                  loop,
                  purged -> {
                    world.note("purged %s: %s", what, purged);
                    if (purged.outcome() == Purged.Outcome.DONE) {
                      truth.removed(resource, asked, soft);
                    }
                  });
        });
  }

  // ---- the log

  private void logged(ExchangeRecord record) {
    records++;
    if (record.request == null) {
      return;
    }
    Fields fields = record.request.fields();
    for (int i = 0; i < fields.count(); i++) {
      if (fields.name(i).toString().equalsIgnoreCase("X-Req")) {
        Request request = requests.get(Integer.parseInt(fields.value(i).toString()));
        request.records++;
        request.loggedStatus = record.status;
        world.note("logged %d: %d %s", request.id, record.status, record.tag);
      }
    }
  }

  // ---- the whole

  /** Plays it to its end. */
  void run() {
    world.note("%s, %d octets of cache, calm: %s", setting, cacheBytes, faults.isCalm());
    script();
    long limit = TimeUnit.MINUTES.toNanos(20);
    while (!done()) {
      if (!world.step(limit)) {
        throw new AssertionError("not done after 20 minutes");
      }
    }
    end();
  }

  private boolean done() {
    for (Client client : clients) {
      if (!client.isDone()) {
        return false;
      }
    }
    return true;
  }

  private void end() {
    // what goes on behind the back ends by itself
    world.pass(40_000);
    proxy.close();
    world.pass(1_000);
    assertThat(network.open()).as("connections left open").isZero();
    StoreStats stats = store.stats();
    assertThat(stats.inFlight()).as("fetches left").isZero();
    assertThat(disk.live()).as("what was loaded from disk").isZero();
    assertThat(transit.used()).as("ledger of transit").isZero();
    for (ConnectionGauge gauge : ConnectionGauge.values()) {
      assertThat(proxy.metrics().value(gauge)).as(gauge.name()).isZero();
    }
    for (Request request : requests.values()) {
      int atLeast = request.headArrived ? 1 : 0;
      assertThat(request.records).as("log lines of %s", request).isBetween(atLeast, 1);
      if (request.headArrived) {
        assertThat(request.loggedStatus).as("logged of %s", request).isEqualTo(request.status);
      }
    }
    assertThat(proxy.metrics().exchanges()).isEqualTo(records);
    evictions = stats.evictions();
    store.close();
    world.pass(1_000);
    assertThat(store.stats().memoryBytes()).as("ledger of the tier").isZero();
    assertThat(network.usedBytes()).as("octets of buffers left").isZero();
    // what nobody reads and nobody finds is released before the end, too
    assertThat(stats.pinnedBytes()).as("entries nobody lets go of").isZero();
  }
}
