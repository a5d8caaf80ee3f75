package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WritablePathTest {
  @TempDir Path folder;

  @Test
  void keepsAPlaceThatCanBeWrittenAndMakesItsFolder() throws IOException {
    Path wanted = folder.resolve("a/b/cache.log");
    WritablePath found = WritablePath.of(wanted.toString());
    assertThat(found.path()).isEqualTo(wanted);
    assertThat(found.moved()).isNull();
    assertThat(wanted.getParent()).isDirectory();
  }

  @Test
  void movesAFileWhoseFolderIsAFile() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "x");
    WritablePath found = WritablePath.of(file.resolve("cache.log").toString());
    assertThat(found.path()).isEqualTo(Path.of("var", "log", "cache.log"));
    assertThat(found.moved()).isEqualTo("folder cannot be made");
  }

  @Test
  void movesAFileWhoseNameIsAFolder() throws IOException {
    Files.createDirectory(folder.resolve("cache.log"));
    WritablePath found = WritablePath.of(folder.resolve("cache.log").toString());
    assertThat(found.moved()).isEqualTo("is a folder");
  }
}
