package io.loligo.server.jmx;

import io.loligo.server.adapt.ServiceCount;
import io.loligo.server.adapt.ServiceCounts;
import io.loligo.server.counts.Count;
import io.loligo.server.counts.Counts;
import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.HelperNumbers;
import io.loligo.server.login.LoginCount;
import io.loligo.server.login.LoginCounts;
import io.loligo.server.shaping.PoolCount;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.PoolLevel;
import io.loligo.server.shaping.PoolLevels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The beans of things with counts. Thread-safe: any thread. */
final class CountsBeans {
  private CountsBeans() {}

  /** The value of each count, for each thing. */
  static <C extends Count> Map<String, Map<String, Long>> numbers(
      C[] counts, List<? extends Counts<C>> things) {
    Map<String, Map<String, Long>> all = new TreeMap<>();
    for (Counts<C> one : things) {
      Map<String, Long> numbers = new TreeMap<>();
      for (C count : counts) {
        if (one.has(count)) {
          numbers.put(count.exactKey(), one.value(count));
        }
      }
      all.put(one.name(), numbers);
    }
    return all;
  }

  static Map<String, String> texts(Count... counts) {
    Map<String, String> texts = new TreeMap<>();
    for (Count count : counts) {
      texts.put(count.exactKey(), count.text());
    }
    return texts;
  }

  record Helpers(Supplier<List<HelperNumbers>> programs) implements HelpersMXBean {
    @Override
    public Map<String, Map<String, Long>> getPrograms() {
      return numbers(HelperCount.values(), programs.get());
    }

    @Override
    public Map<String, String> getTexts() {
      return texts(HelperCount.values());
    }
  }

  record Logins(Supplier<List<LoginCounts>> schemes) implements LoginsMXBean {
    @Override
    public Map<String, Map<String, Long>> getSchemes() {
      return numbers(LoginCount.values(), schemes.get());
    }

    @Override
    public Map<String, String> getTexts() {
      return texts(LoginCount.values());
    }
  }

  record NeighbourPorts(
      Supplier<Map<String, Map<String, Long>>> protocols, Map<String, Map<String, String>> texts)
      implements NeighbourPortsMXBean {
    @Override
    public Map<String, Map<String, Long>> getProtocols() {
      return protocols.get();
    }

    @Override
    public Map<String, Map<String, String>> getTexts() {
      return texts;
    }
  }

  record Icap(Supplier<List<ServiceCounts>> services) implements IcapMXBean {
    @Override
    public Map<String, Map<String, Long>> getServices() {
      return numbers(ServiceCount.values(), services.get());
    }

    @Override
    public Map<String, String> getTexts() {
      return texts(ServiceCount.values());
    }
  }

  record Pools(Supplier<List<PoolCounts>> pools, Supplier<List<PoolLevels>> levels)
      implements PoolsMXBean {
    /** The value of {@code count} for each thing that has it. */
    private static <C extends Count> Map<String, Long> each(
        C count, List<? extends Counts<C>> things) {
      Map<String, Long> all = new TreeMap<>();
      for (Counts<C> one : things) {
        if (one.has(count)) {
          all.put(one.name(), one.value(count));
        }
      }
      return all;
    }

    @Override
    public Map<String, Long> getPassed() {
      return each(PoolCount.PASSED, pools.get());
    }

    @Override
    public Map<String, Long> getWaits() {
      return each(PoolCount.WAITS, pools.get());
    }

    @Override
    public Map<String, Long> getWaiting() {
      return each(PoolCount.WAITING, pools.get());
    }

    @Override
    public Map<String, Long> getLevel() {
      return each(PoolLevel.LEVEL, levels.get());
    }

    @Override
    public Map<String, Long> getMaximum() {
      return each(PoolLevel.MAXIMUM, levels.get());
    }

    @Override
    public Map<String, Long> getBuckets() {
      return each(PoolLevel.BUCKETS, levels.get());
    }

    @Override
    public Map<String, Long> getLowestLevel() {
      return each(PoolLevel.LOWEST, levels.get());
    }
  }
}
