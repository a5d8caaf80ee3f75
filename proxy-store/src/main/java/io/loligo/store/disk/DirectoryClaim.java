package io.loligo.store.disk;

import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.purge.PurgeFile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The claim on a directory: it exists, is writable and large enough, and no other process has it.
 * Its content is as before until {@link #fit}: a claim may be given up. Its holder closes {@code
 * marks} and {@code purges}. Confined to the thread that starts the store.
 *
 * @param path where it is
 * @param marks locked
 * @param purges open after {@link #fit}
 */
record DirectoryClaim(
    CacheDir config, Path path, Geometry geometry, Marks marks, PurgeFile purges) {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryClaim.class);
  private static final String LOOK =
      "give its files to the user the proxy runs as, and look at its disk";

  /**
   * Claims {@code dir}.
   *
   * @param meanObjectBytes {@code store_avg_object_size}
   * @throws IOException it cannot be claimed; names the line of the configuration and the remedy
   */
  static DirectoryClaim of(CacheDir dir, long meanObjectBytes, Medium medium) throws IOException {
    Geometry planned = geometry(dir, meanObjectBytes, medium);
    if (Geometry.wantedRecords(dir.maxBytes(), meanObjectBytes) > Geometry.MAX_RECORDS) {
      LOG.warn(
          "cache_dir {} ({}): its index holds at most {} responses; with store_avg_object_size {}"
              + " bytes that is {} MB; next: use another line for the rest, or raise"
              + " store_avg_object_size",
          dir.path(),
          dir.source(),
          Geometry.MAX_RECORDS,
          meanObjectBytes,
          (Geometry.MAX_RECORDS * meanObjectBytes) >> 20);
    }
    Path path = medium.path(dir.path());
    if (Files.exists(path) && !Files.isDirectory(path)) {
      throw refusal(dir, "is not a directory: name one, or remove the file", null);
    }
    try {
      Files.createDirectories(path);
    } catch (IOException e) {
      throw refusal(dir, "cannot be made: create it, owned by the user the proxy runs as", e);
    }
    if (!Files.isWritable(path)) {
      throw refusal(dir, "not writable: give it to the user the proxy runs as", null);
    }
    Marks marks;
    try {
      marks = Marks.lock(path);
    } catch (Marks.InUse e) {
      throw refusal(dir, e.getMessage() + ": stop it, or give this proxy another directory", e);
    } catch (IOException e) {
      throw refusal(dir, "cannot be locked (" + e + "): " + LOOK, e);
    }
    Geometry geometry;
    try {
      checkFiles(dir, marks);
      geometry = keeping(marks, planned, dir, meanObjectBytes);
      checkSpace(dir, path, marks, geometry);
    } catch (IOException e) {
      marks.close();
      throw e;
    }
    return new DirectoryClaim(dir, path, geometry, marks, new PurgeFile());
  }

  /**
   * Sets aside or discards content that does not fit, before it is opened. Once.
   *
   * @throws IOException that is not possible; names the line and the remedy
   */
  void fit(Medium medium) throws IOException {
    setAsideIfLater();
    try {
      DirectoryFiles.discardOtherSize(config, marks, geometry);
      purges.begin(marks.purges(), marks.header(), geometry.totalBytes(), medium);
    } catch (IOException e) {
      throw refusal("purges cannot be opened (" + e + "): " + LOOK, e);
    }
  }

  /** The geometry of {@code dir} without content. */
  static Geometry geometry(CacheDir dir, long meanObjectBytes, Medium medium) throws IOException {
    Geometry geometry = medium.geometry(dir.maxBytes(), meanObjectBytes);
    if (geometry == null) {
      long min = Geometry.minBytes(meanObjectBytes);
      throw refusal(dir, "too small: give it at least " + ((min >> 20) + 1) + " MB", null);
    }
    return geometry;
  }

  /** {@code planned}, or another one of the same size with which the present content stays. */
  private static Geometry keeping(Marks marks, Geometry planned, CacheDir dir, long meanObjectBytes)
      throws IOException {
    Marks.Header there = marks.readHeader();
    if (there == null || there.geometry().equals(planned)) {
      return planned;
    }
    Geometry grown = there.geometry().grownTo(dir.maxBytes(), meanObjectBytes);
    return grown == null ? planned : grown;
  }

  /** A later version may be used again: its files are kept, and not read. */
  private void setAsideIfLater() throws IOException {
    int version = marks.writtenVersion();
    if (version <= Marks.VERSION) {
      return;
    }
    try {
      Path aside = marks.setAside(version);
      LOG.warn(
          "cache_dir {}: written by a later version (format {}, this is {}): its files are now in"
              + " {}, and it begins empty; next: delete that folder, unless the later version will"
              + " be used again",
          config.path(),
          version,
          Marks.VERSION,
          aside);
    } catch (IOException e) {
      throw refusal("its files cannot be set aside (" + e + "): " + LOOK, e);
    }
  }

  /** Reports files of another user, or foreign files, now and not when the directory is opened. */
  private static void checkFiles(CacheDir dir, Marks marks) throws IOException {
    for (Path file : marks.files()) {
      if (Files.exists(file)
          && !(Files.isRegularFile(file) && Files.isReadable(file) && Files.isWritable(file))) {
        throw refusal(dir, file.getFileName() + " cannot be read and written: " + LOOK, null);
      }
    }
  }

  /** The file system of the directory, and how many bytes it will take there in addition. */
  record Missing(FileStore on, long bytes) {}

  /** See {@link Missing}. */
  Missing missing() throws IOException {
    return new Missing(
        Files.getFileStore(path), Math.max(0, geometry.neededBytes() - there(marks, geometry)));
  }

  /** Bytes of its files that are used again. */
  private static long there(Marks marks, Geometry geometry) throws IOException {
    if (marks.writtenVersion() > Marks.VERSION) {
      return 0; // they are set aside
    }
    long bytes = size(marks.checkpoint(0)) + size(marks.checkpoint(1));
    bytes += size(marks.purges()) + size(marks.oldMap());
    for (int i = 0; i < geometry.files(); i++) {
      bytes += size(marks.slabs(i));
    }
    for (int i = 0; i < FileSizes.JOURNALS; i++) {
      bytes += size(marks.journal(i));
    }
    return bytes;
  }

  static void checkSpace(CacheDir dir, Path path, Marks marks, Geometry geometry)
      throws IOException {
    long there = there(marks, geometry);
    long free = Files.getFileStore(path).getUsableSpace();
    if (free + there < geometry.neededBytes()) {
      throw refusal(
          dir,
          "no space: "
              + (geometry.totalBytes() >> 20)
              + " MB wanted, "
              + ((free + there) >> 20)
              + " MB there: free some, or make it smaller",
          null);
    }
  }

  private static long size(Path file) throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** An error that names the line of the configuration, and the remedy. */
  IOException refusal(String what, @Nullable IOException cause) {
    return refusal(config, what, cause);
  }

  /** The same for {@code dir}. */
  static IOException refusal(CacheDir dir, String what, @Nullable IOException cause) {
    return new IOException("cache_dir " + dir.path() + " (" + dir.source() + "): " + what, cause);
  }
}
