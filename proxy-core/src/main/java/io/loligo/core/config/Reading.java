package io.loligo.core.config;

import io.loligo.core.acl.Acls;
import io.loligo.core.config.Directive.Status;
import io.loligo.core.config.LineReport.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One configuration being read, line by line. Confined to one thread. */
final class Reading {
  private final ConfigSource source;
  private final Report report;
  private final Scalars scalars = new Scalars();
  private final AclLines acls;
  private final RuleLists rules;
  private final PortLines ports;
  private final PeerLines peers;
  private final RefreshLines refresh;
  private final LogLines logs;
  private final CacheDirLines dirs;
  private final LimitLines limits;
  private final List<Setting> settings = new ArrayList<>();

  Reading(ConfigSource source, Report report) {
    this.source = source;
    this.report = report;
    Acls named = new Acls(source, source.zone());
    acls = new AclLines(source, report, named);
    rules = new RuleLists(report, named);
    ports = new PortLines(report);
    peers = new PeerLines(report, rules);
    refresh = new RefreshLines(report);
    logs = new LogLines(report, rules);
    dirs = new CacheDirLines(report);
    limits = new LimitLines(report, rules, scalars);
  }

  /** Takes the next line. */
  void line(Line line) {
    Directive directive = Directives.named(line.directive());
    if (directive == null) {
      report.unknown(line, unknownAdvice(line.directive()));
      return;
    }
    settings.add(
        new Setting(
            directive.name(),
            valueOf(line),
            line.file(),
            line.number(),
            Secrets.holdsSecret(line)));
    if (directive.isUsed()) {
      if (directive.status() == Status.USED_WITH_DIFFERENCE) {
        report.verdict(line, Verdict.USED_WITH_DIFFERENCE, directive.note());
      }
      used(directive, line);
    } else {
      unused(directive, line);
    }
  }

  private static String valueOf(Line line) {
    String text = Secrets.redact(line);
    int blank = text.indexOf(' ');
    return blank < 0 ? "" : text.substring(blank + 1);
  }

  private static String unknownAdvice(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (Directives.named(lower) != null) {
      return "names are case-sensitive: write " + lower;
    }
    String near = Spelling.nearest(name);
    return near == null ? "remove the line" : "did you mean " + near + "?";
  }

  private void unused(Directive directive, Line line) {
    switch (directive.status()) {
      case OBSOLETE -> {
        report.warning(line, "", "", "obsolete: " + directive.note());
        report.verdict(line, Verdict.OBSOLETE, directive.note());
      }
      case RESTRICTS -> {
        if (saysTheDefault(directive, line)) {
          report.verdict(line, Verdict.WITHOUT_EFFECT, "says what is the case anyway");
        } else if (scalars.check(directive, line, line.values(), report)) {
          report.restricts(line, "", directive.note());
        }
      }
      case MEANINGLESS -> report.verdict(line, Verdict.WITHOUT_EFFECT, directive.note());
      default -> {
        if (scalars.check(directive, line, line.values(), report)) {
          report.warning(line, "", "", "accepted without effect: " + directive.note());
          report.verdict(line, Verdict.WITHOUT_EFFECT, directive.note());
        }
      }
    }
  }

  private static boolean saysTheDefault(Directive directive, Line line) {
    return !directive.defaultText().isEmpty()
        && String.join(" ", line.values()).equals(directive.defaultText());
  }

  private void used(Directive directive, Line line) {
    switch (directive.name()) {
      case "http_port" -> ports.read(line);
      case "acl" -> acls.read(line);
      case "http_upgrade_request_protocols", "cache_peer_access" -> keyed(directive, line);
      case "cache_peer" -> peers.read(line);
      case "cache_dir" -> dirs.read(line);
      case "refresh_pattern" -> refresh.read(line);
      case "access_log" -> logs.readAccessLog(line);
      case "logformat" -> logs.readFormat(line);
      case "debug_options" -> logs.readDebugOptions(line);
      default -> {
        if (directive.type() == ValueType.RULES) {
          rules.read(directive.name(), line, line.values());
        } else if (directive.type() == ValueType.BYTES_BY_ACL) {
          limits.read(directive, line);
        } else {
          scalars.read(directive, line, line.values(), report);
        }
      }
    }
  }

  private void keyed(Directive directive, Line line) {
    if (line.values().size() < 2) {
      report.error(line, "", directive.form(), "");
      return;
    }
    String key = line.values().get(0);
    if (directive.name().equals("cache_peer_access")) {
      peers.readAccess(key, line);
    } else {
      rules.readUpgrade(key, line, line.values().subList(1, line.values().size()));
    }
  }

  /** The configuration of all lines taken, or null where one cannot be made. */
  ProxyConfig finish(String file) {
    ports.finish(file);
    peers.finish();
    dirs.finish(scalars);
    giveWayToPorts();
    if (report.hasErrors()) {
      return null;
    }
    return new Assembly(source, scalars, acls.named(), rules, logs, dirs, limits)
        .build(ports.ports(), peers.peers(), refresh.patterns(), effective());
  }

  /** Squid's files know no admin port: where one of theirs has its number, ours is another. */
  private void giveWayToPorts() {
    String name = "loligo_admin_port";
    HostPort usual = HostPort.parse(Directives.named(name).defaultText());
    Line taking = ports.taking(usual.port());
    if (taking == null || scalars.isGiven(name)) {
      return;
    }
    int free = usual.port() + 1;
    while (ports.taking(free) != null) {
      free++;
    }
    String place = new HostPort(usual.address(), free).text();
    scalars.settle(name, place, taking);
    settings.add(new Setting(name, place, taking.file(), taking.number(), false));
    report.warning(taking, "", "", "loligo_admin_port has this number by default: it is " + place);
  }

  /** The same configuration with all warnings in it. */
  ProxyConfig withWarnings(ProxyConfig config) {
    List<String> warnings =
        report.problems().stream()
            .filter(problem -> !problem.isError())
            .map(ConfigProblem::text)
            .toList();
    return config.withWarnings(warnings);
  }

  /** Every value in force: the lines as they stand, the last of a single value, then defaults. */
  private List<Setting> effective() {
    List<Setting> all = new ArrayList<>();
    for (Directive directive : Directives.all()) {
      if (!directive.isUsed()) {
        continue;
      }
      List<Setting> own =
          settings.stream().filter(one -> one.directive().equals(directive.name())).toList();
      if (own.isEmpty()) {
        if (!directive.defaultText().isEmpty()) {
          all.add(new Setting(directive.name(), directive.defaultText(), "", 0, false));
        }
      } else if (directive.accumulates()) {
        all.addAll(own);
      } else {
        all.add(own.get(own.size() - 1));
      }
    }
    return List.copyOf(all);
  }
}
