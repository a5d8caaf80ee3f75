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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code loligo_request_rate} and {@code loligo_request_rate_access}, which make the rates
 * together. Confined to one thread.
 */
final class RequestRateLines implements LineReader<List<RequestRate>> {
  static final String FORM =
      "NAME rate=N/s|N/m|N/h [burst=N] key=address|network/BITS[,BITS6]|user|header:NAME"
          + " [scope=cluster|node]";

  private static final Pattern RATE = Pattern.compile("([0-9]{1,9})/([smh])");
  private static final Pattern NETWORK = Pattern.compile("network/([0-9]{1,2})(?:,([0-9]{1,2}))?");
  private static final Pattern FIELD = Pattern.compile("header:([!#$%&'*+.^_`|~0-9A-Za-z-]{1,64})");
  private static final int V6_NETWORK = 48;

  private record One(RequestRate.Key key, Rate rate, boolean ofNode) {}

  private final Reading reading;
  private final Report report;
  private final Map<String, One> rates = new LinkedHashMap<>();
  private final Map<String, List<AclRule>> rules = new HashMap<>();

  private RequestRateLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
  }

  /** The reader of {@code loligo_request_rate}. */
  static RequestRateLines of(Reading reading) {
    return reading.shared(RequestRateLines.class, RequestRateLines::new);
  }

  static LineReader<@Nullable Void> accessOf(Reading reading) {
    return new DelayLines.PartReader(of(reading)::readAccess);
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    String name = values.isEmpty() ? "" : values.get(0);
    Matcher rate = null;
    long burst = 0;
    RequestRate.Key key = null;
    boolean ofNode = false;
    for (String word : values.isEmpty() ? values : values.subList(1, values.size())) {
      boolean fine = false;
      if (word.startsWith("rate=")) {
        rate = RATE.matcher(word.substring(5));
        fine = rate.matches() && Long.parseLong(rate.group(1)) > 0;
      } else if (word.startsWith("burst=")) {
        burst = PoolNumbers.number(word.substring(6));
        fine = burst > 0;
      } else if (word.startsWith("key=")) {
        key = key(word.substring(4));
        fine = key != null;
      } else if (word.startsWith("scope=")) {
        ofNode = word.equals("scope=node");
        fine = ofNode || word.equals("scope=cluster");
      }
      if (!fine) {
        report.error(line, word, FORM, "");
        return;
      }
    }
    if (name.isEmpty() || name.contains("=") || rate == null || key == null) {
      report.error(line, String.join(" ", values), FORM, "");
    } else if (rates.containsKey(name)) {
      report.error(line, name, "another name: a rate has it", "");
    } else {
      long number = Long.parseLong(rate.group(1));
      long perRequest =
          switch (rate.group(2)) {
            case "s" -> RequestRate.UNITS;
            case "m" -> RequestRate.UNITS / 60;
            default -> 1;
          };
      long most = burst > 0 ? burst : Math.max(1, number * perRequest / RequestRate.UNITS);
      Rate made = new Rate(number * perRequest, most * RequestRate.UNITS);
      rates.put(name, new One(key, made, ofNode));
    }
  }

  private static RequestRate.@Nullable Key key(String text) {
    if (text.equals("address")) {
      return new RequestRate.Key(RequestRate.Kind.ADDRESS, 32, 64, "");
    }
    if (text.equals("user")) {
      return new RequestRate.Key(RequestRate.Kind.USER, 0, 0, "");
    }
    Matcher field = FIELD.matcher(text);
    if (field.matches()) {
      return new RequestRate.Key(RequestRate.Kind.FIELD, 0, 0, field.group(1));
    }
    Matcher network = NETWORK.matcher(text);
    if (!network.matches()) {
      return null;
    }
    int v4 = Integer.parseInt(network.group(1));
    int v6 = network.group(2) == null ? V6_NETWORK : Integer.parseInt(network.group(2));
    return v4 > 32 || v6 > 64 ? null : new RequestRate.Key(RequestRate.Kind.NETWORK, v4, v6, "");
  }

  private void readAccess(Line line) {
    List<String> values = line.values();
    String name = values.isEmpty() ? "" : values.get(0);
    if (!rates.containsKey(name)) {
      report.error(line, name, "the name of a loligo_request_rate above this line", "");
      return;
    }
    AclRule rule = reading.rules().rule(RuleScope.REQUEST, line, values.subList(1, values.size()));
    if (rule != null) {
      rules.computeIfAbsent(name, first -> new ArrayList<>()).add(rule);
    }
  }

  @Override
  public List<RequestRate> value() {
    List<RequestRate> made = new ArrayList<>();
    rates.forEach(
        (name, one) -> {
          List<AclRule> access = rules.getOrDefault(name, List.of());
          AclList compiled = reading.rules().compileAllowRestricts(access, AclList.allowAll());
          made.add(new RequestRate(name, one.key, one.rate, one.ofNode, compiled));
        });
    return List.copyOf(made);
  }
}
