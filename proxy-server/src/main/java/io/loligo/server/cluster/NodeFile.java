package io.loligo.server.cluster;

import io.loligo.cluster.group.NodeRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the identity of a node beside its stored responses: a line with its id and the number of
 * its last run. Stateless; blocks.
 */
final class NodeFile {
  /** Name of the file in the folder of the first {@code cache_dir}. */
  static final String NAME = "loligo.node";

  private NodeFile() {}

  /**
   * The next run of the node of {@code folder}.
   *
   * @param folder null: nothing is kept, and each run is another node
   * @param millis the clock
   * @throws IOException if the file is damaged, or cannot be written
   */
  static NodeRun next(@Nullable Path folder, long millis) throws IOException {
    if (folder == null) {
      return new NodeRun(UUID.randomUUID(), millis);
    }
    Path file = folder.resolve(NAME);
    NodeRun last = read(file);
    NodeRun next =
        last == null
            ? new NodeRun(UUID.randomUUID(), millis)
            : new NodeRun(last.node(), Math.max(millis, last.run() + 1));
    Path fresh = folder.resolve(NAME + ".new");
    Files.writeString(fresh, next.node() + " " + next.run() + "\n");
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    return next;
  }

  private static @Nullable NodeRun read(Path file) throws IOException {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException first) {
      return null;
    }
    String[] words = text.strip().split(" ", -1);
    try {
      if (words.length == 2) {
        return new NodeRun(UUID.fromString(words[0]), Long.parseLong(words[1]));
      }
    } catch (IllegalArgumentException e) {
      throw damaged(file, e);
    }
    throw damaged(file, null);
  }

  private static IOException damaged(Path file, @Nullable Exception cause) {
    return new IOException(
        file + ": it should have the id of this node; remove it: the node then has a new one",
        cause);
  }
}
