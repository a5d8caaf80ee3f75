package io.loligo.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells whether files have changed since they were noted: by time, size and identity. Confined to
 * one thread at a time; blocks.
 */
final class WatchedFiles {
  private Map<String, String> noted = Map.of();

  /** Notes the present state of {@code paths}, in place of all others. */
  void note(Collection<String> paths) {
    noted = states(paths);
  }

  /** Notes the present state of those of {@code paths} that are new, and forgets all others. */
  void noteNew(Collection<String> paths) {
    Map<String, String> states = new HashMap<>();
    for (String path : paths) {
      String before = noted.get(path);
      states.put(path, before == null ? state(path) : before);
    }
    noted = states;
  }

  /** Whether {@code paths} are in another state than noted. */
  boolean changed(Collection<String> paths) {
    return !states(paths).equals(noted);
  }

  private static Map<String, String> states(Collection<String> paths) {
    Map<String, String> states = new HashMap<>();
    for (String path : paths) {
      states.put(path, state(path));
    }
    return states;
  }

  private static String state(String path) {
    try {
      BasicFileAttributes now = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
      return now.lastModifiedTime() + " " + now.size() + " " + now.fileKey();
    } catch (IOException | InvalidPathException e) {
      return "unreadable";
    }
  }
}
