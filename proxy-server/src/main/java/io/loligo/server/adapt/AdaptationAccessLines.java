package io.loligo.server.adapt;

import io.loligo.core.acl.AclList;
import io.loligo.core.acl.AclRule;
import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.RuleScope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code adaptation_access} lines. Confined to one thread. */
final class AdaptationAccessLines implements LineReader<List<AdaptationSettings.Rule>> {
  static final String FORM = "SERVICE|SET|CHAIN allow|deny [!]ACL...";

  private final Reading reading;
  private final List<Line> lines = new ArrayList<>();
  private final Map<ServiceGroup, List<AclRule>> rules = new LinkedHashMap<>();

  AdaptationAccessLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    if (line.values().size() < 2) {
      reading.report().error(line, "", FORM, "");
    } else {
      lines.add(line);
    }
  }

  @Override
  public void end() {
    if (!reading.value(AdaptationDirectives.ICAP_ENABLE)) {
      lines.forEach(line -> ServiceLines.noEffect(reading.report(), line));
      return;
    }
    Map<String, IcapService> services = reading.value(AdaptationDirectives.ICAP_SERVICE);
    for (Line line : lines) {
      String name = line.values().get(0);
      ServiceGroup group = group(name, services.get(name));
      if (group == null) {
        reading.report().error(line, name, "the name of an icap_service or of a group", "");
        continue;
      }
      RuleScope scope = group.responses() ? RuleScope.RESPONSE : RuleScope.REQUEST;
      List<String> words = line.values().subList(1, line.values().size());
      AclRule rule = reading.rules().rule(scope, line, words);
      if (rule != null) {
        rules.computeIfAbsent(group, none -> new ArrayList<>()).add(rule);
      }
    }
  }

  private @Nullable ServiceGroup group(String name, @Nullable IcapService service) {
    if (service != null) {
      return new ServiceGroup(name, false, List.of(service));
    }
    ServiceGroup set = reading.value(AdaptationDirectives.SERVICE_SET).get(name);
    return set != null ? set : reading.value(AdaptationDirectives.SERVICE_CHAIN).get(name);
  }

  @Override
  public List<AdaptationSettings.Rule> value() {
    List<AdaptationSettings.Rule> compiled = new ArrayList<>();
    rules.forEach(
        (group, list) ->
            compiled.add(
                new AdaptationSettings.Rule(
                    group, reading.rules().compileAllowRestricts(list, AclList.denyAll()))));
    return List.copyOf(compiled);
  }
}
