package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code response_delay_pool} and {@code response_delay_pool_access}, which make the pools
 * together. Confined to one thread.
 */
final class ResponsePoolLines implements LineReader<List<ResponsePool>> {
  static final String FORM =
      "NAME [individual-restore=N individual-maximum=N] [aggregate-restore=N aggregate-maximum=N]"
          + " [initial-bucket-level=PERCENT]";

  private static final String LEVEL = "initial-bucket-level";

  private record Pool(Line line, @Nullable Rate individual, @Nullable Rate aggregate, int level) {}

  private final Reading reading;
  private final Report report;
  private final Map<String, Pool> pools = new LinkedHashMap<>();
  private final Map<String, List<AclRule>> rules = new HashMap<>();

  private ResponsePoolLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
  }

  /** The reader of {@code response_delay_pool}. */
  static ResponsePoolLines of(Reading reading) {
    return reading.shared(ResponsePoolLines.class, ResponsePoolLines::new);
  }

  static LineReader<@Nullable Void> accessOf(Reading reading) {
    return new DelayLines.PartReader(of(reading)::readAccess);
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.isEmpty()) {
      report.error(line, "", FORM, "");
      return;
    }
    Map<String, Long> options = new HashMap<>();
    for (String word : values.subList(1, values.size())) {
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      boolean known =
          name.matches("(individual|aggregate)-(restore|maximum)") || name.equals(LEVEL);
      long number = equals < 0 ? -1 : PoolNumbers.bytes(word.substring(equals + 1));
      if (!known || number < 0 || (name.equals(LEVEL) && number > 65_535)) {
        report.error(line, word, FORM, "");
        return;
      }
      options.put(name, number);
    }
    for (String kind : List.of("individual", "aggregate")) {
      if (options.containsKey(kind + "-restore") != options.containsKey(kind + "-maximum")) {
        report.error(line, "", kind + "-restore and " + kind + "-maximum", "one needs the other");
        return;
      }
    }
    String name = values.get(0);
    if (pools.containsKey(name)) {
      report.warning(line, name, "", "the first pool of this name holds");
      return;
    }
    int level = options.getOrDefault(LEVEL, 50L).intValue();
    pools.put(name, new Pool(line, rate("individual", options), rate("aggregate", options), level));
  }

  private static @Nullable Rate rate(String kind, Map<String, Long> options) {
    Long restore = options.get(kind + "-restore");
    Long most = options.get(kind + "-maximum");
    return restore == null || most == null ? null : new Rate(restore, most);
  }

  private void readAccess(Line line) {
    List<String> values = line.values();
    String name = values.isEmpty() ? "" : values.get(0);
    if (!pools.containsKey(name)) {
      report.error(line, name, "the name of a response_delay_pool above this line", "");
      return;
    }
    AclRule rule = reading.rules().rule(RuleScope.RESPONSE, line, values.subList(1, values.size()));
    if (rule != null) {
      rules.computeIfAbsent(name, first -> new ArrayList<>()).add(rule);
    }
  }

  @Override
  public void end() {
    pools.forEach(
        (name, pool) -> {
          if (!rules.containsKey(name)) {
            report.warning(
                pool.line, "", "", "no response_delay_pool_access allows it: it limits nothing");
          }
        });
  }

  @Override
  public List<ResponsePool> value() {
    List<ResponsePool> made = new ArrayList<>();
    pools.forEach(
        (name, pool) -> {
          List<AclRule> access = rules.get(name);
          if (access != null) {
            AclList compiled = reading.rules().compile(access, AclList.denyAll());
            made.add(new ResponsePool(name, pool.individual, pool.aggregate, pool.level, compiled));
          }
        });
    return List.copyOf(made);
  }
}
