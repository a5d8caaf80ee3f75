package io.loligo.cluster.purges;

import java.util.function.Consumer;

/** The stored responses of this node, as far as purges concern them. */
public interface Invalidations {
  /**
   * Carries out a purge of another node. From the answer on, nothing of it is served as before, and
   * a crash does not change that.
   *
   * @param entry as the other node published it
   * @param then told once, on any thread; false: a disk did not confirm it
   */
  void apply(byte[] entry, Consumer<Boolean> then);

  /**
   * Makes everything stored until now be validated before its next use, because purges may be
   * missing. From the answer on, nothing of it is served without that, also after a crash.
   *
   * @param then as above
   */
  void revalidateAll(Consumer<Boolean> then);
}
