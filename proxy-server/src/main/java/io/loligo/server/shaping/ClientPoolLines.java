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
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code client_delay_pools}, {@code client_delay_parameters} and {@code
 * client_delay_access}, which make the pools together. Confined to one thread.
 */
final class ClientPoolLines implements LineReader<List<ClientPool>> {
  private final Reading reading;
  private final Report report;
  private final PoolNumbers numbers;
  private final Map<Integer, @Nullable Rate> rates = new HashMap<>();
  private final Map<Integer, List<AclRule>> rules = new HashMap<>();

  private ClientPoolLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
    numbers = new PoolNumbers(report, "client_delay_pools");
  }

  /** The reader of {@code client_delay_pools}. */
  static ClientPoolLines of(Reading reading) {
    return reading.shared(ClientPoolLines.class, ClientPoolLines::new);
  }

  static LineReader<@Nullable Void> parametersOf(Reading reading) {
    return new DelayLines.PartReader(of(reading)::readParameters);
  }

  static LineReader<@Nullable Void> accessOf(Reading reading) {
    return new DelayLines.PartReader(of(reading)::readAccess);
  }

  @Override
  public void read(Line line) {
    numbers.count(line);
  }

  private void readParameters(Line line) {
    int pool = numbers.of(line);
    if (pool == 0) {
      return;
    }
    List<String> values = line.values();
    long speed = values.size() < 3 ? -1 : PoolNumbers.bytes(values.get(1));
    long most = values.size() < 3 ? -1 : PoolNumbers.bytes(values.get(2));
    if (values.size() == 3 && values.get(1).matches("-[0-9]+")) {
      rates.put(pool, null);
    } else if (values.size() != 3 || speed < 0 || speed > Integer.MAX_VALUE || most < 0) {
      report.error(
          line,
          String.join(" ", values.subList(1, values.size())),
          "BYTES_PER_SECOND MAXIMUM_BYTES",
          "");
    } else {
      rates.put(pool, new Rate(speed, most));
    }
  }

  private void readAccess(Line line) {
    int pool = numbers.of(line);
    if (pool == 0) {
      return;
    }
    AclRule rule =
        reading
            .rules()
            .rule(RuleScope.CLIENT, line, line.values().subList(1, line.values().size()));
    if (rule != null) {
      rules.computeIfAbsent(pool, first -> new ArrayList<>()).add(rule);
    }
  }

  @Override
  public void end() {
    numbers.end();
    Line counted = numbers.line();
    for (int pool = 1; counted != null && pool <= numbers.most(); pool++) {
      if (!rules.containsKey(pool)) {
        report.warning(
            counted, "", "", "pool " + pool + " has no client_delay_access: it limits nobody");
      } else if (!rates.containsKey(pool)) {
        report.error(
            counted, "", "client_delay_parameters " + pool, "Squid sends its clients nothing");
      }
    }
  }

  @Override
  public List<ClientPool> value() {
    int percent = reading.value(ClientPoolDirectives.INITIAL_BUCKET_LEVEL);
    List<ClientPool> pools = new ArrayList<>();
    for (int pool = 1; pool <= numbers.most(); pool++) {
      List<AclRule> access = rules.get(pool);
      if (access != null) {
        AclList compiled = reading.rules().compile(access, AclList.denyAll());
        pools.add(new ClientPool(pool, rates.get(pool), percent, compiled));
      }
    }
    return List.copyOf(pools);
  }
}
