package io.loligo.store.inflight;

import static io.loligo.store.StoreFixture.GAP;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.ManualLoops;
import io.loligo.store.StoreFixture;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryTier;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Fetches with a memory tier for small objects and a disk that works on command. */
final class SpoolingFixture implements Landing, AutoCloseable {
  static final int MAX_KEPT = 512 << 10;
  static final String URL = "http://a/";

  final StoreFixture base;
  final Flights flights;
  final List<RecordingSpool> spools = new ArrayList<>();
  private final MemoryTier memory;
  boolean memoryAccepts = true;
  boolean diskAccepts = true;
  int rejected;

  SpoolingFixture(long transitBytes) {
    base = new StoreFixture(8 << 20, MAX_KEPT, transitBytes, Runnable::run);
    memory =
        new MemoryTier(new PackedAllocator(base.allocator), 8 << 20, base.transit, Runnable::run);
    flights = new Flights(base.allocator, base.transit, MAX_KEPT, GAP);
  }

  InFlight begin(ManualLoops.Loop home, InFlight.Writer writer) {
    return flights.begin(key(URL), true, home, writer, this);
  }

  boolean isFound(InFlight flight) {
    return flights.find(probe(URL), noFields()) == flight;
  }

  /** The one spool that was opened. */
  RecordingSpool spool() {
    assertThat(spools).hasSize(1);
    return spools.get(0);
  }

  // Landing

  @Override
  public boolean accepts(long bytes) {
    return memoryAccepts && memory.accepts(bytes);
  }

  @Override
  public Entry add(
      CacheKey key,
      StoredMeta meta,
      Fields request,
      ByteBuf first,
      int fieldsLength,
      int firstLength,
      ByteBuf[] rest,
      int lastLength,
      BooleanSupplier mayStore) {
    return memory.add(
        key, meta, request, first, fieldsLength, firstLength, rest, lastLength, mayStore);
  }

  @Override
  public Spool spool(
      CacheKey key,
      StoredMeta meta,
      ByteBuf fields,
      long contentLength,
      EventExecutor loop,
      Spool.Listener listener) {
    assertThat(meta).isNotNull();
    assertThat(fields.isReadable()).isTrue();
    if (!diskAccepts) {
      return null;
    }
    RecordingSpool spool =
        new RecordingSpool(base.allocator, (ManualLoops.Loop) loop, listener, contentLength);
    spools.add(spool);
    return spool;
  }

  @Override
  public void rejected() {
    rejected++;
  }

  /** The entry in memory, owned, or null. */
  Entry inMemory() {
    return memory.find(probe(URL), noFields());
  }

  /** Nothing may be left. */
  @Override
  public void close() {
    memory.close();
    assertThat(flights.size()).as("fetches").isZero();
    assertThat(spools).allMatch(RecordingSpool::isClosed);
    base.close();
  }
}
