package io.loligo.core.config;

import io.loligo.core.config.LineReport.Verdict;
import java.util.List;

/** The output and exit status of {@code --check FILE}. Immutable. */
public final class CheckReport {
  private static final int FINE = 0;
  private static final int WRONG = 1;
  private static final int WITHOUT_EFFECT = 2;

  private final ConfigResult result;

  /** The report of {@code result}. */
  public CheckReport(ConfigResult result) {
    this.result = result;
  }

  /** One line per line of the file, then the problems, then the sums. */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (LineReport line : result.lines()) {
      text.append(line.file()).append(':').append(line.line()).append(": ");
      text.append(line.verdict().words()).append(": ").append(line.text());
      if (!line.note().isEmpty()) {
        text.append("  [").append(line.note()).append(']');
      }
      text.append('\n');
    }
    if (!result.problems().isEmpty()) {
      text.append('\n');
    }
    for (ConfigProblem problem : result.problems()) {
      text.append(problem.text()).append('\n');
    }
    return text.append('\n').append(sums()).append('\n').toString();
  }

  private String sums() {
    StringBuilder sums = new StringBuilder();
    sums.append(result.lines().size()).append(" lines");
    for (Verdict verdict : Verdict.values()) {
      sums.append(verdict == Verdict.USED ? ": " : ", ");
      sums.append(count(List.of(verdict))).append(' ').append(verdict.words());
    }
    return sums.toString();
  }

  private long count(List<Verdict> verdicts) {
    return result.lines().stream().filter(line -> verdicts.contains(line.verdict())).count();
  }

  /**
   * 0 if nothing is unknown or wrong, else 1; with {@code strict} 2 if a line is without effect or
   * obsolete.
   */
  public int exitStatus(boolean strict) {
    boolean wrong = count(List.of(Verdict.UNKNOWN, Verdict.ERROR)) > 0;
    if (wrong || !result.errors().isEmpty()) {
      return WRONG;
    }
    boolean idle = count(List.of(Verdict.WITHOUT_EFFECT, Verdict.OBSOLETE)) > 0;
    return strict && idle ? WITHOUT_EFFECT : FINE;
  }
}
