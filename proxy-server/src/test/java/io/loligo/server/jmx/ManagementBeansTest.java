package io.loligo.server.jmx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.ValueChange;
import io.loligo.server.CapturedLog;
import io.loligo.server.adapt.ServiceCounts;
import io.loligo.server.admin.RecordingOperations;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.metrics.SampleStore;
import io.loligo.server.record.SampleDisk;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.SamplePools;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything through a remote connector, as an operator's console sees it. */
class ManagementBeansTest {
  private final List<String> calls = new ArrayList<>();
  private final ProxyMetrics metrics = new ProxyMetrics(1);
  private final MBeanServer server = MBeanServerFactory.newMBeanServer();
  private ManagementBeans beans;
  private JMXConnectorServer connectorServer;
  private JMXConnector connector;
  private MBeanServerConnection remote;

  private Reloaded reloaded =
      Reloaded.done(List.of(new ValueChange("via", "on", "off", "conf:1", "")), List.of());

  private final class TestOperations extends RecordingOperations {
    TestOperations() {
      super(calls);
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      boolean stuck = what instanceof Purge.Url url && url.key().toString().endsWith("/stuck");
      calls.add(
          "purge "
              + (what instanceof Purge.Matching matching && matching.soft() ? "softly " : "")
              + (what instanceof Purge.Url url ? url.key() : what.getClass().getSimpleName()));
      Purged.Outcome outcome = stuck ? Purged.Outcome.NOT_CONFIRMED : Purged.Outcome.DONE;
      return CompletableFuture.completedFuture(new Purged(outcome, 2, Purged.LATER));
    }

    @Override
    public List<Ban> bans() {
      return List.of();
    }

    @Override
    protected Reloaded reloaded() {
      return reloaded;
    }
  }

  private static final class OneLevel implements LogLevels {
    @Override
    public Map<String, String> levels() {
      return Map.of("ROOT", "INFO");
    }

    @Override
    public String level(String logger) {
      return "INFO";
    }

    @Override
    public void setLevel(String logger, String level) {
      if (level.equals("loud")) {
        throw new IllegalArgumentException(level);
      }
    }
  }

  @BeforeEach
  @SuppressWarnings("BanJNDI") // the address is this test's own
  void connect() throws Exception {
    metrics.ledger().add("store", "Stored responses", () -> 5, () -> 10);
    beans =
        new ManagementBeans(
            server,
            metrics,
            SampleStore::stats,
            () -> List.of(SampleDisk.of("/d,*\"", DiskStats.State.READ_ONLY, "no-store")),
            new TestOperations());
    beans.logs(new OneLevel());
    beans.icap(() -> List.of(new ServiceCounts("scan")));
    beans.neighbourPorts(
        () -> Map.of("icp", Map.of("hit", 1L)), Map.of("icp", Map.of("hit", "Hits.")));
    beans.pools(() -> List.of(new PoolCounts("delay_pools 1")), SamplePools::levels);
    Map<PeerCount, Long> counts = Map.of(PeerCount.REQUESTS, 5L, PeerCount.RECEIVED, 6L);
    beans.parents(
        () -> List.of(new PeerNumbers("far", false, 1, 2, 3, 4, "status 500", 10, 7, counts)));
    System.setProperty("java.rmi.server.hostname", "127.0.0.1");
    connectorServer =
        JMXConnectorServerFactory.newJMXConnectorServer(
            new JMXServiceURL("rmi", "127.0.0.1", 0), null, server);
    connectorServer.start();
    connector = JMXConnectorFactory.connect(connectorServer.getAddress());
    remote = connector.getMBeanServerConnection();
  }

  @AfterEach
  void disconnect() throws Exception {
    connector.close();
    connectorServer.stop();
    beans.close();
    System.clearProperty("java.rmi.server.hostname");
  }

