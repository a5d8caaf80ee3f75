package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Directories that cannot be claimed at the start: the message has the line and the remedy. */
final class ClaimTest {
  private static final long SIZE = 16 << 20;

  @TempDir Path temp;
  private Path mounted;

  private static AbstractThrowableAssert<?, ?> refuses(Path path, long bytes) {
    return assertThatThrownBy(() -> new DiskFixture(disk(dir(path, bytes))).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("test.conf:1")
        .hasMessageContaining(path.toString());
  }

  @Test
  void refusesAPathThatIsNotADirectory() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    refuses(file, SIZE).hasMessageContaining("not a directory").hasMessageContaining("name one");
  }

  @Test
  void refusesADirectoryThatCannotBeCreated() throws IOException {
    Path file = Files.createFile(temp.resolve("file"));
    refuses(file.resolve("below"), SIZE).hasMessageContaining("create it");
  }

  @Test
  void refusesATooSmallDirectoryAndNamesTheMinimum() {
    refuses(temp, 1 << 20).hasMessageContaining("too small").hasMessageContaining("MB");
  }

  @Test
  void refusesADirectoryLargerThanTheDisk() {
    refuses(temp, 1L << 50)
        .hasMessageContaining("no space")
        .hasMessageContaining("make it smaller");
    assertThat(temp.resolve("slabs")).doesNotExist();
  }

  /** Of responses of 13 KB on average it could hold ten times as many. */
  @Test
  void saysWhereItsIndexEndsBeforeItsSpace() {
    Logger logger = (Logger) LoggerFactory.getLogger(DirectoryClaim.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      refuses(temp, 100L << 40);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anySatisfy(
            line ->
                assertThat(line)
                    .contains("test.conf:1", "1073741824 responses", "13631488 MB")
                    .contains("store_avg_object_size"));
  }

  @Test
  void refusesADirectoryOfAnotherProcessAndNamesIt() throws IOException {
    try (ChildProcess child = new ChildProcess(CrashingStore.class, temp, SIZE, 1)) {
      String line = child.line();
      while (!"opened 0 0".equals(line)) {
        assertThat(line).isNotNull();
        line = child.line();
      }
      refuses(temp, SIZE)
          .hasMessageContaining("in use by process " + child.pid())
          .hasMessageContaining("stop it");
      child.kill();
      new DiskFixture(disk(dir(temp, SIZE))).close();
    }
  }

  /** Like files of another user, which root can read. */
  @ParameterizedTest
  @ValueSource(strings = {"LOCK", "ROLL", "header", "purges", "checkpoint.1", "journal.3", "slabs"})
  void refusesFilesThatCannotBeReadAndWritten(String name) throws IOException {
    Files.createDirectories(temp.resolve(name));
    refuses(temp, SIZE)
        .hasMessageContaining("cannot be")
        .hasMessageContaining("user the proxy runs as")
        .hasMessageNotContaining("stop it");
  }

  @Test
  void refusesSeveralThatAreTooLargeTogether() throws IOException {
    long bytes = Files.getFileStore(temp).getUsableSpace() / 10 * 6;
    Path other = temp.resolve("other");
    assertThatThrownBy(
            () -> new DiskFixture(disk(dir(temp.resolve("one"), bytes), dir(other, bytes))).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(other.toString())
        .hasMessageContaining("no space")
        .hasMessageContaining("same file system")
        .hasMessageContaining("make them smaller");
  }

  // Where a file system can be mounted

  private Path mount(String options) throws IOException {
    Path path = Files.createDirectories(temp.resolve("mounted"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path.toString()),
        "may not mount a file system here");
    mounted = path;
    return path;
  }

  @AfterEach
  void unmount() throws IOException {
    if (mounted != null) {
      assertThat(run("umount", "-l", mounted.toString())).isTrue();
    }
  }

  private static boolean run(String... command) throws IOException {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void refusesADirectoryThatIsNotWritable() throws IOException {
    refuses(mount("ro,size=64m"), SIZE)
        .hasMessageContaining("not writable")
        .hasMessageContaining("user the proxy runs as");
  }

  @Test
  void refusesAFullDisk() throws IOException {
    Path path = mount("size=24m");
    Files.write(path.resolve("other"), new byte[12 << 20]);
    refuses(path.resolve("cache"), SIZE)
        .hasMessageContaining("no space")
        .hasMessageContaining("16 MB wanted")
        .hasMessageContaining("free some");
  }

  @Test
  void goesOnInItsSpaceWhenOthersFillTheDisk() throws IOException {
    Path path = mount("size=32m");
    Path cache = path.resolve("cache");
    try (DiskFixture fixture = new DiskFixture(disk(dir(cache, SIZE)))) {
      fill(path.resolve("other"));
      for (int i = 0; i < 2000; i++) {
        fixture.store.fill("http://full/" + i, bytes(10_000 + i));
        if (i % 100 == 0) {
          fixture.settle();
        }
      }
      fixture.settle();
      DiskStats stats = fixture.stats();
      assertThat(stats.state()).as(stats.reason()).isEqualTo(DiskStats.State.READY);
      assertThat(stats.evictions()).isPositive();
      assertThat(fixture.load("http://full/1999").content()).isEqualTo(bytes(11_999));
    }
    try (DiskFixture fixture = new DiskFixture(disk(dir(cache, SIZE)))) {
      DiskStats stats = fixture.stats();
      assertThat(stats.state()).as(stats.reason()).isEqualTo(DiskStats.State.READY);
      assertThat(fixture.load("http://full/1999").outcome()).isEqualTo(LoadOutcome.FOUND);
    }
  }

  private static void fill(Path file) throws IOException {
    byte[] bytes = new byte[4096];
    try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE)) {
      while (true) {
        out.write(bytes);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("space");
    }
  }
}
