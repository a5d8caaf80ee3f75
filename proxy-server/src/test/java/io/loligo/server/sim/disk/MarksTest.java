package io.loligo.server.sim.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.format.RollSheet;
import io.loligo.store.disk.format.Secret;
import io.loligo.store.disk.medium.Marks;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The files that have to survive a power failure, on disks that forget names. */
class MarksTest {
  /** Names that may be on the disk, at most. */
  private static final int MOMENTS = 16;

  private final SimFiles files = new SimFiles(() -> 0);

  private static Marks marks(SimFiles files) throws IOException {
    return Marks.lock(files.path("/cache"));
  }

  /** The content after a power failure, if the disk has the names of one moment or another. */
  private Marks afterPowerFailure(int moment) throws IOException {
    AtomicInteger drawn = new AtomicInteger();
    return marks(
        files.cut(bound -> drawn.getAndIncrement() == 0 ? Math.min(moment, bound - 1) : 0));
  }

  private static RollSheet sheet(long number) {
    return new RollSheet(1, number, false, new long[] {1});
  }

  @Test
  void aDurableWriteSurvives() throws IOException {
    files.createDirectory(files.path("/cache"));
    Marks marks = marks(files);
    for (int number = 1; number < 4; number++) {
      marks.writeRoll(sheet(number), true);
      for (int moment = 0; moment < MOMENTS; moment++) {
        assertThat(afterPowerFailure(moment).readRoll().number()).isEqualTo(number);
      }
    }
  }

  @Test
  void fileSystemThatForcesNoNamesWillDo() throws IOException {
    files.createDirectory(files.path("/cache"));
    files.opensNoDirectory = true;
    Marks marks = marks(files);
    marks.writeRoll(sheet(1), true);
    assertThat(marks.readRoll().number()).isEqualTo(1);
  }

  @Test
  void aDiscardedDirectoryIsGone() throws IOException {
    files.createDirectory(files.path("/cache"));
    Marks marks = marks(files);
    marks.writeHeader(new Marks.Header(new Secret(1, 2), new Geometry(3, 4, 5, 6)));
    assertThat(afterPowerFailure(0).readHeader()).isNotNull();
    marks.discard();
    for (int moment = 0; moment < MOMENTS; moment++) {
      assertThat(afterPowerFailure(moment).readHeader()).isNull();
    }
  }
}
