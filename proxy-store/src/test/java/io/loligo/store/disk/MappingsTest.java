package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A thread that waits for a page of a mapped file stops all others at the next safepoint. */
@EnabledOnOs(OS.LINUX)
final class MappingsTest {
  @TempDir Path temp;

  @Test
  void noFileIsMappedToBeWritten() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)))) {
      for (int i = 0; i < 50; i++) {
        fixture.put("http://a/" + i, bytes(i % 10 == 0 ? 200_000 : 3000));
        fixture.load("http://a/" + i);
      }
      List<String> mappings = Files.readAllLines(Path.of("/proc/self/maps"));
      assertThat(mappings).anyMatch(line -> line.contains(" r-xp ")); // it can be read
      assertThat(mappings)
          .filteredOn(line -> line.contains(temp.toString()))
          .noneMatch(line -> line.split(" +", -1)[1].contains("w"));
      assertThat(mappings)
          .filteredOn(line -> line.split(" +", -1)[1].equals("rw-s"))
          .allMatch(line -> line.contains("hsperfdata"));
    }
  }
}
