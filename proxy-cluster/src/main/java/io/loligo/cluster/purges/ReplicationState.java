package io.loligo.cluster.purges;

/**
 * How replication stands, for pages and metrics. Immutable.
 *
 * @param caughtUp whether this node has carried out all purges of which it knows that it missed
 *     them
 * @param lag purges that this node knows to be missing, or has not carried out yet
 * @param unanswered purges of this node that wait for acknowledgements
 * @param entries in the log
 * @param bytes of these
 * @param streams senders known, also those that are gone
 * @param published purges of this run of this node
 * @param received purges of other nodes taken
 * @param revalidations how often all stored responses had to be validated, because purges were
 *     missing
 * @param malformed messages that could not be read
 * @param refused purges that a disk did not confirm at first
 */
public record ReplicationState(
    boolean caughtUp,
    long lag,
    int unanswered,
    int entries,
    long bytes,
    int streams,
    long published,
    long received,
    long revalidations,
    long malformed,
    long refused) {}
