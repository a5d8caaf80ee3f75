package io.loligo.server.jmx;

import io.loligo.server.admin.Operations;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.StoreStats;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The proxy's own MXBeans under {@code io.loligo:type=...}: Tiers, Classes, Stages, Connections,
 * MemoryLedger and Control, with units and descriptions. Thread-safe: any thread.
 */
public final class ManagementBeans implements AutoCloseable {
  private static final String DOMAIN = "io.loligo";

  private final MBeanServer server;
  private final List<ObjectName> names = new ArrayList<>();

  /**
   * Registers the beans; those of an earlier proxy in this process are replaced.
   *
   * @throws IllegalStateException where the server refuses one
   */
  public ManagementBeans(
      MBeanServer server, ProxyMetrics metrics, Supplier<StoreStats> store, Operations operations) {
    this.server = server;
    try {
      register("Tiers", new Tiers(store), TiersMXBean.class);
      register("Classes", new MetricsBeans.Classes(metrics), ClassesMXBean.class);
      register("Stages", new MetricsBeans.Stages(metrics), StagesMXBean.class);
      register("Connections", new MetricsBeans.Connections(metrics), ConnectionsMXBean.class);
      register("MemoryLedger", new MetricsBeans.Ledger(metrics.ledger()), MemoryLedgerMXBean.class);
      register("Control", new Control(operations), ControlMXBean.class);
    } catch (JMException e) {
      close();
      throw new IllegalStateException("JMX bean cannot be registered: " + e.getMessage(), e);
    }
  }

  private <T> void register(String type, T bean, Class<T> as) throws JMException {
    ObjectName name = new ObjectName(DOMAIN, "type", type);
    if (server.isRegistered(name)) {
      server.unregisterMBean(name);
    }
    server.registerMBean(new DescribedBean(bean, as), name);
    names.add(name);
  }

  @Override
  public void close() {
    for (ObjectName name : names) {
      try {
        if (server.isRegistered(name)) {
          server.unregisterMBean(name);
        }
      } catch (JMException e) {
        throw new IllegalStateException("JMX bean cannot be unregistered: " + name, e);
      }
    }
    names.clear();
  }

  private record Tiers(Supplier<StoreStats> store) implements TiersMXBean {
    @Override
    public long getMemoryEntries() {
      return store.get().entries();
    }

    @Override
    public long getMemoryUsed() {
      return store.get().memoryBytes();
    }

    @Override
    public long getMemoryLimit() {
      return store.get().memoryLimitBytes();
    }

    @Override
    public long getMemoryPinned() {
      return store.get().pinnedBytes();
    }

    @Override
    public long getInsertions() {
      return store.get().insertions();
    }

    @Override
    public long getEvictions() {
      return store.get().evictions();
    }

    @Override
    public long getRejections() {
      return store.get().rejections();
    }

    @Override
    public long getInFlight() {
      return store.get().inFlight();
    }

    @Override
    public long getTransitUsed() {
      return store.get().transitBytes();
    }

    @Override
    public long getTransitLimit() {
      return store.get().transitLimitBytes();
    }
  }

  private record Control(Operations operations) implements ControlMXBean {
    @Override
    public boolean isReady() {
      return operations.ready();
    }

    @Override
    public String getNotReadyReason() {
      return operations.notReadyReason();
    }

    @Override
    public int purge(String url) {
      return operations.purge(url);
    }

    @Override
    public void rotateLogs() {
      operations.rotateLogs();
    }

    @Override
    public void drain() {
      operations.drain();
    }
  }
}
