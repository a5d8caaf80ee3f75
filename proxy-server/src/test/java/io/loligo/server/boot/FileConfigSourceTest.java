package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileConfigSourceTest {
  private final FileConfigSource source = new FileConfigSource();
  @TempDir Path folder;

  @Test
  void readsAFileAsBytes() throws IOException {
    Path file = folder.resolve("a.conf");
    Files.write(file, new byte[] {'v', (byte) 0xe9});
    assertThat(source.read(file.toString())).isEqualTo("v\u00e9");
  }

  @Test
  void hasNoTextForAFileThatIsMissing() {
    assertThat(source.read(folder.resolve("none").toString())).isNull();
  }

  @Test
  void expandsAPatternSorted() throws IOException {
    for (String name : new String[] {"20.conf", "10.conf", "30.txt"}) {
      Files.writeString(folder.resolve(name), "");
    }
    assertThat(source.expand(folder + "/*.conf"))
        .containsExactly(folder + "/10.conf", folder + "/20.conf");
  }

  @Test
  void expandsToNothingWhereThereIsNoFolder() {
    assertThat(source.expand(folder + "/missing/*.conf")).isEmpty();
  }

  @Test
  void resolvesAnAddressToItsBytes() {
    assertThat(source.resolve("127.0.0.1")).containsExactly(new byte[] {127, 0, 0, 1});
  }
}
