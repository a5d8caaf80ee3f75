package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.Reloaded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loligo_reload_on_change}, with looks that the test makes. */
class FileWatchTest {
  @TempDir Path dir;

  private final Deque<Runnable> looks = new ArrayDeque<>();
  private final List<Long> intervals = new ArrayList<>();
  private final ConfigReader reader = Features.reader(new FileConfigSource());
  private Path file;
  private Path list;
  private ProxyConfig inForce;
  private Reloader reloader;
  private FileWatch watch;
  private long minutes;

  @BeforeEach
  void start() throws IOException {
    file = dir.resolve("squid.conf");
    list = dir.resolve("list");
    write(list, "a.test\n");
    write(
        file,
        "http_port 3128\nloligo_reload_on_change 5 seconds\nacl x dstdomain \""
            + list
            + "\"\nhttp_access allow x\n");
    inForce = reader.read(file.toString()).config();
    reloader = new Reloader(() -> reader.read(file.toString()), this::apply);
    watch =
        new FileWatch(
            () -> inForce,
            (look, millis) -> {
              looks.add(look);
              intervals.add(millis);
            },
            reloader);
    watch.open();
  }

  @AfterEach
  void close() {
    watch.close();
    reloader.close();
  }

  private Reloaded apply(ProxyConfig now) {
    ProxyConfig before = inForce;
    inForce = now;
    watch.reconfigured(before, now);
    return Reloaded.done(List.of(), List.of());
  }

  /** Each time with another time of change, whatever the clock of the file system. */
  private void write(Path path, String text) throws IOException {
    Files.writeString(path, text);
    Files.setLastModifiedTime(path, FileTime.fromMillis(TimeUnit.MINUTES.toMillis(++minutes)));
  }

  /** Makes the next look, and returns when it and a reload after it have ended. */
  private void look() throws InterruptedException {
    looks.remove().run();
    for (int i = 0; i < 2; i++) { // a look may have put a reload behind the first
      CountDownLatch ended = new CountDownLatch(1);
      reloader.between(ended::countDown);
      assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void aChangedListIsReadAgainOnceItRests() throws Exception {
    look();
    write(list, "a.test\nb.test\n");
    look();
    write(list, "a.test\nb.test\nc.test\n");
    look();
    assertThat(reloader.reloads()).as("it is still being written").isZero();
    look();
    assertThat(reloader.reloads()).isEqualTo(1);
    look();
    look();
    assertThat(reloader.reloads()).isEqualTo(1);
    assertThat(intervals).containsOnly(5_000L);
  }

  @Test
  void theFileItselfAndIncludedOnesCount() throws Exception {
    Path folder = Files.createDirectory(dir.resolve("conf.d"));
    write(
        file,
        "loligo_reload_on_change 5 seconds\nhttp_access deny all\ninclude " + folder + "/*.conf\n");
    look();
    look();
    look();
    assertThat(reloader.reloads() + reloader.failures()).isEqualTo(1);
    write(file, "loligo_reload_on_change 5 seconds\nhttp_port 3128\nhttp_access deny all\n");
    look();
    look();
    assertThat(reloader.reloads()).isEqualTo(1);
    write(list, "b.test\n");
    look();
    look();
    assertThat(reloader.reloads()).as("no line names it any more").isEqualTo(1);
  }

  @Test
  void aFileThatCannotBeReadIsTriedOnce() throws Exception {
    String text = Files.readString(file);
    Files.delete(list);
    for (int i = 0; i < 4; i++) {
      look();
    }
    assertThat(reloader.failures()).isEqualTo(1);
    write(list, "a.test\n");
    look();
    look();
    assertThat(reloader.reloads()).isEqualTo(1);
    assertThat(text).isEqualTo(Files.readString(file));
  }

  @Test
  void withoutTheDirectiveNothingIsReloaded() throws Exception {
    write(file, "http_port 3128\nhttp_access deny all\n");
    reloader.reload().get(30, TimeUnit.SECONDS);
    look();
    write(file, "http_port 3129\nhttp_access deny all\n");
    look();
    look();
    look();
    assertThat(reloader.reloads()).isEqualTo(1);
    assertThat(intervals).endsWith(10_000L, 10_000L);
  }
}
