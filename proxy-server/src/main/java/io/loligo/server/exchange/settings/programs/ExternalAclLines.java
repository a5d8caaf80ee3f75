package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.accesslog.LogFormatException;
import io.loligo.server.helper.ChildrenLines;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.ProgramLines;
import io.loligo.server.ldap.LdapCommand;
import io.loligo.server.ldap.LdapOptionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code external_acl_type} lines. Confined to one thread. */
final class ExternalAclLines implements LineReader<ExternalAclTypes> {
  static final String FORM =
      "NAME [ttl=N] [negative_ttl=N] [grace=PERCENT] [cache=N] [children-max=N]"
          + " [children-startup=N] [children-idle=N] [concurrency=N] [queue-size=N]"
          + " [protocol=2.5|3.0] [ipv4|ipv6] %CODE... PROGRAM [ARGUMENT...]";

  private static final int MOST_SECONDS = 1_000_000_000;
  private static final int MOST_ENTRIES = 10_000_000;

  private final Reading reading;
  private final Report report;
  private final List<ExternalAclType> types = new ArrayList<>();

  ExternalAclLines(Reading reading) {
    this.reading = reading;
    report = reading.report();
  }

  /** Options of one line, with Squid's defaults. */
  private static final class Options {
    long ttl = 3600;
    long negativeTtl = -1;
    int grace = 1;
    int entries = 256 * 1024;
    int max = 5;
    int startup;
    int idle = 1;
    int concurrency;
    int queue = -1;
    boolean shell;

    HelperChildren children() {
      return new HelperChildren(
          max,
          Math.min(startup, max),
          Math.max(1, Math.min(idle, max)),
          concurrency,
          queue < 0 ? 2 * max : queue,
          queue < 0,
          false);
    }
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    String name = values.isEmpty() ? "" : values.get(0);
    Options options = new Options();
    int at = 1;
    while (at < values.size()
        && !values.get(at).startsWith("%")
        && option(values.get(at), options)) {
      at++;
    }
    int form = at;
    while (at < values.size() && values.get(at).startsWith("%")) {
      at++;
    }
    List<String> words = form < at ? values.subList(form, at) : List.of();
    if (words.isEmpty() || at >= values.size()) {
      report.error(line, form < values.size() ? values.get(form) : "", FORM, "");
      reading.rules().defineExternal(name, false);
      return;
    }
    boolean asksForUser = false;
    try {
      ExternalForm read = ExternalForm.of(words, options.shell);
      asksForUser = read.asksForUser();
      ExternalCommand command = command(line, at + 1);
      if (command != null) {
        types.add(
            new ExternalAclType(
                name,
                read,
                String.join(" ", words) + (options.shell ? " 2.5" : ""),
                command,
                options.children(),
                options.ttl,
                options.negativeTtl < 0 ? options.ttl : options.negativeTtl,
                options.grace,
                options.entries));
      }
    } catch (LogFormatException e) {
      report.error(
          line, String.join(" ", words), "codes of logformat", String.valueOf(e.getMessage()));
    }
    reading.rules().defineExternal(name, asksForUser);
  }

  /** The command behind the first {@code count} words; null: it is wrong, which is reported. */
  private @Nullable ExternalCommand command(Line line, int count) {
    List<String> words = ProgramLines.words(reading, line, count);
    if (words == null || words.isEmpty()) {
      return null;
    }
    if (!LdapCommand.findsGroups(words)) {
      return ProgramLines.isProgram(reading, line, words) ? new ExternalCommand(words, null) : null;
    }
    try {
      LdapCommand.Read read = LdapCommand.read(words, reading.source()::read);
      read.remarks().forEach(remark -> report.warning(line, "", "", remark));
      return new ExternalCommand(words.subList(0, 1), read.command());
    } catch (LdapOptionException e) {
      String advice = e.getMessage() + ": " + e.advice();
      report.error(line, "", "options of ext_ldap_group_acl", advice);
      return null;
    }
  }

  private static boolean option(String word, Options options) {
    switch (word) {
      case "protocol=2.5", "quote=shell" -> {
        options.shell = true;
        return true;
      }
      case "protocol=3.0", "quote=url" -> {
        options.shell = false;
        return true;
      }
      case "ipv4", "ipv6" -> {
        return true; // helpers have pipes
      }
      default -> {
        int equals = word.indexOf('=');
        return equals > 0 && number(word.substring(0, equals), word.substring(equals + 1), options);
      }
    }
  }

  private static boolean number(String name, String text, Options options) {
    int most =
        switch (name) {
          case "ttl", "negative_ttl" -> MOST_SECONDS;
          case "grace" -> 100;
          case "concurrency" -> HelperChildren.MOST_CONCURRENT;
          case "cache" -> MOST_ENTRIES;
          case "queue-size" -> 99_999_999;
          default -> HelperChildren.MOST;
        };
    int value = ChildrenLines.numberOf(text, most);
    if (value < 0) {
      return false;
    }
    switch (name) {
      case "ttl" -> options.ttl = value;
      case "negative_ttl" -> options.negativeTtl = value;
      case "grace" -> options.grace = value;
      case "cache" -> options.entries = value;
      case "children", "children-max" -> options.max = Math.max(1, value);
      case "children-startup" -> options.startup = value;
      case "children-idle" -> options.idle = value;
      case "concurrency" -> options.concurrency = value;
      case "queue-size" -> options.queue = value;
      default -> {
        return false;
      }
    }
    return true;
  }

  @Override
  public ExternalAclTypes value() {
    return new ExternalAclTypes(List.copyOf(types), reading.rules().laterExternals());
  }
}
