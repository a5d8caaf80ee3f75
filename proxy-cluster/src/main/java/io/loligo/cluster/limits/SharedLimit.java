package io.loligo.cluster.limits;

/** A limit of requests, one for each name. All calls are on the steps of the node. */
public interface SharedLimit {
  /** Takes names. */
  interface Names {
    /**
     * This many requests of {@code name} passed here, and the other nodes were not told.
     *
     * @param count from 1
     */
    void add(long name, int count);
  }

  /** The same on all nodes that have this limit, and no other limit has it. */
  long id();

  /** Gives {@code names} each name of which requests passed since they were told. */
  void untold(Names names);

  /** The other nodes were told of {@code count} requests of {@code name}. */
  void told(long name, int count);

  /**
   * {@code count} requests of {@code name} passed at another node.
   *
   * @param nodes members, this one included
   */
  void passedElsewhere(long name, int count, int nodes);
}
