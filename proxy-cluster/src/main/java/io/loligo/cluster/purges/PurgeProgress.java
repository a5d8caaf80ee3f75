package io.loligo.cluster.purges;

import io.loligo.cluster.group.NodeRun;

/** Told how far this node is with the purges of each stream. On the steps. */
public interface PurgeProgress {
  /**
   * Purges up to {@code number} may have an effect here from now on. Those of this node may have
   * one already.
   */
  void begins(NodeRun stream, long number);

  /** All purges up to {@code number} are carried out here. */
  void applied(NodeRun stream, long number);
}
