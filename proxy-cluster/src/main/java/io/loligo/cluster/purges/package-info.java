/**
 * Purges that reach every node, in the order of each sender, also one that was away.
 *
 * <p>{@link io.loligo.cluster.purges.Replication} is the entrance. Each run of a node is a stream
 * of purges with numbers from 1. A node gives a stream to its store ({@link
 * io.loligo.cluster.purges.Invalidations}) in its order and without gaps, and acknowledges up to a
 * number once the store has confirmed all until there. So an acknowledged purge survives a crash of
 * that node, whatever became of its {@link io.loligo.cluster.purges.PurgeJournal}.
 *
 * <p>All nodes keep the last purges of all streams, for 10 minutes. Members tell each other up to
 * where they carried out each stream: at each view, and one after the other every 5 seconds. One
 * that is behind pulls from any that has the purges, also those of a node that is gone. If none has
 * them any more, it validates everything stored before its next use, and counts the purges as
 * carried out. The same is done where a journal turns out to be damaged.
 *
 * <p>The journal is behind. A crash may lose its end: of other nodes' purges, which are pulled and
 * carried out again, and of own ones, which the others have or which were not answered. A purge
 * that not all nodes acknowledged is answered only when it is in the journal, if that is in time.
 *
 * <p>Confined to a node's {@link io.loligo.cluster.Steps}. No clock of another node is used.
 */
@NullMarked
package io.loligo.cluster.purges;

import org.jspecify.annotations.NullMarked;
