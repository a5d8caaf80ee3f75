package io.loligo.store.disk.journal;

import static io.loligo.store.disk.DiskFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.FaultyJournals;
import io.loligo.store.disk.WatchedMedium;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.SystemMedium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The journal goes on in another file, on a disk that takes its time. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JournalTest {
  private static final long DIRECTORY = 7;

  @TempDir Path temp;
  private final WatchedMedium medium = new WatchedMedium(SystemMedium.SYSTEM);
  private Marks marks;
  private Journal journal;
  private final List<FaultyJournals.Hold> holds = new ArrayList<>();

  @BeforeEach
  void begin() throws IOException {
    marks = Marks.lock(temp);
    medium.allocate(marks.journal(0), 1 << 16);
    medium.allocate(marks.journal(1), 1 << 16);
    Journal.create(marks.journal(0), medium, DIRECTORY, 0);
    journal = new Journal(marks, medium, DIRECTORY, 0, Journal.HEADER_BYTES, ReentrantLock::new);
  }

  @AfterEach
  void end() throws IOException {
    holds.forEach(FaultyJournals.Hold::release);
    journal.close();
    marks.close();
  }

  /** Segments are emptied meanwhile, and each emptying is in the journal first. */
  @Test
  void aJournalChangeDoesNotWaitForTheDisk() throws IOException {
    drop(1);
    FaultyJournals.Hold atOldFile = holdNextForce();
    CompletableFuture<Journal.Mark> mark = mark();
    await(atOldFile::isReached);
    drop(2);
    FaultyJournals.Hold atHeader = holdNextForce();
    atOldFile.release();
    await(atHeader::isReached);
    drop(3);
    FaultyJournals.Hold atRest = holdNextForce();
    atHeader.release();
    await(atRest::isReached);
    drop(4);
    atRest.release();
    assertThat(mark.join()).isEqualTo(new Journal.Mark(1, Journal.HEADER_BYTES));
    assertThat(read(0)).containsExactly(1L, 2L, 3L);
    assertThat(read(1)).containsExactly(4L);
  }

  @Test
  void theLastRecordsOfTheOldFileAreOnTheDiskToo() throws IOException {
    FaultyJournals.Hold atHeader = holdNextForce();
    CompletableFuture<Journal.Mark> mark = mark();
    await(atHeader::isReached);
    drop(1);
    FaultyJournals.Hold atRest = holdNextForce();
    atHeader.release();
    await(atRest::isReached);
    assertThat(journal.isForced()).isFalse();
    atRest.release();
    mark.join();
    assertThat(journal.isForced()).isTrue();
    assertThat(read(0)).containsExactly(1L);
  }

  private FaultyJournals.Hold holdNextForce() {
    FaultyJournals.Hold hold = medium.journals.holdNextForce();
    holds.add(hold);
    return hold;
  }

  private CompletableFuture<Journal.Mark> mark() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return journal.mark(0);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        });
  }

  private void drop(long version) throws IOException {
    journal.dropped(1, 1, version);
    journal.flush();
  }

  private List<Long> read(long number) throws IOException {
    List<Long> versions = new ArrayList<>();
    Journal.Visitor visitor =
        (type, lane, kind, a, b, c) -> {
          if (type == Journal.Type.DROP) {
            versions.add(c);
          }
        };
    assertThat(
            Journal.read(marks.journal(number), DIRECTORY, number, Journal.HEADER_BYTES, visitor))
        .isPositive();
    return versions;
  }
}
