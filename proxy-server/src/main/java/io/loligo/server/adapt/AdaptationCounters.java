package io.loligo.server.adapt;

/** Counts the messages of one service on one event loop. Confined to it. */
public interface AdaptationCounters {
  /** Counts nothing. */
  AdaptationCounters NONE = new AdaptationCounters() {};

  /** A message was sent to the service, which answered after {@code nanos}. */
  default void adapted(long nanos) {}

  /** The service failed with a message. */
  default void failed() {}

  /** A message continued without the service. */
  default void bypassed() {}

  /** The service is taken for down. */
  default void wentDown() {}
}
