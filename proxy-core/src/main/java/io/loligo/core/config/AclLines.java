package io.loligo.core.config;

import io.loligo.core.acl.AclProblem;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.LineReport.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code acl} lines, files of values included. Confined to one thread. */
final class AclLines implements LineReader<Acls> {
  private static final Pattern COMMENT = Pattern.compile("\\s#.*");

  /** Where Linux lists the MAC addresses of IPv4 neighbours. */
  private static final String NEIGHBOURS = "/proc/net/arp";

  private final ConfigSource source;
  private final Report report;
  private final Acls named;
  private boolean users;

  AclLines(ConfigSource source, Report report, Acls named) {
    this.source = source;
    this.report = report;
    this.named = named;
  }

  /** Users can log in: ACLs of further lines may ask for them. */
  void users() {
    users = true;
  }

  boolean hasUsers() {
    return users;
  }

  @Override
  public Acls value() {
    return named;
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, String.join(" ", values), "NAME TYPE VALUE...", "");
      return;
    }
    String name = values.get(0);
    String word = values.get(1);
    AclType type = AclType.of(word);
    if (Acls.isBuiltIn(name)) {
      report.warning(line, name, "", "this ACL is built in: the line is ignored, remove it");
      report.verdict(line, Verdict.OBSOLETE, "built in");
      return;
    }
    if (type == null) {
      report.error(line, word, "a type of ACL", "see the types in docs/reference/directives.md");
      named.declareUndecidable(name);
      return;
    }
    AclType old = named.typeOf(name);
    if (old != null && old != type) {
      report.error(line, word, "type " + old.word() + " as in the line above", "rename the ACL");
      return;
    }
    if (!type.hasEffect()) {
      withoutEffect(line, name, type);
      return;
    }
    if (type.asksForUser() && !users) {
      named.declareUndecidable(name);
      report.restricts(line, word, "no auth_param program above tells how users log in");
      return;
    }
    if (type == AclType.EXTERNAL && !isExternal(line, name, values.subList(2, values.size()))) {
      return;
    }
    if (type == AclType.ARP && !hasNeighbours(line, name)) {
      return;
    }
    define(line, name, type, values.subList(2, values.size()));
  }

  private boolean isExternal(Line line, String name, List<String> values) {
    String helper = values.isEmpty() ? "" : values.get(0);
    if (!named.hasExternal(helper)) {
      named.declareUndecidable(name);
      report.error(line, helper, "the name of an external_acl_type", "define it above this line");
      return false;
    }
    if (named.externalAsksForUser(helper) && !users) {
      named.declareUndecidable(name);
      report.restricts(line, helper, "no auth_param program above tells how users log in");
      return false;
    }
    return true;
  }

  private void withoutEffect(Line line, String name, AclType type) {
    named.declareUndecidable(name);
    if (type == AclType.SNMP_COMMUNITY) {
      report.warning(line, type.word(), "", "accepted without effect: " + type.text());
      report.verdict(line, Verdict.WITHOUT_EFFECT, type.text());
      return;
    }
    String why =
        switch (type) {
          case IDENT, IDENT_REGEX ->
              "any program can answer an ident query, and Squid 7 has none: use proxy_auth or src";
          case SRC_AS, DST_AS ->
              "numbers of autonomous systems are not looked up, and Squid 8 has no such ACLs: write"
                  + " src or dst with the networks";
          default -> "ACLs of this type have no effect in this version";
        };
    report.restricts(line, type.word(), why);
  }

  /** Whether the system has a table of neighbours; if not, that is reported. */
  private boolean hasNeighbours(Line line, String name) {
    boolean has = source.read(NEIGHBOURS) != null;
    if (!has) {
      named.declareUndecidable(name);
      report.restricts(
          line, AclType.ARP.word(), NEIGHBOURS + " cannot be read: this ACL needs Linux; use src");
    }
    return has;
  }

  private void define(Line line, String name, AclType type, List<String> words) {
    List<String> values = new ArrayList<>();
    List<String> origins = new ArrayList<>();
    boolean missing = false;
    boolean options = true; // a character that no file has
    for (String word : words) {
      String path = file(word, line.quoted());
      if (path != null && options) {
        values.add("--");
        origins.add("");
      }
      options &= path == null && (word.startsWith("-") || word.startsWith("+"));
      options &= !word.equals("--");
      if (path == null) {
        values.add(word);
        origins.add("");
      } else {
        missing |= !fromFile(line, path, type, values, origins);
      }
    }
    for (AclProblem problem : named.define(name, type, values)) {
      String origin = problem.valueIndex() < 0 ? "" : origins.get(problem.valueIndex());
      String advice = origin.isEmpty() ? problem.advice() : join(problem.advice(), "in " + origin);
      if (isUrlInFile(type, problem, origin)) {
        report.warning(
            line, problem.value(), problem.expected(), "matches nothing, as in Squid, " + advice);
      } else if (problem.error()) {
        report.error(line, problem.value(), problem.expected(), advice);
      } else {
        report.warning(line, problem.value(), problem.expected(), advice);
      }
    }
    if (values.stream().allMatch("--"::equals) && !missing && named.isEmpty(name)) {
      report.warning(line, "", "values", "this ACL matches nothing");
    }
  }

  /** Files of domains have thousands of lines, which often come from others. */
  private static boolean isUrlInFile(AclType type, AclProblem problem, String origin) {
    boolean ofDomains = type == AclType.DSTDOMAIN || type == AclType.SRCDOMAIN;
    return ofDomains && !origin.isEmpty() && problem.value().indexOf('/') >= 0;
  }

  private static String join(String a, String b) {
    return a.isEmpty() ? b : a + ", " + b;
  }

  /** The file that {@code word} names, as in Squid up to the next quote; null: it is a value. */
  private static @Nullable String file(String word, boolean quotesAreGone) {
    if (word.startsWith(Words.PARAMETERS) && word.endsWith(")")) {
      String path = word.substring(Words.PARAMETERS.length(), word.length() - 1);
      return Words.isQuoteAt(path, 0) ? untilQuote(path) : path;
    }
    return !quotesAreGone && Words.isQuoteAt(word, 0) ? untilQuote(word) : null;
  }

  private static String untilQuote(String word) {
    int end = Words.nextQuote(word, 1);
    return end < 0 ? word.substring(1) : word.substring(1, end);
  }

  private boolean fromFile(
      Line line, String path, AclType type, List<String> values, List<String> origins) {
    String text = path.isEmpty() ? null : source.read(path);
    if (text == null) {
      report.restricts(line, path, "the file of values cannot be read");
      return false;
    }
    String[] physical = text.split("\n", -1);
    for (int i = 0; i < physical.length; i++) {
      String origin = path + ":" + (i + 1);
      List<String> words = Words.split(physical[i].strip(), false).words();
      List<String> found =
          type.takesExpressions() && !words.isEmpty() ? expression(physical[i], words) : words;
      for (String value : found) {
        values.add(value);
        origins.add(origin);
      }
    }
    return true;
  }

  /** A line of expressions is one value, including blanks, except for the options before it. */
  private static List<String> expression(String physical, List<String> words) {
    if (words.get(0).equals("-i") || words.get(0).equals("+i")) {
      return words;
    }
    return List.of(COMMENT.matcher(physical).replaceFirst("").strip());
  }
}
