package io.loligo.server.exchange.settings;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.core.message.CNumber;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code qos_flows} lines, which add up. Confined to one thread. */
final class QosFlowLines implements LineReader<QosFlows> {
  private static final String TOS = "tos";
  private static final String MARK = "mark";
  private static final String HIT = "local-hit=";
  private static final String SIBLING_HIT = "sibling-hit=";
  private static final String PARENT_HIT = "parent-hit=";
  private static final String MISS = "miss=";
  private static final String MISS_MASK = "miss-mask=";
  private static final String DISABLE_PRESERVE = "disable-preserve-miss";

  /** Numbers of one kind. */
  private static final class Kind {
    private final long most;
    private boolean named;
    private boolean preserves = true;
    private long hit;
    private long siblingHit;
    private long parentHit;
    private long miss;

    Kind(long most) {
      this.most = most;
    }

    /** Null: nothing is set. As in Squid, a line sets all or nothing. */
    QosFlows.@Nullable Numbers numbers() {
      boolean any = (hit | siblingHit | parentHit | miss) != 0;
      return named && (preserves || any)
          ? new QosFlows.Numbers((int) hit, (int) siblingHit, (int) parentHit, (int) miss)
          : null;
    }

    /** -1: {@code text} is no number of this kind. */
    long number(String text) {
      return CNumber.of(text, most);
    }

    /** {@code NUMBER} or {@code NUMBER/MASK}; -1: it is neither. */
    long masked(String text) {
      int slash = text.indexOf('/');
      if (slash < 0) {
        return number(text);
      }
      long number = number(text.substring(0, slash));
      long mask = number(text.substring(slash + 1));
      return number < 0 || mask < 0 ? -1 : number & mask;
    }
  }

  private final Report report;
  private final Kind classes = new Kind(0xff);
  private final Kind marks = new Kind(0xffff_ffffL);

  QosFlowLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> words = line.values();
    if (words.isEmpty()) {
      report.error(line, "", "[tos|mark] local-hit=NUMBER miss=NUMBER", "");
      return;
    }
    boolean isMark = words.get(0).equals(MARK);
    Kind kind = isMark ? marks : classes;
    kind.named = true;
    for (String word : words.subList(isMark || words.get(0).equals(TOS) ? 1 : 0, words.size())) {
      read(line, kind, word);
    }
    if (kind.preserves && isMark) {
      report.warning(
          line,
          "",
          DISABLE_PRESERVE,
          "the mark of the server's connection is not copied: misses get miss=, or 0");
    } else if (kind.preserves) {
      report.warning(
          line,
          "",
          DISABLE_PRESERVE,
          "the TOS byte of the server is not copied, as in Squid on a Linux without a patch:"
              + " misses get miss=, or 0");
    }
  }

  private void read(Line line, Kind kind, String word) {
    if (word.equals(DISABLE_PRESERVE)) {
      kind.preserves = false;
      return;
    }
    String name = word.substring(0, word.indexOf('=') + 1);
    String value = word.substring(name.length());
    long number = name.equals(MISS) ? kind.masked(value) : kind.number(value);
    String expected = kind == marks ? "0 to 0xFFFFFFFF" : "0 to 0xFF";
    switch (name) {
      case HIT, MISS, SIBLING_HIT, PARENT_HIT, MISS_MASK -> {
        if (number < 0) {
          report.error(line, word, name + "NUMBER, " + expected, "");
        }
      }
      default -> report.error(line, word, HIT + "NUMBER, " + MISS + "NUMBER or the like", "");
    }
    switch (name) {
      case HIT -> kind.hit = number;
      case MISS -> kind.miss = number;
      case SIBLING_HIT -> kind.siblingHit = number;
      case PARENT_HIT -> kind.parentHit = number;
      case MISS_MASK ->
          report.warning(line, word, "", "no effect: nothing of the server is copied");
      default -> {}
    }
  }

  @Override
  public QosFlows value() {
    QosFlows.Numbers byClass = classes.numbers();
    QosFlows.Numbers byMark = marks.numbers();
    return byClass == null && byMark == null ? QosFlows.NONE : new QosFlows(byClass, byMark);
  }
}
