package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.purges.PurgeJournal.Kept;
import io.loligo.cluster.purges.PurgeJournal.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FileJournalTest {
  private static final NodeRun A = new NodeRun(new UUID(1, 2), 3);
  private static final NodeRun B = new NodeRun(new UUID(4, 5), 6);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  @TempDir private Path folder;

  private final LinkedBlockingQueue<Long> synced = new LinkedBlockingQueue<>();

  @Test
  void linesComeBack() throws Exception {
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      assertThat(journal.read()).isEqualTo(Kept.NOTHING);
      assertThat(journal.append(entry(A, 1))).isEqualTo(1);
      journal.append(new Line.Applied(A, 1));
      journal.append(new Line.Forgotten(B));
      awaitSynced(3);
    }
    Kept kept = kept();
    assertThat(kept.damaged()).isFalse();
    assertThat(kept.lines())
        .usingRecursiveFieldByFieldElementComparator()
        .contains(entry(A, 1), new Line.Applied(A, 1), new Line.Forgotten(B));
  }

  /** Each run begins a file, and the one before may end anywhere. */
  @Test
  void aTornEndIsLeftOut() throws Exception {
    List<Line> lines = new ArrayList<>();
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      journal.read();
      for (int i = 1; i <= 4; i++) {
        lines.add(entry(A, i));
        awaitSynced(journal.append(entry(A, i)));
      }
    }
    Path file = files().get(0);
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length++) {
      List<Line> read = new ArrayList<>();
      JournalForm.End end = JournalForm.read(Arrays.copyOf(whole, length), read::add);
      assertThat(end).as("%d bytes", length).isNotEqualTo(JournalForm.End.DAMAGED);
      assertThat(read)
          .usingRecursiveFieldByFieldElementComparator()
          .isEqualTo(lines.subList(0, read.size()));
    }
    Files.write(file, Arrays.copyOf(whole, whole.length - 1));
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      assertThat(journal.read().damaged()).isFalse();
      awaitSynced(journal.append(entry(A, 5)));
    }
    assertThat(kept().damaged()).as("a file in the middle that was torn").isFalse();
  }

  @Test
  void damageBeforeTheEndIsSaidAndTheRestIsRead() throws Exception {
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      journal.read();
      journal.append(entry(A, 1));
      journal.append(entry(A, 2));
      awaitSynced(journal.append(entry(A, 3)));
    }
    Path file = files().get(0);
    byte[] bytes = Files.readAllBytes(file);
    int middle = bytes.length / 2;
    bytes[middle] ^= 1;
    Files.write(file, bytes);
    Kept kept = kept();
    assertThat(kept.damaged()).isTrue();
    assertThat(kept.lines())
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(entry(A, 1), entry(A, 3));
  }

  @Test
  void aFileWithoutNeededEntriesIsDeleted() throws Exception {
    int count = 0;
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      journal.read();
      while (count * 50_000 < 2 * FileJournal.FILE_BYTES) {
        count++;
        awaitSynced(journal.append(new Line.Entry(A, count, new byte[50_000])));
      }
      journal.append(new Line.Applied(A, count));
      assertThat(files()).hasSizeGreaterThan(1);
      journal.expire(count);
      journal.append(new Line.Applied(B, 7));
      awaitSynced(journal.append(new Line.Applied(B, 8)));
      awaitSynced(journal.append(new Line.Applied(B, 9)));
    }
    assertThat(files()).hasSize(1);
    assertThat(kept().lines()).contains(new Line.Applied(A, count), new Line.Applied(B, 9));
  }

  @Test
  void aFullDiskLosesLinesAndSaysWhichOnceItWorksAgain() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    CountDownLatch failed = new CountDownLatch(2);
    FileJournal.Medium medium =
        file -> new Failing(FileJournal.Medium.FILES.create(file), full, failed);
    try (FileJournal journal = open(medium)) {
      journal.read();
      awaitSynced(journal.append(new Line.Applied(A, 1)));
      full.set(true);
      journal.append(entry(A, 2));
      long lost = journal.append(entry(B, 1));
      failed.await();
      assertThat(synced).noneMatch(position -> position >= lost);
      full.set(false);
      awaitSynced(lost);
    }
    assertThat(kept().lines())
        .contains(new Line.Applied(A, 1), new Line.Missing(A, 2), new Line.Missing(B, 1));
  }

  @Test
  void aHungDiskHoldsNobodyAndABoundedNumberOfLines() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch hung = new CountDownLatch(1);
    FileJournal.Medium medium =
        file -> {
          hung.countDown();
          awaitUninterrupted(hangs);
          return FileJournal.Medium.FILES.create(file);
        };
    long last = 0;
    try (FileJournal journal = open(medium)) {
      journal.read();
      journal.append(entry(A, 1));
      hung.await();
      for (int i = 2; i * 50_000L < 2L * FileJournal.MAX_WAITING_BYTES; i++) {
        last = journal.append(new Line.Entry(A, i, new byte[50_000]));
      }
      assertThat(synced).isEmpty();
      hangs.countDown();
      awaitSynced(last);
    }
    assertThat(kept().lines()).contains(new Line.Missing(A, last));
  }

  @Test
  void aFileOfAnotherProcessIsLeftAlone() throws Exception {
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      journal.read();
      Path other = folder.resolve("purges-0.log");
      Files.writeString(other, "of another process");
      awaitSynced(journal.append(new Line.Applied(A, 1)));
      assertThat(other).hasContent("of another process");
      assertThat(files()).hasSize(2);
    }
  }

  private FileJournal open(FileJournal.Medium medium) {
    FileJournal journal = new FileJournal(folder, RETRY_NANOS, medium);
    journal.listen(synced::add);
    synced.clear();
    return journal;
  }

  private Kept kept() {
    try (FileJournal journal = open(FileJournal.Medium.FILES)) {
      return journal.read();
    }
  }

  private void awaitSynced(long position) throws InterruptedException {
    long reached = 0;
    while (reached < position) {
      reached = synced.take();
    }
  }

  private List<Path> files() throws IOException {
    try (java.util.stream.Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }

  private static Line entry(NodeRun stream, int number) {
    return new Line.Entry(stream, number, new byte[] {(byte) number, 5});
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Refuses to write while the disk is full. */
  private record Failing(FileJournal.Target file, AtomicBoolean full, CountDownLatch failed)
      implements FileJournal.Target {
    @Override
    public void write(byte[] bytes) throws IOException {
      if (full.get()) {
        failed.countDown();
        throw new IOException("no space left");
      }
      file.write(bytes);
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
