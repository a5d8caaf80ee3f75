package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.RuleScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code delay_pools}, {@code delay_class}, {@code delay_parameters} and {@code
 * delay_access}, which make the pools together. Confined to one thread.
 */
final class DelayLines implements LineReader<List<DelayPool>> {
  /** Parameters of the classes 1 to 5. */
  private static final int[] PARAMETERS = {1, 2, 3, 4, 1};

  private static final int MOST_CLASS = 5;

  private final Reading reading;
  private final Report report;
  private final PoolNumbers numbers;
  private final Map<Integer, Integer> classes = new TreeMap<>();
  private final Map<Integer, Line> parameters = new TreeMap<>();
  private final Map<Integer, List<@Nullable Rate>> rates = new TreeMap<>();
  private final Map<Integer, List<AclRule>> rules = new TreeMap<>();

  private DelayLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
    numbers = new PoolNumbers(report, "delay_pools");
  }

  /** The reader of {@code delay_pools}. */
  static DelayLines of(Reading reading) {
    return reading.shared(DelayLines.class, DelayLines::new);
  }

  static LineReader<@Nullable Void> classesOf(Reading reading) {
    return new PartReader(of(reading)::readClass);
  }

  static LineReader<@Nullable Void> parametersOf(Reading reading) {
    return new PartReader(of(reading)::readParameters);
  }

  static LineReader<@Nullable Void> accessOf(Reading reading) {
    return new PartReader(of(reading)::readAccess);
  }

  /** Reads lines that belong to the value of another directive. */
  record PartReader(Consumer<Line> reader) implements LineReader<@Nullable Void> {
    @Override
    public void read(Line line) {
      reader.accept(line);
    }

    @Override
    @SuppressWarnings("NullAway") // the T of this reader may be null
    public @Nullable Void value() {
      return null;
    }
  }

  @Override
  public void read(Line line) {
    numbers.count(line);
  }

  private void readClass(Line line) {
    int pool = numbers.of(line);
    if (pool == 0) {
      return;
    }
    int kind = line.values().size() < 2 ? 0 : PoolNumbers.number(line.values().get(1));
    if (kind < 1 || kind > MOST_CLASS) {
      report.error(line, textAt(line, 1), "a class from 1 to " + MOST_CLASS, "");
    } else {
      classes.put(pool, kind);
    }
  }

  private void readParameters(Line line) {
    int pool = numbers.of(line);
    if (pool == 0) {
      return;
    }
    List<@Nullable Rate> given = new ArrayList<>();
    for (String word : line.values().subList(1, line.values().size())) {
      if (word.equals("none") || word.startsWith("-")) {
        given.add(null);
        continue;
      }
      int slash = word.indexOf('/');
      long restore = slash < 0 ? -1 : PoolNumbers.bytes(word.substring(0, slash));
      long most = slash < 0 ? -1 : PoolNumbers.bytes(word.substring(slash + 1));
      if (restore < 0 || restore > Integer.MAX_VALUE || most < 0) {
        report.error(line, word, "BYTES_PER_SECOND/BYTES or none", "");
        return;
      }
      given.add(new Rate(restore, most));
    }
    parameters.put(pool, line);
    rates.put(pool, given);
  }

  private void readAccess(Line line) {
    int pool = numbers.of(line);
    if (pool == 0) {
      return;
    }
    AclRule rule =
        reading
            .rules()
            .rule(RuleScope.RESPONSE, line, line.values().subList(1, line.values().size()));
    if (rule != null) {
      rules.computeIfAbsent(pool, first -> new ArrayList<>()).add(rule);
    }
  }

  private static String textAt(Line line, int index) {
    return line.values().size() <= index ? "" : line.values().get(index);
  }

  @Override
  public void end() {
    numbers.end();
    parameters.forEach(this::checkNumber);
    Line counted = numbers.line();
    for (int pool = 1; counted != null && pool <= numbers.most(); pool++) {
      if (!classes.containsKey(pool)) {
        report.warning(counted, "", "", "pool " + pool + " has no delay_class: it limits nothing");
      } else if (!rates.containsKey(pool)) {
        report.warning(
            counted, "", "", "pool " + pool + " has no delay_parameters: it limits nothing");
      } else if (!rules.containsKey(pool)) {
        report.warning(
            counted, "", "", "pool " + pool + " has no delay_access: no request falls into it");
      }
    }
  }

  private void checkNumber(int pool, Line line) {
    Integer kind = classes.get(pool);
    int given = line.values().size() - 1;
    if (kind == null) {
      return;
    }
    int wanted = PARAMETERS[kind - 1];
    if (given < wanted) {
      report.error(line, "", wanted + " pairs for class " + kind, "");
    } else if (given > wanted) {
      report.warning(
          line, "", "", "class " + kind + " has " + wanted + " pairs: further ones mean nothing");
    }
  }

  @Override
  public List<DelayPool> value() {
    int percent = reading.value(DelayDirectives.INITIAL_BUCKET_LEVEL);
    List<DelayPool> pools = new ArrayList<>();
    for (int pool = 1; pool <= numbers.most(); pool++) {
      Integer kind = classes.get(pool);
      List<AclRule> access = rules.get(pool);
      List<@Nullable Rate> given = rates.get(pool);
      if (kind != null && access != null && given != null) {
        AclList compiled = reading.rules().compile(access, AclList.denyAll());
        pools.add(new DelayPool(pool, kind, given, percent, compiled));
      }
    }
    return List.copyOf(pools);
  }
}
