package io.loligo.server.login;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.Option;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.config.TimeWords;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.helper.ProgramLines;
import io.loligo.server.ldap.LdapCommand;
import io.loligo.server.ldap.LdapDirectives;
import io.loligo.server.ldap.LdapOptionException;
import io.loligo.server.ldap.LdapProgram;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code auth_param} lines. Confined to one thread. */
final class AuthParamLines implements LineReader<Optional<BasicSettings>> {
  private static final Set<String> OTHER_SCHEMES = Set.of("digest", "ntlm", "negotiate");
  private static final Set<String> CHILDREN_OPTIONS =
      Set.of("startup", "idle", "concurrency", "queue-size", "reservation-timeout");
  private static final int MAX_CHILDREN = 10_000;
  private static final int MAX_QUEUE = 100_000;

  private final Reading reading;
  private final Report report;
  private List<String> program = List.of();

  /** The program, if it is done inside the proxy; null: it is not. */
  private @Nullable LdapCommand ldap;

  private String source = "";
  private String realm = "Squid proxy-caching web server";
  private long ttlSeconds = 7_200;
  private boolean caseSensitive;
  private boolean utf8;
  private int children = 20;
  private int queue = -1;
  private final Map<String, Integer> counts = new HashMap<>();
  private boolean refusesOverload;

  AuthParamLines(Reading reading) {
    this.reading = reading;
    this.report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 3) {
      report.error(line, String.join(" ", values), "SCHEME PARAMETER VALUE...", "");
      return;
    }
    String scheme = values.get(0);
    String parameter = values.get(1);
    if (scheme.equals("basic")) {
      basic(line, parameter, values.subList(2, values.size()));
    } else if (!OTHER_SCHEMES.contains(scheme)) {
      report.error(line, scheme, "basic, digest, ntlm or negotiate", "");
    } else if (parameter.equals("program")) {
      report.restricts(line, scheme, "the scheme " + scheme + " is not in this version");
    } else {
      report.verdict(line, Verdict.WITHOUT_EFFECT, "the scheme is not in this version");
    }
  }

  private void basic(Line line, String parameter, List<String> words) {
    switch (parameter) {
      case "program" -> program(line);
      case "realm" -> realm = unquoted(String.join(" ", words));
      case "children" -> children(line, words);
      case "credentialsttl" -> {
        long seconds = TimeWords.seconds(line, words, report);
        ttlSeconds = seconds < 0 ? ttlSeconds : seconds;
      }
      case "casesensitive" -> caseSensitive = flag(line, words);
      case "utf8" -> utf8 = flag(line, words);
      case "keep_alive" -> report.verdict(line, Verdict.WITHOUT_EFFECT, "not for basic");
      case "key_extras" -> report.restricts(line, parameter, "it is for programs only");
      default ->
          report.error(
              line,
              parameter,
              "program, realm, children, credentialsttl, casesensitive or utf8",
              "");
    }
  }

  private void program(Line line) {
    program = List.of();
    List<String> words = ProgramLines.words(reading, line, 3);
    if (words == null || words.isEmpty()) {
      return;
    }
    ldap = null;
    if (LdapCommand.checksPasswords(words)) {
      directory(line, words);
      return;
    }
    if (!BasicSettings.readsFile(words)) {
      if (ProgramLines.isProgram(reading, line, words)) {
        program = List.copyOf(words);
        source = line.source();
      }
      reading.users();
      return;
    }
    if (words.size() != 2) {
      report.error(line, "", "basic_ncsa_auth and one file", "");
      return;
    }
    String file = words.get(1);
    String text = reading.source().read(file);
    if (text == null) {
      report.restricts(line, file, "the file of users cannot be read: " + file);
      return;
    }
    program = List.copyOf(words);
    source = line.source();
    reading.users();
    for (String remark : UserList.of(text).remarks(true)) {
      report.warning(line, "", "", remark);
    }
  }

  private void directory(Line line, List<String> words) {
    try {
      LdapCommand.Read read = LdapCommand.read(words, reading.source()::read);
      read.remarks().forEach(remark -> report.warning(line, "", "", remark));
      ldap = read.command();
      program = words;
      source = line.source();
    } catch (LdapOptionException e) {
      report.error(line, "", "options of basic_ldap_auth", e.getMessage() + ": " + e.advice());
    }
    reading.users();
  }

  private static String unquoted(String text) {
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }

  private void children(Line line, List<String> words) {
    int number = new Option("children", words.get(0)).number(MAX_CHILDREN);
    if (number < 1) {
      report.error(line, words.get(0), "a number from 1 to " + MAX_CHILDREN, "");
      return;
    }
    children = number;
    queue = -1;
    counts.clear();
    refusesOverload = words.contains("on-persistent-overload=ERR");
    for (String word : words.subList(1, words.size())) {
      Option option = Option.of(word);
      boolean counts = CHILDREN_OPTIONS.contains(option.name()) && option.number(MAX_QUEUE) >= 0;
      boolean action =
          word.equals("on-persistent-overload=ERR") || word.equals("on-persistent-overload=die");
      if (!counts && !action) {
        report.error(line, word, "an option of children, such as startup=1", "");
      } else if (counts) {
        this.counts.put(option.name(), option.number(MAX_QUEUE));
      }
      if (counts && option.name().equals("queue-size")) {
        queue = option.number(MAX_QUEUE);
      }
    }
  }

  private boolean flag(Line line, List<String> words) {
    String word = words.get(0);
    if (!word.equals("on") && !word.equals("off")) {
      report.error(line, word, "on or off", "");
    }
    return word.equals("on");
  }

  @Override
  public Optional<BasicSettings> value() {
    return program.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new BasicSettings(
                program,
                source,
                realm,
                ttlSeconds,
                caseSensitive,
                utf8,
                children,
                queue,
                BasicSettings.readsFile(program) ? null : helper()));
  }

  private HelperProgram helper() {
    int most = Math.min(children, HelperChildren.MOST);
    HelperChildren processes =
        new HelperChildren(
            most,
            Math.min(counts.getOrDefault("startup", 0), most),
            Math.max(1, Math.min(counts.getOrDefault("idle", 1), most)),
            Math.min(counts.getOrDefault("concurrency", 0), HelperChildren.MOST_CONCURRENT),
            queue < 0 ? 2 * most : queue,
            queue < 0,
            refusesOverload);
    return new HelperProgram(
            "auth_param basic",
            program,
            processes,
            reading.value(HelperDirectives.HELPER_TIMEOUT),
            /* asksAgain= */ false)
        .inside(ldap == null ? null : new LdapProgram(ldap, reading.value(LdapDirectives.CA_FILE)));
  }
}
