package io.loligo.cluster.sim;

import io.loligo.cluster.purges.Invalidations;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory over a disk that is behind. A crash leaves the disk's part and, by chance,
 * more.
 */
final class SimStore implements Invalidations {
  /** A version of a key's content. */
  record Stored(int version, boolean mustValidate) {}

  /** A change; a key of -1 is all keys. */
  private record Change(int key, @Nullable Stored stored) {
    void to(Map<Integer, Stored> map) {
      if (key >= 0 && stored != null) {
        map.put(key, stored);
      } else if (key >= 0) {
        map.remove(key);
      } else {
        map.replaceAll((k, old) -> new Stored(old.version, true));
      }
    }
  }

  private final World world;
  private final SimDisk disk;
  private final boolean keeps;
  private final Consumer<byte[]> applied;
  private Map<Integer, Stored> memory = new HashMap<>();
  private final Map<Integer, Stored> durable = new HashMap<>();

  /** Changes that the disk lacks. */
  private final ArrayDeque<Change> behind = new ArrayDeque<>();

  private long changes;
  private long durableChanges;

  /** Counts purges of a key and of everything: a fetch that began before one is not stored. */
  private final Map<Integer, Integer> purges = new HashMap<>();

  private int revalidations;

  /**
   * A store.
   *
   * @param keeps whether it has a disk
   * @param applied told the purges of other nodes, as they come
   */
  SimStore(World world, SimDisk disk, boolean keeps, Consumer<byte[]> applied) {
    this.world = world;
    this.disk = disk;
    this.keeps = keeps;
    this.applied = applied;
  }

  @Nullable Stored stored(int key) {
    return memory.get(key);
  }

  /** Changes when a fetch that is under way may bring content from before a purge. */
  int epoch(int key) {
    return purges.getOrDefault(key, 0) + revalidations;
  }

  void store(int key, int version) {
    change(new Change(key, new Stored(version, false)), durably -> {});
  }

  /** A purge of a key. */
  void purge(int key, Consumer<Boolean> then) {
    purges.merge(key, 1, Integer::sum);
    change(new Change(key, null), then);
  }

  static byte[] entry(int key, int sender, int number) {
    return ByteBuffer.allocate(12).putInt(key).putInt(sender).putInt(number).array();
  }

  @Override
  public void apply(byte[] entry, Consumer<Boolean> then) {
    applied.accept(entry);
    purge(ByteBuffer.wrap(entry).getInt(), then);
  }

  @Override
  public void revalidateAll(Consumer<Boolean> then) {
    revalidations++;
    change(new Change(-1, null), then);
  }

  void crash() {
    long more = behind.isEmpty() ? 0 : world.below(behind.size() + 1);
    for (long i = 0; i < more; i++) {
      behind.remove().to(durable);
    }
    behind.clear();
    changes = 0;
    durableChanges = 0;
    if (!keeps) {
      durable.clear();
    }
    memory = new HashMap<>(durable);
  }

  private void change(Change change, Consumer<Boolean> then) {
    change.to(memory);
    if (!keeps) {
      then.accept(true);
      return;
    }
    behind.add(change);
    changes++;
    long upTo = changes;
    disk.write(
        works -> {
          while (works && durableChanges < upTo) {
            behind.remove().to(durable);
            durableChanges++;
          }
          then.accept(works);
        });
  }
}
