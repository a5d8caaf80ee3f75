package io.loligo.server.adapt;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code adaptation_service_set} or {@code _chain} lines. Confined to one thread. */
final class GroupLines implements LineReader<Map<String, ServiceGroup>> {
  static final String FORM = "NAME SERVICE...";

  private final Reading reading;
  private final Report report;
  private final boolean chain;
  private final Map<String, Line> lines = new LinkedHashMap<>();
  private final Map<String, ServiceGroup> groups = new LinkedHashMap<>();

  GroupLines(Reading reading, boolean chain) {
    this.reading = reading;
    report = reading.report();
    this.chain = chain;
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", FORM, "");
    } else if (lines.putIfAbsent(values.get(0), line) != null) {
      report.error(line, values.get(0), "a name of its own", "another group has it");
    }
  }

  @Override
  public void end() {
    if (!reading.value(AdaptationDirectives.ICAP_ENABLE)) {
      return;
    }
    Map<String, IcapService> services = reading.value(AdaptationDirectives.ICAP_SERVICE);
    lines.forEach((name, line) -> group(name, line, services));
  }

  private void group(String name, Line line, Map<String, IcapService> services) {
    List<IcapService> members = new ArrayList<>();
    for (String member : line.values().subList(1, line.values().size())) {
      IcapService service = services.get(member);
      if (service == null) {
        report.error(line, member, "the name of an icap_service", "");
        return;
      }
      if (!members.isEmpty() && members.get(0).responses() != service.responses()) {
        report.error(line, member, "services of one point", "make a group for each point");
        return;
      }
      members.add(service);
    }
    if (services.containsKey(name)) {
      report.error(line, name, "a name of its own", "an icap_service has it");
      return;
    }
    groups.put(name, new ServiceGroup(name, chain, List.copyOf(members)));
  }

  @Override
  public Map<String, ServiceGroup> value() {
    return groups;
  }
}
