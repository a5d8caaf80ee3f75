package io.loligo.store.admission;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** All contests, held once for all tests, and the tables of {@code docs/admission.md}. */
final class Results {
  /** The score of each policy. */
  record Row(
      Contest contest,
      Score lru,
      Score lfu,
      Score tinyLfu,
      Score ours,
      double rewriting,
      Score fifo,
      Score oneLane,
      Score fixedShare,
      Score clairvoyant,
      Score ideal) {
    /** The better one of the rivals to be matched, by hits and by bytes. */
    Score best() {
      return new Score(
          Math.max(lru.hitRatio(), Math.max(lfu.hitRatio(), tinyLfu.hitRatio())),
          Math.max(lru.byteHitRatio(), Math.max(lfu.byteHitRatio(), tinyLfu.byteHitRatio())));
    }
  }

  /** The score of a rule of the memory tier; memory is a part of the disk. */
  record TierRow(Contest contest, int diskToMemory, List<TwoTiers.Outcome> byRule) {
    TwoTiers.Outcome of(TwoTiers.Rule rule) {
      return byRule.get(rule.ordinal());
    }
  }

  static final List<Row> ROWS = Contest.ALL.stream().map(Results::row).toList();
  static final List<TierRow> TIER_ROWS = tierRows();

  private Results() {}

  private static Row row(Contest contest) {
    Trace trace = contest.trace();
    long capacity = contest.capacityBytes();
    LogDisk disk = contest.disk();
    Score ours = disk.run(trace);
    return new Row(
        contest,
        Rivals.lru(trace, capacity),
        Rivals.lfu(trace, capacity),
        Rivals.tinyLfu(trace, capacity),
        ours,
        disk.rewriting(),
        Rivals.fifo(trace, capacity),
        contest.disk(LanePolicies.oneLane(contest.admission())).run(trace),
        contest.disk(LanePolicies.fixedShare(contest.admission(), 0.1)).run(trace),
        Rivals.clairvoyant(trace, capacity),
        trace.ideal());
  }

  private static List<TierRow> tierRows() {
    List<TierRow> rows = new ArrayList<>();
    for (Contest contest : Contest.ALL) {
      boolean zipf = contest.trace().name().startsWith("Zipf") && contest.size() == 0.2;
      boolean taken = contest.size() == Contest.SMALL || zipf;
      if (taken) {
        rows.add(tierRow(contest, 32));
      }
      if (contest.equals(Contest.small("PolyMix-4"))) {
        rows.add(tierRow(contest, 8));
      }
    }
    return rows;
  }

  private static TierRow tierRow(Contest contest, int diskToMemory) {
    List<TwoTiers.Outcome> byRule = new ArrayList<>();
    for (TwoTiers.Rule rule : TwoTiers.Rule.values()) {
      long memory = contest.capacityBytes() / diskToMemory;
      byRule.add(new TwoTiers(contest.trace(), contest.disk(), memory).run(rule));
    }
    return new TierRow(contest, diskToMemory, byRule);
  }

  /** The page as it is to be committed. */
  static String page() {
    StringBuilder page = new StringBuilder(4_096);
    page.append(HEAD);
    page.append(
        "| trace | cache | LRU | LFU | W-TinyLFU | **ours** | rewritten"
            + " | FIFO | one lane | fixed share | clairvoyant | infinite |\n");
    page.append("| --- |").append(" --- |".repeat(11)).append('\n');
    for (Row row : ROWS) {
      page.append("| ").append(row.contest.trace().name());
      page.append(String.format(Locale.ROOT, " | %.2f", row.contest.size()));
      append(page, row.lru, row.lfu, row.tinyLfu);
      page.append(String.format(Locale.ROOT, " | **%s** | %.2f", text(row.ours), row.rewriting));
      append(page, row.fifo, row.oneLane, row.fixedShare, row.clairvoyant, row.ideal);
      page.append(" |\n");
    }
    page.append(TIERS);
    page.append("| trace | disk ");
    for (TwoTiers.Rule rule : TwoTiers.Rule.values()) {
      page.append("| ").append(rule.title()).append(' ');
    }
    page.append("|\n| --- |").append(" --- |".repeat(1 + TwoTiers.Rule.values().length));
    page.append('\n');
    for (TierRow row : TIER_ROWS) {
      page.append("| ").append(row.contest).append(" | ").append(row.diskToMemory).append(" : 1");
      for (TwoTiers.Outcome outcome : row.byRule) {
        page.append(
            String.format(
                Locale.ROOT,
                " | %.3f / %.3f / %.3f",
                outcome.all(),
                outcome.memory(),
                outcome.promotions()));
      }
      page.append(" |\n");
    }
    return page.toString();
  }

  private static void append(StringBuilder page, Score... scores) {
    for (Score score : scores) {
      page.append(" | ").append(text(score));
    }
  }

  private static String text(Score score) {
    return String.format(Locale.ROOT, "%.3f / %.3f", score.hitRatio(), score.byteHitRatio());
  }

  private static final String HEAD =
      """
      # Which responses stay in memory and on disk

      This page is generated: `mvn -pl proxy-store -am test -Dtest=AdmissionPageTest
      -Dsurefire.failIfNoSpecifiedTests=false -Dloligo.reference.write=true`. The rules are in
      `DiskPolicy` and `MemoryPolicy`, and their reasons in [ADR 4](adr/0004-admission.md).

      ## The disk

      The table shows hit ratio / byte hit ratio.

      - Each trace has 90,000 requests from a fixed seed, for objects with the sizes of Polygraph's
        PolyMix-4. No request is left out for warming up.
      - *cache* is the capacity as a share of the popular set: the set that Zipf's law ranks, the
        hot set and the rest together, or the window of the working set.
      - *ours* runs in a model of the engine with 100 segments, two of them lost to open ends and
        the reserve. LRU, LFU, W-TinyLFU (Caffeine, by weight), FIFO and the clairvoyant policy
        lose nothing.
      - *rewritten* counts the rewritten bytes of remaining responses, for each byte that arrives
        and is written.

      | trace | requests |
      | --- | --- |
      | Zipf with one-hit wonders | exponent 0.8; three in ten are for objects that nobody requests again |
      | a scan | exponent 0.9; a set three times as large as the popular one is read in order, beside the others |
      | hot set | all objects are equal, but one in a hundred gets a tenth of the requests |
      | sliding working set | 58 % revisit one of the youngest objects; all are equal, but one in a hundred gets a tenth of the revisits; the other requests are for new objects |
      | PolyMix-4 | the same, and nine in ten revisits go to the smallest of nine neighbours |

      *one lane* and *fixed share* are our engine with a simpler policy: a single lane with a second
      chance, and ours with PROBATION at a tenth.

      """;

  private static final String TIERS =
      """

      ## Memory before the disk

      The table shows requests answered by either tier / answered by memory / copied from disk to
      memory, all as shares of the requests.

      - *all*: memory takes every new response and every disk hit.
      - *second hit*: memory takes every new response, and the second disk hit.
      - *ours*: a new response leaves memory when the disk has it, unless it was requested or there
        is room. The second disk hit brings it back.

      """;
}
