package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.jmx.ConcurrencyMXBean;
import io.loligo.server.jmx.ControlMXBean;
import io.loligo.server.jmx.HistoryColumns;
import io.loligo.server.jmx.HistoryMXBean;
import io.loligo.server.jmx.LogsMXBean;
import io.loligo.server.jmx.TiersMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.management.Descriptor;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.ArrayType;
import javax.management.openmbean.CompositeType;
import javax.management.openmbean.OpenType;
import javax.management.openmbean.SimpleType;
import javax.management.openmbean.TabularType;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.Test;

/** A process with JMX on a port, as JConsole and VisualVM of an operator see it. */
class RemoteConsoleWireTest extends WireTest {
  private static final Set<SimpleType<?>> NUMBERS =
      Set.of(SimpleType.INTEGER, SimpleType.LONG, SimpleType.DOUBLE, SimpleType.FLOAT);

  private interface Look {
    void at(MBeanServerConnection remote) throws Exception;
  }

  @SuppressWarnings("BanJNDI") // the process is ours
  private void console(String conf, Look look) throws Exception {
    int jmx = ProxyProcess.freePort();
    Path file = Files.writeString(dir.resolve("loligo.conf"), conf);
    String remote = "-Dcom.sun.management.jmxremote";
    closing(
            ProxyProcess.loligo(
                dir,
                List.of(
                    remote + ".port=" + jmx,
                    remote + ".rmi.port=" + jmx,
                    remote + ".host=127.0.0.1",
                    "-Djava.rmi.server.hostname=127.0.0.1",
                    remote + ".ssl=false",
                    remote + ".authenticate=false"),
                "run",
                "-f",
                file.toString()))
        .awaitOutput("Daemon: ready");
    JMXServiceURL url =
        new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + jmx + "/jmxrmi");
    try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
      look.at(connector.getMBeanServerConnection());
    }
  }

  private static <T> T bean(MBeanServerConnection remote, String type, Class<T> as)
      throws JMException {
    return JMX.newMXBeanProxy(remote, new ObjectName("io.loligo", "type", type), as);
  }

  @Test
  void everythingCanBeReadAndIsDescribed() throws Exception {
    console(
        configuration("cache_dir rock " + dir.resolve("cache") + " 32"),
        remote -> {
          Set<ObjectName> names = remote.queryNames(new ObjectName("io.loligo:*"), null);
          assertThat(names)
              .extracting(name -> name.getKeyProperty("type"))
              .contains(
                  "Tiers",
                  "Classes",
                  "Stages",
                  "Concurrency",
                  "DiskTimes",
                  "History",
                  "Connections",
                  "OriginConnections",
                  "MemoryLedger",
                  "Misses",
                  "Icap",
                  "Pools",
                  "Parents",
                  "Helpers",
                  "Logins",
                  "Logs",
                  "Control",
                  "CacheDir");
          List<String> faults = new ArrayList<>();
          for (ObjectName name : names) {
            MBeanInfo info = remote.getMBeanInfo(name);
            sentence(name.toString(), info.getDescription(), faults);
            for (MBeanAttributeInfo attribute : info.getAttributes()) {
              described(name + " " + attribute.getName(), attribute, faults);
              // JConsole's table has names and values only
              if ("bytes".equals(attribute.getDescriptor().getFieldValue("units"))
                  && !attribute.getName().endsWith("Bytes")) {
                faults.add(name + " " + attribute.getName() + ": no unit in the name");
              }
              assertThat(remote.getAttribute(name, attribute.getName()))
                  .as("%s %s", name, attribute.getName())
                  .isNotNull();
            }
            for (MBeanOperationInfo operation : info.getOperations()) {
              String called = name + " " + operation.getName();
              described(called, operation, faults);
              for (MBeanParameterInfo parameter : operation.getSignature()) {
                described(called + " " + parameter.getName(), parameter, faults);
                if (parameter.getName().matches("(arg|p)[0-9]*")) {
                  faults.add(called + ": a parameter without a name");
                }
              }
            }
          }
          assertThat(faults).isEmpty();
        });
  }

  private static void sentence(String of, String description, List<String> faults) {
    if (!description.endsWith(".") || description.contains("Information on")) {
      faults.add(of + ": description: " + description);
    }
  }

  /** A description, and a unit where there are numbers. */
  private static void described(String of, MBeanFeatureInfo info, List<String> faults) {
    sentence(of, info.getDescription(), faults);
    Descriptor descriptor = info.getDescriptor();
    Object type = descriptor.getFieldValue(JMX.OPEN_TYPE_FIELD);
    if (type instanceof OpenType<?> open
        && hasNumbers(open)
        && descriptor.getFieldValue("units") == null) {
      faults.add(of + ": no unit");
    }
  }

  private static boolean hasNumbers(OpenType<?> type) {
    if (type instanceof ArrayType<?> array) {
      return hasNumbers(array.getElementOpenType());
    }
    if (type instanceof TabularType table) {
      return hasNumbers(table.getRowType());
    }
    if (type instanceof CompositeType composite) {
      return composite.keySet().stream().anyMatch(key -> hasNumbers(composite.getType(key)));
    }
    return NUMBERS.contains(type);
  }

  @Test
  void anOperatorExplainsResizesAndSetsLevels() throws Exception {
    console(
        configuration(
            "acl far src 192.0.2.0/24",
            "http_access deny far",
            "cache_mem 64 MB",
            "http_port 127.0.0.1:0 name=side"),
        remote -> {
          ControlMXBean control = bean(remote, "Control", ControlMXBean.class);
          assertThat(control.explain("http://a.test/", "GET", "", "192.0.2.7", "side", ""))
              .contains("http_access deny far");
          assertThat(control.explain("http://a.test/", "PUT", "A: b", "", "", "text"))
              .contains("PUT")
              .doesNotContain("http_access deny far");
          assertThat(control.explain("http://a.test/", "")).contains("GET");
          TiersMXBean tiers = bean(remote, "Tiers", TiersMXBean.class);
          assertThat(control.resizeCacheMemory(32 << 20)).contains("32 MiB, was 64 MiB");
          assertThat(tiers.getMemoryLimitBytes()).isEqualTo(32 << 20);
          assertThatThrownBy(() -> control.resizeCacheMemory(1L << 40))
              .hasMessageContaining("(expected: at most ");
          assertThat(tiers.getMemoryLimitBytes()).isEqualTo(32 << 20);
          LogsMXBean logs = bean(remote, "Logs", LogsMXBean.class);
          assertThat(logs.level("ALL")).isEqualTo("INFO");
          assertThat(logs.setLevel("io.loligo.server.upstream", "2")).isEqualTo("DEBUG");
          assertThat(logs.level("io.loligo.server.upstream.pool")).isEqualTo("DEBUG");
          assertThat(logs.getLevels())
              .containsEntry("io.loligo.server.upstream", "DEBUG")
              .containsEntry("ROOT", "INFO");
          assertThat(logs.setLevel("io.loligo.server.upstream", "")).isEqualTo("INFO");
          assertThatThrownBy(() -> logs.setLevel("ROOT", "")).hasMessageContaining("ROOT");
          assertThatThrownBy(() -> logs.setLevel("a", "loud")).hasMessageContaining("expected");
          assertThat(bean(remote, "Concurrency", ConcurrencyMXBean.class).getSamples())
              .containsOnlyKeys(
                  "requests",
                  "forwarded",
                  "next_hops",
                  "disk_reads",
                  "disk_writes",
                  "disk_operations");
          HistoryMXBean history = bean(remote, "History", HistoryMXBean.class);
          HistoryColumns read = history.read("1h", "client_connections,exchanges.miss", 60);
          assertThat(read.getStepSeconds()).isEqualTo(60);
          assertThat(read.getColumns())
              .containsOnlyKeys(
                  "client_connections.mean", "client_connections.max", "exchanges.miss")
              .allSatisfy((name, of) -> assertThat(of).hasSameSizeAs(read.getTimes()));
          assertThatThrownBy(() -> history.read("1y", "", 0)).hasMessageContaining("range");
        });
  }
}
