package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Folders that earlier builds wrote, kept as files of this test: they must stay readable. A later
 * version of the format adds folders, and reads those of the version before it. {@code
 * -Dloligo.disk.folders.write=true} writes those of the present version, which is to be done once
 * for each version.
 */
final class StoredFolderTest {
  private static final String URL = "http://folder/";
  private static final long SIZE = 8 << 20;
  private static final int SMALL = 20;
  private static final int LARGE = 200_000;
  private static final Path RESOURCES = Path.of("src/test/resources/io/loligo/store/disk");

  @TempDir Path temp;

  private Path folder() {
    return temp.resolve("cache");
  }

  private DiskFixture open() throws IOException {
    return new DiskFixture(disk(dir(folder(), SIZE)));
  }

  /** It does not depend on anything but its number, and is short when compressed. */
  private static byte[] content(int number, int length) {
    byte[] content = new byte[length];
    byte[] line = ("response " + number + "\n").getBytes(US_ASCII);
    for (int i = 0; i < length; i++) {
      content[i] = line[i % line.length];
    }
    return content;
  }

  private static Fields language(String value) {
    return StoredFields.index(("Accept-Language: " + value + "\r\n\r\n").getBytes(US_ASCII));
  }

  private static StoredMeta in(Fields language) {
    byte[] lines = "Vary: Accept-Language\r\n\r\n".getBytes(US_ASCII);
    VarySelection vary = VarySelection.of(false, language, StoredFields.index(lines));
    return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
  }

  private static void fill(DiskFixture fixture) {
    for (int i = 0; i < SMALL; i++) {
      fixture.put(URL + i, content(i, 100 + 500 * i));
    }
    fixture.put(URL + "large", content(SMALL, LARGE));
    for (String language : new String[] {"de", "en"}) {
      byte[] content = content(language.charAt(0), 1000);
      fixture.store.fill(URL + "varies", in(language(language)), content);
      fixture.settle();
    }
    fixture.put(URL + 3, content(33, 3000)); // replaced
    assertThat(fixture.purge(URL + 5)).isOne();
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(
        new Purge.Matching(UrlPattern.of("folder", "/7$"), false), fixture.loop, purged::complete);
    assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
    fixture.settle();
  }

  private static void check(DiskFixture fixture) {
    for (int i = 0; i < SMALL; i++) {
      DiskFixture.Found found = fixture.load(URL + i);
      if (i == 5 || i == 7) {
        assertThat(found.outcome()).as("purged: " + i).isEqualTo(LoadOutcome.ABSENT);
      } else {
        assertThat(found.content())
            .as("response " + i)
            .isEqualTo(i == 3 ? content(33, 3000) : content(i, 100 + 500 * i));
        assertThat(found.fields()).isEqualTo("A: b\r\n\r\n");
      }
    }
    assertThat(fixture.load(URL + "large").content()).isEqualTo(content(SMALL, LARGE));
    for (String language : new String[] {"de", "en"}) {
      assertThat(fixture.load(URL + "varies", language(language)).content())
          .isEqualTo(content(language.charAt(0), 1000));
    }
    assertThat(fixture.load(URL + "varies", language("fr")).outcome())
        .isEqualTo(LoadOutcome.ABSENT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"format-3-closed", "format-3-killed"})
  void whatEarlierBuildsWroteIsRead(String name) throws IOException {
    unpack(name);
    try (DiskFixture fixture = open()) {
      check(fixture);
      fixture.assertWorks();
    }
    try (DiskFixture fixture = open()) {
      check(fixture);
    }
  }

  @Test
  void whatIsWrittenNowIsRead() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      DiskFixture.copy(folder(), temp.resolve("killed"));
    }
    if (Boolean.getBoolean("loligo.disk.folders.write")) {
      pack(temp.resolve("killed"), "format-" + Marks.VERSION + "-killed");
      pack(folder(), "format-" + Marks.VERSION + "-closed");
    }
    try (DiskFixture fixture = open()) {
      check(fixture);
    }
  }

  private static void pack(Path folder, String name) throws IOException {
    Files.createDirectories(RESOURCES);
    try (ZipOutputStream zip =
            new ZipOutputStream(Files.newOutputStream(RESOURCES.resolve(name + ".zip")));
        DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      zip.setLevel(9);
      for (Path file : files) {
        if (!file.endsWith("LOCK")) {
          zip.putNextEntry(new ZipEntry(file.getFileName().toString()));
          Files.copy(file, zip);
        }
      }
    }
  }

  private void unpack(String name) throws IOException {
    Files.createDirectories(folder());
    try (InputStream in = StoredFolderTest.class.getResourceAsStream(name + ".zip")) {
      assertThat(in).as(name).isNotNull();
      ZipInputStream zip = new ZipInputStream(in);
      for (ZipEntry file = zip.getNextEntry(); file != null; file = zip.getNextEntry()) {
        Files.copy(zip, folder().resolve(file.getName()));
      }
    }
  }

  // A later version, of which nothing is known but where it stands

  private Map<String, ByteBuffer> files(Path folder) throws IOException {
    Map<String, ByteBuffer> files = new TreeMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, Files::isRegularFile)) {
      for (Path file : all) {
        files.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
      }
    }
    files.remove("LOCK");
    return files;
  }

  private void raiseVersion() throws IOException {
    Path header = folder().resolve("header");
    byte[] bytes = Files.readAllBytes(header);
    ByteBuffer.wrap(bytes).putInt(8, Marks.VERSION + 1);
    Files.write(header, bytes);
    Files.writeString(folder().resolve("later"), "a file of the later version");
  }

  private Path aside(String suffix) {
    return folder().resolve("format-" + (Marks.VERSION + 1) + suffix);
  }

  @Test
  void aLaterVersionIsSetAsideAndNotChanged() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(20_000));
    }
    raiseVersion();
    Map<String, ByteBuffer> before = files(folder());
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      fixture.assertWorks();
    }
    assertThat(files(aside(""))).isEqualTo(before);
    try (DiskFixture fixture = open()) {
      fixture.assertWorks();
    }
    assertThat(files(aside(""))).as("at the next start").isEqualTo(before);
    raiseVersion();
    try (DiskFixture fixture = open()) {
      fixture.assertWorks();
    }
    assertThat(files(aside(""))).as("beside another one").isEqualTo(before);
    assertThat(aside(".1").resolve("header")).exists();
  }

  /** Killed in the middle of the move: the header moves last. */
  @Test
  void anInterruptedMoveGoesOn() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(20_000));
    }
    raiseVersion();
    Map<String, ByteBuffer> before = files(folder());
    Files.createDirectories(aside(""));
    Files.move(folder().resolve("slabs"), aside("").resolve("slabs"));
    try (DiskFixture fixture = open()) {
      fixture.assertWorks();
    }
    assertThat(files(aside(""))).isEqualTo(before);
  }
}
