package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CacheFoldersTest {
  private static final long MIB = 1L << 20;

  @TempDir Path folder;

  private static CacheDir dir(Path path, long maxBytes, boolean readOnly, int line) {
    return new CacheDir("rock", path.toString(), maxBytes, 0, -1, readOnly, "squid.conf:" + line);
  }

  private static void prepare(CacheDir... dirs) throws IOException {
    CacheFolders.prepare(DiskSettings.with(Arrays.asList(dirs)).build());
  }

  @Test
  void makesAMissingFolder() throws IOException {
    Path path = folder.resolve("a/b");
    prepare(dir(path, MIB, false, 3));
    assertThat(path).isDirectory();
  }

  @Test
  void refusesAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertThatThrownBy(() -> prepare(dir(file, MIB, false, 3)))
        .hasMessage("squid.conf:3: cache_dir " + file + ": is not a directory: name a folder");
  }

  @Test
  void refusesAFolderBelowAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertThatThrownBy(() -> prepare(dir(file.resolve("sub"), MIB, false, 3)))
        .hasMessageContaining("cannot be made")
        .hasMessageContaining("make it for the user this process runs as");
  }

  @Test
  void refusesMoreThanTheDiskHas() throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    assertThatThrownBy(() -> prepare(dir(folder, free * 2, false, 3)))
        .hasMessageContaining("squid.conf:3: cache_dir " + folder + ": needs ")
        .hasMessageContaining(" MB free: free some, or write at most ");
  }

  @Test
  void addsUpTheSpaceOfSeveralLinesOnOneDisk() throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    assertThatThrownBy(
            () ->
                prepare(
                    dir(folder.resolve("a"), free / 3 * 2, false, 3),
                    dir(folder.resolve("b"), free / 3 * 2, false, 4)))
        .hasMessageContaining("squid.conf:4: ")
        .hasMessageContaining("the lines above take ");
  }

  @Test
  void needsNoSpaceForExistingFilesOrAReadOnlyDirectory() throws IOException {
    long free = Files.getFileStore(folder).getUsableSpace();
    prepare(dir(folder, free * 2, true, 3));
    Files.write(folder.resolve("slab"), new byte[(int) MIB]);
    prepare(dir(folder, MIB, false, 3));
  }
}
