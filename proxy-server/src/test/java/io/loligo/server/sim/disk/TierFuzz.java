package io.loligo.server.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.server.sim.disk.TierInsides.Hash;
import io.loligo.server.sim.disk.TierModel.Version;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.PendingWrite;
import io.loligo.store.disk.context.DirectoryContext;
import io.loligo.store.inflight.Spool;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.UrlPattern;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A tier with one small directory on simulated disks, with every kind of event, drawn from a seed:
 * it is called as {@code TieredStore} calls it. After each step the results are compared with a
 * {@link TierModel}. Confined to one thread.
 */
final class TierFuzz implements SimMedium.Host {
  private static final long EPOCH_MILLIS = 1_900_000_000_000L;
  private static final int MAX_DEPTH = 3;

  /** More events without a rest are a circle. */
  private static final int MAX_EVENTS = 100_000;

  private static final List<Integer> SEGMENTS = List.of(6, 8, 10, 12, 16, 24);
  private static final List<Integer> RECORDS = List.of(4, 16, 64, 256);
  private static final List<Integer> KEYS = List.of(3, 10, 30);
  private static final int HEAD_BYTES = 3;

  private final SplittableRandom random;
  private final List<String> trace;
  private final TierModel model = new TierModel();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private FuzzLoop loop = new FuzzLoop(this);
  private final SimMedium.Troubles troubles;
  private final int segments;
  private final int records;
  private final int keys;
  private final DiskSettings config;
  private final long transitBytes;
  private final int largest;
  private SimFiles files = new SimFiles(this::wallMillis);
  private SimFiles left;
  private boolean leftByPower;
  private Map<Hash, Long> leftStored = Map.of();
  private boolean killSoon;
  private boolean mayBeDamaged;
  private Life life;
  private long nanos;
  private long sequence;
  private int depth;
  private boolean onLoop;
  private Throwable failure;

  /** Nothing more is asked. */
  private boolean resting;

  // the steps so far
  int found;
  int kills;
  int closes;
  int evicted;
  int settled;

  private record Event(long nanos, long sequence, boolean onLoop, Runnable task)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  TierFuzz(long seed, boolean tracing) {
    random = new SplittableRandom(seed);
    trace = tracing ? new ArrayList<>() : null;
    segments = one(SEGMENTS);
    records = one(RECORDS);
    keys = one(KEYS);
    largest = one(List.of(3_000, 30_000, 200_000, segments * SimMedium.SEGMENT_BYTES / 2));
    boolean fails = chance(35);
    troubles =
        new SimMedium.Troubles(
            one(List.of(0, 20, 60)),
            one(List.of(0, 0, 3)),
            fails ? one(List.of(0, 2, 10)) : 0,
            fails ? one(List.of(0, 2, 10)) : 0,
            fails ? one(List.of(0, 0, 1, 3)) : 0,
            fails ? one(List.of(0, 2)) : 0,
            fails ? one(List.of(0, 0, 3)) : 0);
    mayBeDamaged = troubles.damaged() + troubles.unreadable() > 0;
    transitBytes = chance(80) ? 32 << 20 : 4 << 20;
    long bytes = (long) segments * SimMedium.SEGMENT_BYTES;
    config =
        DiskSettings.with(List.of(new CacheDir("rock", "/d", bytes, 0, -1, false, "fuzz.conf:1")))
            .threads(2 + draw(3))
            .writeQueueBytes(one(List.of(32L << 20, 256L << 10)))
            .loadTimeoutMillis(chance(70) ? 0 : 500)
            .openWaitMillis(chance(50) ? 0 : 5_000)
            .build();
    note("%d segments, %d records, %d keys, %s", segments, records, keys, troubles);
    note(
        "%d threads, %d bytes of queue, %d ms for a load, %d ms for the opening",
        config.threads(),
        config.writeQueueBytes(),
        config.loadTimeoutMillis(),
        config.openWaitMillis());
  }

  List<String> trace() {
    return trace;
  }

  private void note(String format, Object... values) {
    if (trace != null) {
      trace.add(
          model.now() + " " + nanos / 1_000 + " " + String.format(Locale.ROOT, format, values));
    } else {
      model.now();
    }
  }

  // ---- time and chance

