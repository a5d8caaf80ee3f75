package io.loligo.cluster.group;

/** This node among the others. All calls and all answers are on its {@code Steps}. */
public interface Group extends AutoCloseable {
  /** Told what happens. */
  interface Listener {
    /**
     * The members were agreed anew, mostly because they are others now; or their facts, or the
     * number of {@link #configured} nodes changed. The first view, of this node alone or more,
     * comes at once.
     */
    void view(View view);

    /**
     * The next view is of parts that were apart, perhaps without knowing it: a node that hung has
     * seen no other view meanwhile. Whatever members told each other before may be missing.
     */
    default void merged() {}

    /**
     * A message came.
     *
     * @param message given away
     */
    void message(NodeRun from, byte[] message);
  }

  /** This run of this node. */
  NodeRun self();

  /**
   * Begins, and returns at once: it never waits for others. If they cannot be reached, it tries
   * again until {@link #close}.
   */
  void start(Listener listener);

  /**
   * Sends a message. Messages from one node to another arrive in their order, each once, while both
   * stay in one view; otherwise they may be lost, and nobody is told.
   *
   * @param message not to be changed
   */
  void send(NodeRun to, byte[] message);

  /** Tells the others that something about this node changed. */
  void announce(Member self);

  /**
   * Nodes that there should be, this one included: those of the line, or, if they are discovered,
   * those of the last view that had all discovered ones. Before there was one, those seen and
   * discovered, and one more as long as nothing could be discovered.
   */
  int configured();

  /**
   * Whether a member is one of the {@link #configured} nodes: a purge that reached only others is
   * not said to have reached all.
   */
  default boolean isConfigured(Member member) {
    return true;
  }

  /** Leaves. */
  @Override
  void close();
}
