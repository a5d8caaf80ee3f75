package io.loligo.server.adapt;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The services of one event loop under one configuration. Confined to the loop. */
public final class Adaptations {
  private final AdaptationSettings settings;
  private final IcapNetwork network;
  private final LoopClock clock;
  private final LoopTimer timer;
  private final int loops;
  private final Map<IcapService, ServiceState> states = new HashMap<>();
  private @Nullable ExchangeSink log;
  private boolean closed;

  /**
   * Knows nothing about any service yet.
   *
   * @param loops the event loops that share the connections that a service allows
   */
  public Adaptations(
      AdaptationSettings settings,
      IcapNetwork network,
      LoopClock clock,
      LoopTimer timer,
      int loops) {
    this.settings = settings;
    this.network = network;
    this.clock = clock;
    this.timer = timer;
    this.loops = loops;
  }

  /** The values of the configuration. */
  public AdaptationSettings settings() {
    return settings;
  }

  /** Takes a record of each transaction; null: nobody does. */
  public @Nullable ExchangeSink log() {
    return log;
  }

  /** Sets {@link #log()}. */
  public void log(@Nullable ExchangeSink sink) {
    log = sink;
  }

  /** A new record of {@code transaction}, which ends now, without a client and an exchange. */
  public ExchangeRecord record(IcapTransaction transaction) {
    ExchangeRecord record = record();
    record.icap = transaction;
    record.startMillis = record.endMillis - TimeUnit.NANOSECONDS.toMillis(transaction.totalNanos());
    record.startNanos = clock.nanos() - transaction.totalNanos();
    record.stage(Stage.TOTAL, transaction.totalNanos());
    return record;
  }

  /** A new record of something that happens now. */
  public ExchangeRecord record() {
    ExchangeRecord record = new ExchangeRecord();
    record.method = ExchangeRecord.NO_METHOD;
    record.url = "-";
    record.endMillis = clock.millis();
    record.startMillis = record.endMillis;
    record.startNanos = clock.nanos();
    return record;
  }

  IcapNetwork network() {
    return network;
  }

  LoopClock clock() {
    return clock;
  }

  LoopTimer timer() {
    return timer;
  }

  int loops() {
    return loops;
  }

  ServiceState state(IcapService service) {
    return states.computeIfAbsent(service, one -> new ServiceState(one, this));
  }

  /**
   * Whether a message about {@code path}, the path and query of its URL, may go to {@code group}:
   * at least one of its services is neither a bypassed one that is down nor ignores such messages.
   */
  public boolean applies(ServiceGroup group, String path) {
    for (IcapService service : group.services()) {
      ServiceState state = state(service);
      if (!(service.bypass() && state.isDown()) && !state.ignores(path)) {
        return true;
      }
    }
    return false;
  }

  /** Whether connections that become idle are closed. */
  boolean isClosed() {
    return closed;
  }

  /** Closes idle connections, and others when their message is complete. */
  public void close() {
    closed = true;
    states.values().forEach(ServiceState::close);
  }
}