  @Override
  public int draw(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public boolean chance(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  private <T> T one(List<T> all) {
    return all.get(draw(all.size()));
  }

  @Override
  public void after(long micros, Runnable task) {
    events.add(new Event(nanos + micros * 1_000, sequence++, false, task));
  }

  void afterOnLoop(long micros, Runnable task) {
    events.add(new Event(nanos + micros * 1_000, sequence++, true, task));
  }

  /** {@code task}, which is not done any more when the process has ended. */
  Runnable ofThisLife(Runnable task) {
    Life of = life;
    return () -> {
      if (of == life && !of.over) {
        task.run();
      }
    };
  }

  @Override
  public void pass(int micros) {
    if (depth >= MAX_DEPTH || onLoop) {
      return;
    }
    depth++;
    try {
      if (killSoon && life.opened && chance(10)) {
        crash();
        return;
      }
      if (life.opened && !life.over && !resting && chance(10)) {
        onLoop(this::operate);
      }
      run(nanos + micros * 1_000L);
    } finally {
      depth--;
    }
  }

  private void onLoop(Runnable task) {
    boolean before = onLoop;
    onLoop = true;
    try {
      task.run();
    } finally {
      onLoop = before;
    }
  }

  private void run(long until) {
    int count = 0;
    while (!events.isEmpty() && events.peek().nanos <= until) {
      Event event = events.poll();
      nanos = Math.max(nanos, event.nanos);
      if (event.onLoop) {
        onLoop(event.task);
      } else {
        event.task.run();
      }
      if (failure != null) {
        throw new AssertionError(failure);
      }
      if (++count > MAX_EVENTS) {
        fail("a circle");
      }
    }
    if (until != Long.MAX_VALUE) {
      nanos = Math.max(nanos, until);
    }
  }

  /** Listeners are not expected to fail: their caller continues. */
  private void watched(Runnable listener) {
    try {
      listener.run();
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
      throw e;
    }
  }

  private void drain() {
    run(Long.MAX_VALUE);
  }

  @Override
  public long wallMillis() {
    return EPOCH_MILLIS + nanos / 1_000_000;
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public boolean isOnLoop() {
    return onLoop;
  }

  @Override
  public boolean isServing() {
    return onLoop;
  }

  // ---- one life of a process

  /** A response that arrives. */
  private final class Arrival implements Spool.Listener {
    final Version version;
    final byte[] bytes;
    boolean mayStore = true;
    Spool spool;
    long credit;
    int given;
    long readable;
    boolean ending;
    boolean over;
    int reads;

    Arrival(Version version) {
      this.version = version;
      this.bytes = TierModel.content(version);
    }

    @Override
    public void credit(long bytes) {
      credit += bytes;
    }

    @Override
    public void readable(long upTo) {
      assertThat(upTo).isGreaterThanOrEqualTo(readable);
      readable = upTo;
    }

    @Override
    public void failed() {
      note("failed to arrive: %s", version);
      over = true;
      if (version.begun == TierModel.NEVER) {
        model.begins(version);
      }
      model.supersedes(version.key);
      model.stillborn(version);
    }

    @Override
    public void ended() {
      over = true;
      note("arrived: %s", version);
      if (mayStore) {
        model.replaces(version);
      }
    }

    @Override
    public boolean mayStore() {
      return mayStore;
    }

    /** Goes on in some way. */
    void goOn() {
      if (over) {
        if (reads == 0 && chance(50)) {
          close();
        }
      } else if (ending || chance(3)) {
        read();
        if (reads == 0 && chance(3)) {
          close();
        }
      } else if (given < bytes.length) {
        int count = (int) Math.min(credit, Math.min(bytes.length - given, 1 + draw(90_000)));
        if (count > 0) {
          ByteBuf content = life.buffer(bytes, given, count);
          given += count;
          credit -= count;
          spool.content(content);
        }
      } else {
        ending = true;
        model.begins(version);
        if (!mayStore) {
          model.stillborn(version);
        }
        spool.end(TierModel.meta(version));
      }
    }

    private void read() {
      if (readable > 0 && chance(50)) {
        int from = draw((int) readable);
        reads++;
        spool.read(
            from,
            1 + draw((int) readable - from),
            content -> {
              reads--;
              if (content != null) {
                TierModel.same(version, ByteBufUtil.getBytes(content), from);
                content.release();
              } else if (!over && !mayBeDamaged) {
                fail("not read back: %s", version);
              }
            });
      }
    }

    void close() {
      life.arrivals.remove(this);
      life.closing.add(version);
      spool.close();
    }
  }

  private final class Life implements DiskTier.MemoryView {
    final HeapAllocator allocator = new HeapAllocator();
    final MemoryLedger transit = new MemoryLedger(transitBytes);
    final MemoryLedger own = new MemoryLedger(1L << 40);
    final Map<Integer, Map<Integer, Entry>> inMemory = new HashMap<>();
    final Map<Entry, Version> versions = new IdentityHashMap<>();
    final List<Arrival> arrivals = new ArrayList<>();
    final Set<Version> closing = new HashSet<>();

    final List<Entry> reading = new ArrayList<>();

    boolean reads(Entry entry) {
      return reading.contains(entry);
    }

    /** Whether it was read: several readers may have the same one. */
    boolean endReading(Entry entry) {
      return reading.remove(entry);
    }

    final Purges purges = new Purges(TierFuzz.this::wallMillis);
    final Set<Ban> unwritten = new HashSet<>();
    final SimMedium medium;
    final DiskTier tier;
    Map<Hash, Long> safe = Map.of();
    int waiting;
    boolean opened;
    boolean over;

    Life() {
      medium = new SimMedium(TierFuzz.this, files, troubles, segments, records);
      try {
        tier = DiskTier.claim(config, allocator, transit, this, medium);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      tier.loadInto(purges);
      medium.claimed();
    }

    ByteBuf buffer(byte[] bytes, int from, int count) {
      return allocator.buffer(count, count).writeBytes(bytes, from, count);
    }

    @Override
    public boolean serves(CacheKey key) {
      return chance(20);
    }

    @Override
    public boolean wants(long contentLength, int hits) {
      return chance(30);
    }

    @Override
    public boolean holds(Entry entry) {
      Version version = versions.get(entry);
      return version != null && holds(version.key).get(version.selection) == entry;
    }

    private Map<Integer, Entry> holds(int key) {
      return inMemory.computeIfAbsent(key, ignored -> new HashMap<>());
    }

    @Override
    public boolean written(Entry entry) {
      Version version = versions.get(entry);
      if (chance(30) && holds(entry)) {
        forget(version.key, version.selection);
      }
      return holds(entry);
    }

    @Override
    public void superseded(CacheKey key, VarySelection vary) {
      for (int i = 0; i < keys; i++) {
        if (TierModel.key(i).equals(key)) {
          for (int selection = 0; selection < TierModel.SELECTIONS; selection++) {
            if (vary == null || vary.equals(TierModel.vary(selection))) {
              forget(i, selection);
            }
          }
        }
      }
    }

    void forget(int key, int selection) {
      Entry entry = holds(key).remove(selection);
      if (entry != null) {
        entry.release();
      }
    }

    void forget(int key) {
      for (int selection = 0; selection < TierModel.SELECTIONS; selection++) {
        forget(key, selection);
      }
    }

    /** Keeps the only reference. */
    void keep(Version version, Entry entry) {
      if (version.selection == 0) {
        forget(version.key);
      } else {
        forget(version.key, version.selection);
      }
      holds(version.key).put(version.selection, entry);
      versions.put(entry, version);
    }

    Entry entry(Version version) {
      byte[] fields = "\r\n".getBytes(StandardCharsets.ISO_8859_1);
      byte[] content = TierModel.content(version);
      int bytes = HEAD_BYTES - 1 + content.length;
      ByteBuf first = allocator.buffer(bytes, bytes).writeBytes(fields).writeBytes(content);
      int charge = SizeClass.packed(bytes);
      assertThat(own.tryReserve(charge)).isTrue();
      return Entry.loaded(
          TierModel.key(version.key),
          TierModel.meta(version),
          first,
          charge,
          HEAD_BYTES - 1,
          bytes,
          (FurtherContent) null,
          own);
    }

    @Override
    public void alternativeLeft(OptionalInt pathHash) {
      fail("no key is one of an alternative");
    }
  }

  private void begin() {
    loop = new FuzzLoop(this);
    life = new Life();
    Life of = life;
    of.tier.whenOpened(() -> of.opened = true);
    of.tier.open();
    note("begins");
  }

  private boolean isReady() {
    return TierInsides.isReady(life.tier);
  }

  private void crash() {
    boolean power = chance(30);
    killSoon = false;
    leftByPower = power;
    left = power ? life.medium.cut() : life.medium.kill();
    leftStored = new HashMap<>(life.safe);
    if (!power && isReady()) {
      leftStored
          .entrySet()
          .retainAll(TierInsides.stored(TierInsides.context(life.tier)).entrySet());
    } else {
      leftStored.clear();
    }
    life.over = true;
    model.crashes(power);
    mayBeDamaged |= power;
    kills++;
    note("crashes %s", power ? "with the system" : "alone");
  }

  private void afterCrash() {
    drain(); // operations in progress see that it is dead
    count();
    events.clear();
    files = left;
    left = null;
    begin();
    drain();
    if (!leftByPower && isReady() && troubles.unreadable() + troubles.damaged() == 0) {
      Map<Hash, Long> now = TierInsides.stored(TierInsides.context(life.tier));
      assertThat(now).as("stored after a kill").containsAllEntriesOf(leftStored);
    }
  }

  private void close() {
    note("closes");
    resting = true;
    boolean pending = chance(50);
    for (Arrival arrival : List.copyOf(life.arrivals)) {
      arrival.over |= pending;
      run(nanos + 1_000_000);
      if (!life.arrivals.contains(arrival)) {
        continue;
      }
      if (arrival.reads > 0) {
        drain();
      }
      onLoop(arrival::close);
    }
    life.medium.quiet();
    if (!pending) {
      drain();
    }
    List.copyOf(life.reading).forEach(Entry::release);
    life.reading.clear();
    boolean wasReady = isReady();
    life.tier.close();
    drain();
    for (int key = 0; key < keys; key++) {
      life.forget(key);
    }
    DirectoryContext context = TierInsides.context(life.tier);
    count();
    assertThat(life.allocator.left()).as("buffers left").isZero();
    assertThat(life.transit.used()).as("ledger of transit").isZero();
    boolean inOrder = wasReady && !isInDisorder();
    Map<Hash, Long> before = inOrder ? TierInsides.stored(context) : Map.of();
    life.over = true;
    resting = false;
    model.closes();
    closes++;
    events.clear();
    begin();
    drain();
    if (inOrder && isReady() && troubles.unreadable() + troubles.damaged() == 0) {
      assertThat(TierInsides.stored(TierInsides.context(life.tier)))
          .as("stored after a close")
          .isEqualTo(before);
    }
  }

  private boolean isInDisorder() {
    return TierInsides.isInDisorder(life.tier);
  }

  private void count() {
    DirectoryContext context = TierInsides.context(life.tier);
    if (context != null) {
      evicted += (int) context.space().evictions();
    }
  }

  // ---- requests

  private long moment() {
    long millis = life.purges.requestMoment(wallMillis());
    life.purges.stored(millis);
    return millis;
  }

  private int length() {
    return chance(60) ? draw(3_000) : draw(largest);
  }

  private void endVersions() {
    boolean idle = life.medium.isIdle();
    model.end(
        version ->
            version.arrives
                ? idle && life.arrivals.stream().noneMatch(one -> one.version == version)
                : !TierInsides.isWriting(life.tier, TierModel.key(version.key)));
  }

  private void operate() {
    nanos += 1_000_000L * draw(3);
    endVersions();
    int key = chance(60) ? draw(keys) : draw(Math.min(3, keys));
    switch (draw(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 -> write(key, selection());
      case 11, 12 -> arrive(key, selection());
      case 13, 14, 15, 16 -> List.copyOf(life.arrivals).forEach(Arrival::goOn);
      case 17 -> freshen(key);
      case 18 -> writeLate();
      case 19, 20, 21, 22, 23, 24, 25 -> load(key, draw(TierModel.SELECTIONS));
      case 26, 27 -> peek(key);
      case 28 -> remove(key, chance(50));
      case 29 -> supersede(key);
      case 30 -> {
        if (chance(20)) {
          ban();
        }
      }
      case 31 -> {
        if (chance(8)) {
          clear();
        }
      }
      case 32, 33, 34 -> tick();
      default -> read();
    }
  }

  private int selection() {
    return chance(60) ? 0 : draw(TierModel.SELECTIONS);
  }

  private void write(int key, int selection) {
    write(key, selection, length());
  }

  private void write(int key, int selection, int length) {
    Version version = model.add(key, selection, null, length, moment(), false);
    note("write %s", version);
    Entry entry = life.entry(version);
    try (PendingWrite pending = life.tier.announce(entry.key(), entry.meta().vary())) {
      life.keep(version, entry);
      model.writes(version);
      boolean alive = entry.tryRetain();
      assertThat(alive).isTrue();
      life.tier.write(entry, pending);
      entry.release();
    }
  }

  private void freshen(int key) {
    Map<Integer, Entry> all = life.holds(key);
    if (all.isEmpty()) {
      return;
    }
    int selection = one(List.copyOf(all.keySet()));
    Entry old = all.get(selection);
    if (old.diskId() == 0) {
      return;
    }
    Version before = life.versions.get(old);
    Version version = model.add(key, selection, before, before.length, moment(), false);
    note("freshen %s", version);
    Entry entry = life.entry(version);
    try (PendingWrite pending = life.tier.announce(entry.key(), entry.meta().vary())) {
      boolean alive = entry.tryRetain();
      assertThat(alive).isTrue();
      entry.diskId(old.diskId());
      life.forget(key, selection);
      life.holds(key).put(selection, entry);
      life.versions.put(entry, version);
      model.begins(version);
      life.tier.freshen(entry, pending);
      entry.release();
    }
  }

  private void writeLate() {
    for (int key = 0; key < keys; key++) {
      for (Entry entry : List.copyOf(life.holds(key).values())) {
        if (!entry.isOfferedToDisk()) {
          note("late %s", life.versions.get(entry));
          boolean alive = entry.tryRetain();
          assertThat(alive).isTrue();
          Version version = life.versions.get(entry);
          version.ended = TierModel.NEVER;
          life.tier.writeLate(entry);
          entry.release();
          return;
        }
      }
    }
  }

  private void arrive(int key, int selection) {
    if (life.arrivals.size() > 3) {
      return;
    }
    Version version = model.add(key, selection, null, 1 + length(), moment(), true);
    Arrival arrival = new Arrival(version);
    byte[] fields = "\r\n".getBytes(StandardCharsets.ISO_8859_1);
    ByteBuf lines = life.buffer(fields, 0, fields.length);
    int length = chance(50) ? -1 : version.length;
    note("arrives %s, announced %d", version, length);
    StoredMeta meta = TierModel.meta(version);
    arrival.spool = life.tier.spool(TierModel.key(key), meta, lines, length, loop, arrival);
    lines.release();
    if (arrival.spool == null) {
      model.supersedes(key);
    } else {
      life.arrivals.add(arrival);
    }
  }

  private void invalidate(int key) {
    for (Arrival arrival : life.arrivals) {
      if (arrival.version.key == key) {
        arrival.mayStore = false;
      }
    }
  }

  private void remove(int key, boolean durably) {
    note("remove %s%s", TierModel.key(key), durably ? ", durably" : "");
    Life of = life;
    invalidate(key);
    of.tier.hide(TierModel.key(key));
    of.forget(key);
    List<Version> gone = model.removes(key);
    of.tier.remove(
        TierModel.key(key),
        durably,
        count -> {
          if (of.over) {
            return;
          }
          note("removed %s: %d", TierModel.key(key), count);
          if (count >= 0) {
            gone.forEach(version -> version.deadForKill = true);
          }
          if (count >= 0 && durably) {
            gone.forEach(version -> version.deadForPower = true);
          }
        });
    of.tier.reveal(TierModel.key(key));
  }

  private void supersede(int key) {
    note("supersede %s", TierModel.key(key));
    life.tier.hide(TierModel.key(key));
    life.forget(key);
    life.tier.supersede(TierModel.key(key));
    model.supersedes(key);
    life.tier.reveal(TierModel.key(key));
  }

  private void clear() {
    note("clear");
    for (int key = 0; key < keys; key++) {
      invalidate(key);
    }
    life.tier.hideAll();
    life.tier.clear();
    for (int key = 0; key < keys; key++) {
      life.forget(key);
    }
    model.removesAll();
    life.tier.revealAll();
  }

  private void ban() {
    Life of = life;
    Ban ban = new Ban(of.purges.now(), UrlPattern.of("h", "/k" + one(List.of("[0-4]", "[1-9]0"))));
    of.unwritten.add(ban);
    if (!of.purges.ban(ban)) {
      of.unwritten.remove(ban);
      return;
    }
    note("%s", ban);
    for (int key = 0; key < keys; key++) {
      if (ban.pattern().matches(TierModel.key(key))) {
        invalidate(key);
        of.forget(key);
      }
    }
    of.tier.cancelIf(ban.pattern()::matches);
    of.tier.ban(
        ban,
        done -> {
          if (!of.over) {
            of.unwritten.remove(ban);
            note("banned %s: %s", ban, done);
            if (done) {
              model.banned(ban);
            }
          }
        });
  }

  private void tick() {
    note("tick");
    nanos += 1_000_000L * draw(1_500);
    life.tier.tick();
    life.purges.retire(ban -> !life.unwritten.contains(ban) && !life.tier.isSweeping(ban));
  }

  private boolean isBanned(Version version) {
    return life.purges.bans().stream()
        .anyMatch(ban -> ban.covers(TierModel.key(version.key), version.askedMillis));
  }

  private void load(int key, int selection) {
    Life of = life;
    CacheKey sought = TierModel.key(key);
    if (!of.tier.mayHold(sought)) {
      return;
    }
    long since = model.now();
    Wanted wanted = one(List.of(Wanted.values()));
    if (chance(30)) {
      DiskTier.LoadedNow now = of.tier.loadNow(sought, TierModel.request(selection), wanted);
      if (now != null) {
        loaded(of, now.entry(), now.outcome(), key, selection, since);
        return;
      }
    }
    of.waiting++;
    of.tier.load(
        sought,
        TierModel.request(selection),
        wanted,
        loop,
        (entry, outcome, hits, queued, read) -> {
          of.waiting--;
          watched(() -> loaded(of, entry, outcome, key, selection, since));
        });
  }

  private void loaded(
      Life of, Entry entry, LoadOutcome outcome, int key, int selection, long since) {
    if (of.over || of != life) {
      if (entry != null) {
        entry.release();
      }
      return;
    }
    verifyUndamaged();
    if (entry == null) {
      note("%s: %s/%d", outcome, TierModel.key(key), selection);
      return;
    }
    found++;
    Version version = model.of(entry.meta());
    note("found by who looked from %d on: %s", since, version);
    assertThat(entry.key()).isEqualTo(TierModel.key(key));
    if (isBanned(version)) {
      entry.release();
      return;
    }
    model.found(version, key, selection, entry.meta(), since);
    if (entry.isHeadOnly()) {
      entry.release();
      return;
    }
    of.reading.add(entry);
    verifyResident(entry, version);
    if (entry.contentLength() == 0 || entry.isResident(entry.contentLength() - 1)) {
      of.endReading(entry);
      entry.release();
    } else {
      of.waiting++;
      readOn(of, entry, version, 0);
    }
  }

  /** Where nothing can be damaged nothing is taken for damaged. */
  private void verifyUndamaged() {
    if (!mayBeDamaged && !life.over) {
      assertThat(life.tier.stats().get(0).damaged()).as("damaged").isZero();
    }
  }

  private static void verifyResident(Entry entry, Version version) {
    int at = 0;
    while (at < entry.contentLength() && entry.isResident(at)) {
      ByteBuf content = entry.retainedContent(at, Integer.MAX_VALUE);
      TierModel.same(version, ByteBufUtil.getBytes(content), at);
      at += content.readableBytes();
      content.release();
    }
  }

  /** A client that reads one part after the other, with breaks. */
  private void readOn(Life of, Entry entry, Version version, int from) {
    entry.read(
        from,
        1 + draw(100_000),
        loop,
        content -> {
          boolean more = content != null;
          int next = from;
          if (more) {
            byte[] bytes = ByteBufUtil.getBytes(content);
            content.release();
            TierModel.same(version, bytes, from);
            next += bytes.length;
          } else {
            // that it was replaced and its segment emptied may be
            verifyUndamaged();
          }
          if (more && next < version.length && of.reads(entry)) {
            int then = next;
            afterOnLoop(
                draw(chance(30) ? 2_000_000 : 2_000),
                ofThisLife(() -> goOn(of, entry, version, then)));
          } else {
            of.waiting--;
            if (of.endReading(entry)) {
              entry.release();
            }
          }
        });
  }

  private void goOn(Life of, Entry entry, Version version, int from) {
    if (of.reads(entry)) {
      readOn(of, entry, version, from);
    } else {
      of.waiting--;
    }
  }

  /** One of the readers gives up. */
  private void read() {
    if (life.reading.size() > 4) {
      life.reading.remove(draw(life.reading.size())).release();
    }
  }

  private void peek(int key) {
    Life of = life;
    if (!of.tier.mayHold(TierModel.key(key))) {
      return;
    }
    long since = model.now();
    of.tier.peek(
        TierModel.key(key),
        null,
        loop,
        (variants, selected, load, all) -> {
          if (!of.over && of == life) {
            watched(() -> peeked(variants, key, since));
          }
        });
  }

  private void peeked(List<Glimpse> variants, int key, long since) {
    for (Glimpse glimpse : variants) {
      Version version = model.of(glimpse.meta());
      note("seen by who looked from %d on: %s", since, version);
      if (!isBanned(version)) {
        model.found(version, key, -1, glimpse.meta(), since);
      }
    }
    verifyUndamaged();
  }

  // ---- all of it

  /** Nothing is done any more, and all that waited is written. */
  private void settle() {
    resting = true;
    settleNow();
    resting = false;
  }

  private void settleNow() {
    for (int round = 0; round < 5_000 && !life.arrivals.isEmpty(); round++) {
      for (Arrival arrival : List.copyOf(life.arrivals)) {
        onLoop(arrival::goOn);
      }
      run(nanos + 20_000_000);
    }
    assertThat(life.arrivals).as("what arrives, and does not").isEmpty();
    drain();
    for (int i = 0; i < 3; i++) {
      onLoop(this::tick);
      drain();
    }
    if (life.over) {
      return;
    }
    endVersions();
    verifyUndamaged();
    assertThat(life.waiting).as("loads without an answer").isZero();
    TierInsides.verifyIdle(life.tier);
    assertThat(life.transit.used()).as("ledger of transit").isZero();
    if (isReady()) {
      settled++;
      DirectoryContext context = TierInsides.context(life.tier);
      TierInsides.verify(context);
      assertThat(context.segments().unflushed()).as("buffers that wait").isLessThanOrEqualTo(2);
      life.safe = TierInsides.stored(context);
      if (troubles.damaged() + troubles.unreadable() == 0) {
        model.settles(); // otherwise a start may overlook its replacement
      }
      progress(context);
    }
  }

  private void progress(DirectoryContext context) {
    if (troubles.unwritable() + troubles.refused() + troubles.small() + troubles.unreadable() > 0) {
      return;
    }
    if (segments < 10 || !context.catalogue().hasSlots()) {
      return; // all may be in segments that are open: no real directory has so few
    }
    DiskStats before = life.tier.stats().get(0);
    int key = draw(keys);
    onLoop(() -> write(key, 0, draw(3_000)));
    drain();
    DiskStats after = life.tier.stats().get(0);
    if (!life.over) {
      assertThat(after.skippedOther())
          .as("writes without room, %s", TierInsides.describe(context.segments()))
          .isEqualTo(before.skippedOther());
      assertThat(after.writes() + after.skippedAdmission())
          .as("writes")
          .isGreaterThan(before.writes() + before.skippedAdmission());
    }
  }

  /** Plays all. */
  void run() {
    begin();
    int lives = 2 + draw(5);
    for (int i = 0; i < lives; i++) {
      for (int steps = draw(300); steps > 0 && !life.over; steps--) {
        onLoop(this::operate);
        if (!life.over) {
          run(nanos + draw(chance(5) ? 500_000_000 : 3_000_000));
        }
        if (!life.over && chance(1)) {
          settle();
        }
      }
      if (!life.over && chance(50)) {
        settle();
      }
      if (!life.over && chance(30)) {
        close();
      } else {
        if (!life.over && chance(60)) {
          killSoon = true;
          for (int steps = 100; steps > 0 && !life.over; steps--) {
            onLoop(this::operate);
            run(nanos + draw(3_000_000));
          }
        }
        if (!life.over) {
          crash();
        }
        afterCrash();
      }
      for (int key = 0; key < keys; key++) {
        int sought = key;
        for (int selection = 0; selection < TierModel.SELECTIONS; selection++) {
          int by = selection;
          onLoop(() -> load(sought, by));
        }
      }
      drain();
    }
    settle();
    if (!life.over) {
      close();
    }
    life.medium.quiet();
    life.tier.close();
    drain();
  }
}
