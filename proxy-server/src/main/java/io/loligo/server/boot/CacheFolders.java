package io.loligo.server.boot;

import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the folder of each {@code cache_dir} before anything starts: it exists, is writable, and
 * its disk has the space of the line. Errors name the line and the remedy. Stateless.
 */
public final class CacheFolders {
  private static final Logger LOG = LoggerFactory.getLogger(CacheFolders.class);

  private CacheFolders() {}

  /**
   * Makes missing folders.
   *
   * @throws IOException if one is not available
   */
  public static void prepare(DiskSettings disk) throws IOException {
    Map<FileStore, Long> promised = new HashMap<>();
    for (CacheDir dir : disk.dirs()) {
      prepare(dir, promised);
      Path folder = Path.of(dir.path());
      if (Files.exists(folder.resolve("swap.state"))) {
        LOG.warn(
            "{}: cache_dir {} holds files of Squid: Loligo neither uses nor counts them; next:"
                + " remove them to free their space",
            dir.source(),
            dir.path());
      }
    }
  }

  private static void prepare(CacheDir dir, Map<FileStore, Long> promised) throws IOException {
    Path folder = Path.of(dir.path());
    make(dir, folder);
    writable(dir, folder);
    if (!dir.readOnly()) {
      space(dir, folder, promised);
    }
  }

  /** The message that {@link #prepare} would give for each folder that is not available. */
  static List<String> problems(DiskSettings disk) {
    Map<FileStore, Long> promised = new HashMap<>();
    List<String> problems = new ArrayList<>();
    for (CacheDir dir : disk.dirs()) {
      try {
        prepare(dir, promised);
      } catch (IOException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
    return problems;
  }

  private static void make(CacheDir dir, Path folder) throws IOException {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw refusal(dir, "is not a directory: name a folder", null);
    }
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw refusal(
          dir,
          "cannot be made ("
              + reason(e)
              + "): make it for the user this process runs as, "
              + user()
              + ", or name another folder",
          e);
    }
  }

  private static void writable(CacheDir dir, Path folder) throws IOException {
    if (!Files.isWritable(folder) || !Files.isExecutable(folder) || !Files.isReadable(folder)) {
      throw refusal(dir, "cannot be written by " + user() + ownership(folder), null);
    }
    for (Path file : files(dir, folder)) {
      if (!Files.isWritable(file) || !Files.isReadable(file)) {
        throw refusal(
            dir,
            "its file " + file.getFileName() + " cannot be written by " + user() + ownership(file),
            null);
      }
    }
  }

  private static String ownership(Path path) {
    String owner;
    try {
      owner = Files.getOwner(path).getName();
    } catch (IOException | UnsupportedOperationException unknown) {
      owner = "somebody else";
    }
    return ", it belongs to " + owner + ": chown it, or name another folder";
  }

  private static void space(CacheDir dir, Path folder, Map<FileStore, Long> promised)
      throws IOException {
    FileStore store;
    long free;
    try {
      store = Files.getFileStore(folder);
      free = store.getUsableSpace();
    } catch (IOException e) {
      throw refusal(dir, "the space of its disk cannot be read (" + reason(e) + ")", e);
    }
    long own = 0;
    for (Path file : files(dir, folder)) {
      own += Files.size(file);
    }
    long before = promised.getOrDefault(store, 0L);
    long more = Math.max(0, dir.maxBytes() - own);
    if (before + more > free) {
      String others = before == 0 ? "" : ", of which the lines above take " + mib(before) + " MB";
      long most = Math.max(0, free - before + own) >> 20;
      throw refusal(
          dir,
          "needs "
              + mib(more)
              + " MB, but its disk has "
              + mib(free)
              + " MB free"
              + others
              + ": free some, or write at most "
              + most,
          null);
    }
    promised.put(store, before + more);
  }

  /** The regular files in {@code folder}; deeper files are not of this proxy. */
  private static List<Path> files(CacheDir dir, Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(Files::isRegularFile).filter(file -> !isForeign(file)).toList();
    } catch (IOException e) {
      throw refusal(dir, "cannot be listed (" + reason(e) + ")", e);
    }
  }

  private static boolean isForeign(Path file) {
    return file.getFileName().toString().startsWith("swap.state");
  }

  private static String reason(IOException e) {
    if (e instanceof NotDirectoryException || e.getClass().getSimpleName().contains("AlreadyE")) {
      return "a part of its path is a file";
    }
    String reason = e instanceof FileSystemException system ? system.getReason() : e.getMessage();
    return reason != null ? reason : e.getClass().getSimpleName();
  }

  private static String user() {
    return System.getProperty("user.name");
  }

  private static long mib(long bytes) {
    return (bytes + (1 << 20) - 1) >> 20;
  }

  private static IOException refusal(CacheDir dir, String what, @Nullable IOException cause) {
    return new IOException(dir.source() + ": cache_dir " + dir.path() + ": " + what, cause);
  }
}
