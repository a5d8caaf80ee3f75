package io.loligo.server.adapt;

/**
 * The content of a message before its adaptation. It is passed to {@link Adaptation}. Called on the
 * event loop.
 */
public interface Original {
  /** Requests one more read of it. */
  void read();

  /** The rest is not needed. */
  void cancel();
}
