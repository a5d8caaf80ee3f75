package io.loligo.core.config;

import io.loligo.core.config.ConfigProblem.Severity;
import io.loligo.core.config.LineReport.Verdict;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** Collects the problems and verdicts of lines while a file is read. Confined to one thread. */
public final class Report {
  private static final String WAIVE = "# loligo: waive";

  private final List<ConfigProblem> problems = new ArrayList<>();
  private final List<LineReport> reports = new ArrayList<>();
  private final IdentityHashMap<Line, Integer> places = new IdentityHashMap<>();
  private final List<Line> waivedLines = new ArrayList<>();
  private final List<Line> usedWaivers = new ArrayList<>();
  private final Secrets secrets;

  Report(Secrets secrets) {
    this.secrets = secrets;
  }

  /** The line is read; {@link Verdict#USED} until another verdict is given. */
  void begin(Line line) {
    if (line.waived()) {
      waivedLines.add(line);
    }
    places.put(line, reports.size());
    reports.add(new LineReport(line.file(), line.number(), secrets.redact(line), Verdict.USED, ""));
  }

  /** Gives the verdict on the line, unless it has a worse one. */
  public void verdict(Line line, Verdict verdict, String note) {
    int place = place(line);
    LineReport old = reports.get(place);
    if (old.verdict().compareTo(verdict) <= 0) {
      reports.set(place, new LineReport(old.file(), old.line(), old.text(), verdict, note));
    }
  }

  /**
   * The line is wrong and stops the start.
   *
   * @param value the wrong words
   * @param expected the correct form
   * @param advice the remedy; may be empty
   */
  public void error(Line line, String value, String expected, String advice) {
    add(line, Severity.ERROR, value, expected, advice);
    verdict(line, Verdict.ERROR, note(line, value, expected, advice));
  }

  void unknown(Line line, String advice) {
    add(line, Severity.ERROR, "", "a directive", advice);
    verdict(line, Verdict.UNKNOWN, advice);
  }

  /** The line takes effect, but not as it may look. Parameters as for an error. */
  public void warning(Line line, String value, String expected, String advice) {
    add(line, Severity.WARNING, value, expected, advice);
    LineReport old = reports.get(place(line));
    if (old.note().isEmpty()) {
      verdict(line, old.verdict(), note(line, value, expected, advice));
    }
  }

  /** Where the report of {@code line}, which has begun, stands. */
  private int place(Line line) {
    return Objects.requireNonNull(places.get(line));
  }

  private String note(Line line, String shown, String expected, String advice) {
    String value = secrets.redact(line, shown);
    String wanted = expected.isEmpty() ? "" : "expected " + expected;
    String what = value.isEmpty() ? wanted : value + (wanted.isEmpty() ? "" : ": " + wanted);
    return what.isEmpty() || advice.isEmpty() ? what + advice : what + "; " + advice;
  }

  /** A problem without a line. */
  public void error(String file, String directive, String expected, String advice) {
    problems.add(new ConfigProblem(Severity.ERROR, file, 0, directive, "", expected, advice));
  }

  /** A problem with the structure of the file, at a place without a directive. */
  void structural(String file, int number, String text, String expected, String advice) {
    problems.add(new ConfigProblem(Severity.ERROR, file, number, text, "", expected, advice));
    reports.add(new LineReport(file, number, text, Verdict.ERROR, expected));
  }

  /**
   * The line restricts, inspects or identifies and has no effect: an error, or with a waiver a
   * warning. Returns whether it is waived.
   */
  public boolean restricts(Line line, String value, String why) {
    if (line.waived()) {
      usedWaivers.add(line);
      add(line, Severity.WARNING, value, "", "waived, has no effect: " + why);
      verdict(line, Verdict.WITHOUT_EFFECT, "waived: " + why);
      return true;
    }
    String advice = why + "; remove the line, or accept this with " + WAIVE + " at its end";
    error(line, value, "a line that takes effect", advice);
    return false;
  }

  private void add(Line line, Severity severity, String value, String expected, String advice) {
    problems.add(
        new ConfigProblem(
            severity,
            line.file(),
            line.number(),
            line.directive(),
            secrets.redact(line, value),
            expected,
            advice));
  }

  /** Remarks on waivers without effect. */
  void endWaivers() {
    for (Line line : waivedLines) {
      boolean wrong = reports.get(place(line)).verdict() == Verdict.ERROR;
      if (!usedWaivers.contains(line) && !wrong) {
        warning(line, "", "", "the waiver is not needed: remove it");
      }
    }
  }

  boolean hasErrors() {
    return problems.stream().anyMatch(ConfigProblem::isError);
  }

  List<ConfigProblem> problems() {
    return List.copyOf(problems);
  }

  List<LineReport> lines() {
    return List.copyOf(reports);
  }
}
