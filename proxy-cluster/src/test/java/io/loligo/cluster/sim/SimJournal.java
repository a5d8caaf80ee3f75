package io.loligo.cluster.sim;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.purges.PurgeJournal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The journal of a node over all its runs. Lines written while the disk fails are lost; a summary
 * follows them.
 */
public final class SimJournal implements PurgeJournal {
  private final World world;
  private final SimDisk disk;

  /** On disk. */
  private final List<Line> lines = new ArrayList<>();

  private final List<Line> unwritten = new ArrayList<>();

  /** Numbers of all lines, also lost ones, as a summary needs them. */
  private Map<NodeRun, Long> applied = new LinkedHashMap<>();

  private Map<NodeRun, Long> came = new LinkedHashMap<>();

  private LongConsumer synced = position -> {};
  private long position;
  private long written;
  private boolean writing;
  private boolean lost;
  private boolean damaged;
  private long entries;
  private long expired;

  public SimJournal(World world, SimDisk disk) {
    this.world = world;
    this.disk = disk;
  }

  /** Of the last line. */
  long position() {
    return position;
  }

  /** Up to here, lines are on the disk. */
  long written() {
    return written;
  }

  @Override
  public Kept read() {
    position = 0;
    written = 0;
    List<Line> kept = new ArrayList<>();
    entries = 0;
    for (Line line : lines) {
      if (line instanceof Line.Entry) {
        entries++;
      }
      if (!(line instanceof Line.Entry) || entries > expired) {
        kept.add(line);
      }
    }
    boolean was = damaged;
    damaged = false;
    entries = kept.stream().filter(line -> line instanceof Line.Entry).count();
    expired = 0;
    lines.clear();
    lines.addAll(kept);
    applied = new LinkedHashMap<>();
    came = new LinkedHashMap<>();
    kept.forEach(this::sum);
    return new Kept(kept, was);
  }

  @Override
  public void listen(LongConsumer listener) {
    synced = listener;
  }

  @Override
  public long append(Line line) {
    position++;
    sum(line);
    if (line instanceof Line.Entry) {
      entries++;
    }
    unwritten.add(line);
    write();
    return position;
  }

  private void sum(Line line) {
    if (line instanceof Line.Entry entry) {
      came.merge(entry.stream(), entry.number(), Math::max);
    } else if (line instanceof Line.Applied one) {
      applied.merge(one.stream(), one.number(), Math::max);
    } else if (line instanceof Line.Missing missing) {
      came.merge(missing.stream(), missing.number(), Math::max);
    } else {
      NodeRun stream = ((Line.Forgotten) line).stream();
      applied.remove(stream);
      came.remove(stream);
    }
  }

  private void write() {
    if (writing || unwritten.isEmpty()) {
      return;
    }
    writing = true;
    int count = unwritten.size();
    long upTo = position;
    disk.write(
        works -> {
          writing = false;
          if (works && lost) {
            // all that came until now, also what waits behind
            applied.forEach((stream, number) -> lines.add(new Line.Applied(stream, number)));
            came.forEach(
                (stream, number) -> {
                  if (number > applied.getOrDefault(stream, 0L)) {
                    lines.add(new Line.Missing(stream, number));
                  }
                });
            unwritten.clear();
            written = position;
            lost = false;
            synced.accept(written);
          } else {
            List<Line> batch = unwritten.subList(0, count);
            lost = !works;
            if (works) {
              lines.addAll(batch);
              written = upTo;
              synced.accept(written);
            }
            batch.clear();
          }
          if (lost) {
            world.after(World.SECOND, this::write);
          } else {
            write();
          }
        });
  }

  @Override
  public void expire(long count) {
    expired = count;
  }

  @Override
  public void close() {
    // is used by the next run
  }

  /** The machine stops: lines that were not synced may be there, in their order. */
  public void crash() {
    if (!unwritten.isEmpty() && !lost) {
      lines.addAll(unwritten.subList(0, world.below(unwritten.size() + 1)));
    }
    unwritten.clear();
    writing = false;
    lost = false;
    synced = ignored -> {};
  }

  /** Some lines cannot be read. */
  public void damage() {
    if (lines.size() > 2) {
      int from = world.below(lines.size() - 1);
      int to = Math.min(lines.size() - 1, from + 1 + world.below(8));
      lines.subList(from, to).clear();
      damaged = true;
    }
  }
}