  private static ObjectName name(String type) throws Exception {
    return new ObjectName("io.loligo", "type", type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Tiers",
        "Classes",
        "Stages",
        "Connections",
        "MemoryLedger",
        "Misses",
        "Icap",
        "Pools",
        "Parents",
        "NeighbourPorts",
        "Control"
      })
  void everythingIsDescribed(String type) throws Exception {
    MBeanInfo info = remote.getMBeanInfo(name(type));
    assertThat(info.getDescription()).endsWith(".").doesNotContain("Information on");
    for (MBeanAttributeInfo attribute : info.getAttributes()) {
      assertThat(attribute.getDescription()).as(attribute.getName()).endsWith(".");
      boolean number = attribute.getType().matches("long|double");
      if (number) {
        assertThat(attribute.getDescriptor().getFieldValue("units"))
            .as(attribute.getName())
            .isNotNull();
      }
    }
    for (MBeanOperationInfo operation : info.getOperations()) {
      assertThat(operation.getDescription()).as(operation.getName()).endsWith(".");
    }
  }

  @Test
  void eachParentHasItsState() throws Exception {
    ParentsMXBean parents = JMX.newMXBeanProxy(remote, name("Parents"), ParentsMXBean.class);
    assertThat(parents.getUp()).containsExactly(Map.entry("far", false));
    assertThat(parents.getConnections()).containsExactly(Map.entry("far", 1));
    assertThat(parents.getGoodChecks()).containsExactly(Map.entry("far", 2L));
    assertThat(parents.getBadChecks()).containsExactly(Map.entry("far", 3L));
    assertThat(parents.getFailures()).containsExactly(Map.entry("far", 4));
    assertThat(parents.getLastCheck()).containsExactly(Map.entry("far", "status 500"));
    assertThat(parents.getTurnPercent()).containsExactly(Map.entry("far", 10));
    assertThat(parents.getRoundTripMillis()).containsExactly(Map.entry("far", 7));
    assertThat(parents.getTraffic().get("far"))
        .containsEntry("requests", 5L)
        .containsEntry("received_bytes", 6L)
        .containsEntry("failures", 0L)
        .containsOnlyKeys(parents.getTexts().keySet());
  }

  @Test
  void poolsShowTheLevelsThatTheyHave() throws Exception {
    PoolsMXBean pools = JMX.newMXBeanProxy(remote, name("Pools"), PoolsMXBean.class);
    assertThat(pools.getPassed()).containsExactly(Map.entry("delay_pools 1", 0L));
    assertThat(pools.getLevel()).containsExactly(Map.entry("response_delay_pool films", 4L));
    assertThat(pools.getMaximum()).containsExactly(Map.entry("response_delay_pool films", 8L));
    assertThat(pools.getBuckets()).containsExactly(Map.entry("client_delay_pools 1", 1L));
    assertThat(pools.getLowestLevel()).containsExactly(Map.entry("client_delay_pools 1", 3L));
  }

