package io.loligo.server.downstream.connection;

/**
 * The state that the connections of one protocol share on one event loop. Confined to that loop.
 */
public interface LoopState {
  /**
   * Takes other settings for exchanges that begin from now on. Changes nothing if it throws: the
   * reload is refused then.
   */
  void use(ClientSettings settings);
}
