package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What all lines of a journal say of the streams, as the begin of a new file needs it. */
final class JournalSums {
  private final Map<NodeRun, Long> applied = new LinkedHashMap<>();
  private final Map<NodeRun, Long> came = new LinkedHashMap<>();

  void add(PurgeJournal.Line line) {
    if (line instanceof PurgeJournal.Line.Entry entry) {
      came.merge(entry.stream(), entry.number(), Math::max);
    } else if (line instanceof PurgeJournal.Line.Applied one) {
      applied.merge(one.stream(), one.number(), Math::max);
    } else if (line instanceof PurgeJournal.Line.Missing missing) {
      came.merge(missing.stream(), missing.number(), Math::max);
    } else {
      NodeRun stream = ((PurgeJournal.Line.Forgotten) line).stream();
      applied.remove(stream);
      came.remove(stream);
    }
  }

  /**
   * Lines that stand for all.
   *
   * @param lost whether entries are not on the disk
   */
  List<PurgeJournal.Line> lines(boolean lost) {
    List<PurgeJournal.Line> lines = new ArrayList<>();
    applied.forEach((stream, number) -> lines.add(new PurgeJournal.Line.Applied(stream, number)));
    if (lost) {
      came.forEach(
          (stream, number) -> {
            if (number > applied.getOrDefault(stream, 0L)) {
              lines.add(new PurgeJournal.Line.Missing(stream, number));
            }
          });
    }
    return lines;
  }
}
