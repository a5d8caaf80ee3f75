package io.loligo.server.upstream;

import java.util.function.BooleanSupplier;

/**
 * The signs that one request has of the node of the cluster that it was sent to. Confined to the
 * event loop of the request.
 */
public interface NodeSigns {
  /**
   * Looks whether the node is silent for too long. Then the request leaves it.
   *
   * @param lateNanos how much later the loop looks than planned
   * @param canContinue whether the rest of the response, which has begun, would be requested from
   *     another hop if it broke off now
   */
  boolean isSilent(long nowNanos, long lateNanos, BooleanSupplier canContinue);

  /** An interim response came. Returns whether it is the first sign of life. */
  boolean came(long nowNanos);

  /** The head of the response came. */
  void responded(long nowNanos);

  /** Whether the head of the response has come. */
  boolean hasResponded();

  /** Bytes of the content are awaited. */
  void reads();

  /** Bytes of the content came. */
  void heard();

  /** No bytes of the content are awaited: nobody takes them at present. */
  void rests();
}