  @Test
  void operationsReachTheProxy() throws Exception {
    ObjectName control = name("Control");
    String[] text = {String.class.getName()};
    assertThat(remote.getAttribute(control, "Ready")).isEqualTo(true);
    assertThat(remote.invoke(control, "purge", new Object[] {"http://h/"}, text)).isEqualTo(2);
    String[] textAndFlag = {String.class.getName(), "boolean"};
    String[] twoTexts = {String.class.getName(), String.class.getName()};
    String[] twoTextsAndFlag = {String.class.getName(), String.class.getName(), "boolean"};
    assertThat(remote.invoke(control, "softPurge", new Object[] {"http://h/"}, text))
        .isEqualTo("memory=2, disk=later");
    remote.invoke(control, "purgeKeys", new Object[] {"a b", true}, textAndFlag);
    remote.invoke(
        control, "purgeGroups", new Object[] {"http://h/", "\"g\"", false}, twoTextsAndFlag);
    remote.invoke(control, "purgePattern", new Object[] {"", "png$"}, twoTexts);
    remote.invoke(control, "softPurgePattern", new Object[] {"h", "gif$"}, twoTexts);
    remote.invoke(control, "rotateLogs", null, null);
    assertThat(remote.invoke(control, "reload", null, null))
        .isEqualTo("reloaded:\nvia on -> off (conf:1)");
    remote.invoke(control, "drain", null, null);
    assertThat(calls)
        .containsExactly(
            "purge http://h/",
            "purge http://h/",
            "purge Groups",
            "purge Groups",
            "purge Matching",
            "purge softly Matching",
            "rotate",
            "reload",
            "drain");
    assertThat(remote.getAttribute(control, "NotReadyReason")).isEqualTo("draining");
    assertThatThrownBy(() -> remote.invoke(control, "purge", new Object[] {"x"}, text))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void classesAndTiersShowNumbers() throws Exception {
    metrics.loop(0).finished(SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h"));
    assertThat(remote.getAttribute(name("Classes"), "Exchanges")).isEqualTo(1L);
    assertThat(remote.getAttribute(name("Classes"), "ClientSentBytes")).isEqualTo(311L);
    TabularData byClass = (TabularData) remote.getAttribute(name("Classes"), "ByClass");
    assertThat(byClass.get(new Object[] {"miss"}).get("value")).isEqualTo(1L);
    assertThat(remote.getAttribute(name("Tiers"), "MemoryEntries")).isEqualTo(1L);
    assertThat(remote.getAttribute(name("Tiers"), "TransitLimitBytes")).isEqualTo(10L);
  }

  @Test
  void eachCacheDirIsABean() throws Exception {
    ObjectName dir =
        remote.queryNames(new ObjectName("io.loligo:type=CacheDir,*"), null).iterator().next();
    assertThat(dir.getKeyProperty("path")).isEqualTo(ObjectName.quote("/d,*\""));
    assertThat(remote.getMBeanInfo(dir).getDescription())
        .startsWith("State and numbers of one cache_dir");
    assertThat(remote.getAttribute(dir, "State")).isEqualTo("READ_ONLY");
    assertThat(remote.getAttribute(dir, "Reason")).isEqualTo("no-store");
    assertThat(remote.getAttribute(dir, "Source")).isEqualTo("squid.conf:7");
    assertThat(remote.getAttribute(dir, "SingleReadShare")).isEqualTo(0.5);
    TabularData numbers = (TabularData) remote.getAttribute(dir, "Numbers");
    assertThat(numbers.get(new Object[] {"damaged"}).get("value")).isEqualTo(13L);
    TabularData texts = (TabularData) remote.getAttribute(dir, "Texts");
    assertThat(texts.keySet()).isEqualTo(numbers.keySet());
  }

  @Test
  void explainsAndCountsMisses() throws Exception {
    String[] types = {String.class.getName(), String.class.getName()};
    Object text =
        remote.invoke(
            name("Control"), "explain", new Object[] {"http://h/", "A: b\n\nC: d\n"}, types);
    assertThat((String) text).contains("the origin is asked", "lately");
    assertThat(calls).containsExactly("explain GET http://h/ [A: b, C: d]");
    String[] six = new String[6];
    Arrays.fill(six, String.class.getName());
    remote.invoke(
        name("Control"),
        "explain",
        new Object[] {"http://h/", "QUERY", "", "192.0.2.1", "side", "q"},
        six);
    assertThat(calls).last().isEqualTo("explain QUERY http://h/ [] 192.0.2.1 side q");
    assertThatThrownBy(
            () ->
                remote.invoke(
                    name("Control"), "explain", new Object[] {"http://h/busy", ""}, types))
        .hasStackTraceContaining("try again");
    assertThat(remote.getAttribute(name("Misses"), "Origins")).isNotNull();
  }

  @Test
  void purgeThatADiskDoesNotConfirmThrows() {
    String[] text = {String.class.getName()};
    assertThatThrownBy(
            () -> remote.invoke(name("Control"), "purge", new Object[] {"http://h/stuck"}, text))
        .hasRootCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void stagesShowPercentiles() throws Exception {
    metrics.loop(0).finished(SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h"));
    TabularData times = (TabularData) remote.getAttribute(name("Stages"), "Times");
    CompositeData total = (CompositeData) times.get(new Object[] {"total/miss"}).get("value");
    assertThat(total.get("count")).isEqualTo(1L);
    assertThat((double) total.get("p99Micros")).isBetween(1900 * 31 / 32.0, 1900.0);
    assertThat(total.get("maxMicros")).isEqualTo(1900.0);
    TabularData protocols = (TabularData) remote.getAttribute(name("Stages"), "ProtocolTimes");
    assertThat(protocols.size()).isEqualTo(1);
    CompositeData one = (CompositeData) protocols.get(new Object[] {"1.1"}).get("value");
    assertThat(one.get("maxMicros")).isEqualTo(1900.0);
    String[] texts = {String.class.getName(), String.class.getName()};
    CompositeData none =
        (CompositeData) remote.invoke(name("Stages"), "times", new Object[] {"dns", "miss"}, texts);
    assertThat(none.get("count")).isEqualTo(0L);
    assertThatThrownBy(
            () ->
                remote.invoke(
                    name("Stages"), "times", new Object[] {"serverFirstByte", "hit"}, texts))
        .hasStackTraceContaining("hit (expected: one of memory_hit, ");
  }

  @Test
  void ledgerShowsOwners() throws Exception {
    TabularData used = (TabularData) remote.getAttribute(name("MemoryLedger"), "UsedBytes");
    assertThat(used.get(new Object[] {"store"}).get("value")).isEqualTo(5L);
    TabularData limits = (TabularData) remote.getAttribute(name("MemoryLedger"), "LimitBytes");
    assertThat(limits.get(new Object[] {"store"}).get("value")).isEqualTo(10L);
  }

  @Test
  void closeTakesAllBeansAway() throws Exception {
    beans.close();
    assertThat(remote.queryNames(new ObjectName("io.loligo:*"), null)).isEmpty();
  }

  @Test
  void leavesALineOfEveryChange() throws Exception {
    CapturedLog audit = new CapturedLog("io.loligo.audit");
    try (audit) {
      ObjectName control = new ObjectName("io.loligo:type=Control");
      for (String operation : List.of("reload", "rotateLogs", "drain")) {
        remote.invoke(control, operation, null, null);
      }
      remote.invoke(
          control,
          "purge",
          new Object[] {"http://h/a?secret=1"},
          new String[] {String.class.getName()});
      remote.invoke(control, "resizeCacheMemory", new Object[] {1000L}, new String[] {"long"});
      assertThatThrownBy(
              () ->
                  remote.invoke(
                      control, "resizeCacheMemory", new Object[] {1001L}, new String[] {"long"}))
          .hasRootCauseMessage("value: 1001 (expected: at most 1000)");
      String[] texts = {String.class.getName(), String.class.getName()};
      remote.invoke(name("Logs"), "setLevel", new Object[] {"a\nb", "DEBUG"}, texts);
      assertThatThrownBy(
              () -> remote.invoke(name("Logs"), "setLevel", new Object[] {"a", "loud"}, texts))
          .isInstanceOf(RuntimeMBeanException.class);
    }
    assertThat(audit.lines())
        .extracting(line -> line.replaceAll("from \\S+:", "from X:"))
        .containsExactly(
            "jmx reload from X: done",
            "jmx rotate from X: done",
            "jmx drain from X: begun",
            "jmx purge http://h/a? from X: DONE, memory=2, disk=later",
            "jmx cache_mem 1000 bytes from X: resized",
            "jmx cache_mem 1001 bytes from X: refused",
            "jmx level of a_b to DEBUG from X: was INFO",
            "jmx level of a to loud from X: was INFO",
            "jmx level of a to loud from X: refused");
  }
}
