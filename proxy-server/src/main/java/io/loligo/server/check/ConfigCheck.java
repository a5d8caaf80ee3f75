package io.loligo.server.check;

import io.loligo.core.acl.AclCover;
import io.loligo.core.acl.AclType;
import io.loligo.core.acl.Acls;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.LineReport;
import io.loligo.core.config.LineReport.Verdict;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.check.Finding.Kind;
import io.loligo.server.check.Finding.Severity;
import io.loligo.server.json.JsonWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Everything that {@code loligo check} says about a configuration. Confined to one thread. */
public final class ConfigCheck {
  private static final int STARTS = 0;
  private static final int DOES_NOT_START = 1;
  private static final int STRICTLY_WRONG = 2;

  /** Hidden names of one ACL in the report. */
  private static final int SHOWN = 3;

  private final String file;
  private final ConfigResult result;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * Judges {@code examined}.
   *
   * @param result the result of it, perhaps with further problems
   * @param unreadable files that the start would read and cannot, each with its reason
   * @param nowMillis the time for rules about the time
   */
  public ConfigCheck(
      String file,
      ExaminedConfig examined,
      ConfigResult result,
      Map<String, String> unreadable,
      long nowMillis) {
    this.file = file;
    this.result = result;
    result.problems().forEach(problem -> findings.add(Finding.of(problem)));
    unreadable.forEach(
        (path, why) ->
            findings.add(new Finding(Severity.ERROR, Kind.MISSING_FILE, file, 0, path, why)));
    findings.addAll(new RuleAudit(examined.rules()).findings());
    ProxyConfig config = examined.result().config();
    if (config != null) {
      findings.addAll(new AccessAudit(config, nowMillis).findings());
    }
    names(examined.rules().acls());
    findings.sort(Comparator.comparing(Finding::severity));
  }

  private void names(Acls acls) {
    Set<String> used = new HashSet<>();
    Map<String, LineReport> defined = new LinkedHashMap<>();
    for (LineReport line : result.lines()) {
      String[] words = line.text().split("[ \t]+", -1);
      boolean acl = words[0].equals("acl") && words.length > 2;
      if (acl) {
        defined.putIfAbsent(words[1].toLowerCase(Locale.ROOT), line);
      }
      if (!acl
          || AclType.of(words[2]) == AclType.ANY_OF
          || AclType.of(words[2]) == AclType.ALL_OF) {
        for (int i = acl ? 3 : 1; i < words.length; i++) {
          used.add(Acls.bare(words[i]).toLowerCase(Locale.ROOT));
        }
      }
    }
    AclCover cover = new AclCover(acls);
    defined.forEach(
        (name, line) -> {
          if (!used.contains(name)) {
            remark(Kind.UNUSED_ACL, line, name + " is used by no line");
          }
          List<List<String>> hidden = cover.hiddenNames(name);
          if (!hidden.isEmpty()) {
            remark(Kind.HIDDEN_NAME, line, name + ": " + hidden(hidden));
          }
        });
  }

  private static String hidden(List<List<String>> pairs) {
    List<String> shown = new ArrayList<>();
    for (List<String> pair : pairs.subList(0, Math.min(SHOWN, pairs.size()))) {
      shown.add(pair.get(0) + " contains " + pair.get(1));
    }
    int more = pairs.size() - shown.size();
    return String.join(", ", shown) + (more > 0 ? " and " + more + " more" : "");
  }

  private void remark(Kind kind, LineReport line, String text) {
    findings.add(new Finding(Severity.REMARK, kind, line.file(), line.line(), "acl", text));
  }

  /** All findings, errors first, in each severity the lines in their order. */
  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  private long count(Severity severity) {
    return findings.stream().filter(one -> one.severity() == severity).count();
  }

  private boolean starts() {
    return result.isUsable() && count(Severity.ERROR) == 0;
  }

  /** The first line of the report. */
  String summary() {
    long wrong =
        findings.stream()
            .filter(one -> one.severity() == Severity.ERROR)
            .map(Finding::place)
            .distinct()
            .count();
    String start = starts() ? "would start" : "would not start: " + many(wrong, "line");
    List<String> rest = new ArrayList<>();
    if (count(Severity.WARNING) > 0) {
      rest.add(many(count(Severity.WARNING), "warning"));
    }
    if (count(Severity.REMARK) > 0) {
      rest.add(many(count(Severity.REMARK), "remark"));
    }
    return file + " " + start + (rest.isEmpty() ? "" : "; " + String.join(", ", rest));
  }

  private static String many(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }

  /**
   * The report for a reader.
   *
   * @param lines whether each line of the file is shown with its verdict
   */
  public String text(boolean lines) {
    StringBuilder text = new StringBuilder(summary()).append('\n');
    for (Severity severity : Severity.values()) {
      if (count(severity) > 0) {
        text.append('\n').append(severity.title()).append('\n');
        findings.stream()
            .filter(one -> one.severity() == severity)
            .forEach(one -> text.append("  ").append(one.report()).append('\n'));
      }
    }
    if (lines) {
      text.append("\nLines\n");
      for (LineReport line : result.lines()) {
        text.append("  ").append(line.file()).append(':').append(line.line()).append(": ");
        text.append(line.verdict().words()).append(": ").append(line.text()).append('\n');
      }
    }
    return text.toString();
  }

  /** The same as one JSON object, every line of the file included. */
  public String json() {
    JsonWriter json = JsonWriter.spaced().beginObject();
    json.member("file", file).member("starts", starts());
    json.member("errors", count(Severity.ERROR));
    json.member("warnings", count(Severity.WARNING));
    json.member("remarks", count(Severity.REMARK));
    json.name("findings").beginArray();
    for (Finding one : findings) {
      json.row().beginObject();
      json.member("severity", one.severity().name().toLowerCase(Locale.ROOT));
      json.member("kind", one.kind().word());
      json.member("file", one.file());
      json.member("line", one.line());
      json.member("directive", one.directive());
      json.member("text", one.text()).endObject();
    }
    json.endRows().endArray().name("lines").beginArray();
    for (LineReport line : result.lines()) {
      json.row().beginObject();
      json.member("file", line.file()).member("line", line.line());
      json.member("verdict", line.verdict().words());
      json.member("text", line.text()).member("note", line.note()).endObject();
    }
    return json.endRows().endArray().endObject() + "\n";
  }

  /**
   * 0: the proxy would start. 1: it would not. 2: it would, but {@code strict} is set and there is
   * a warning, or a line without effect.
   */
  public int exitStatus(boolean strict) {
    if (!starts()) {
      return DOES_NOT_START;
    }
    boolean idle =
        result.lines().stream()
            .map(LineReport::verdict)
            .anyMatch(one -> one == Verdict.WITHOUT_EFFECT || one == Verdict.OBSOLETE);
    return strict && (idle || count(Severity.WARNING) > 0) ? STRICTLY_WRONG : STARTS;
  }
}
