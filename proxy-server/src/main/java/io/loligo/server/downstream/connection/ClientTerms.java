package io.loligo.server.downstream.connection;

import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.port.HttpPort;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One configuration as far as it concerns clients. Immutable; equal to itself only. An exchange
 * takes the terms of its loop when it begins, and keeps them until its end.
 */
public final class ClientTerms {
  private final ClientSettings settings;
  private final RequestHandler handler;
  private final @Nullable Map<ListeningPort, HttpPort> ports;

  /**
   * Terms.
   *
   * @param handler answers under this configuration
   * @param ports the configuration of each address in use; null: as it was first opened
   */
  public ClientTerms(
      ClientSettings settings,
      RequestHandler handler,
      @Nullable Map<ListeningPort, HttpPort> ports) {
    this.settings = settings;
    this.handler = handler;
    this.ports = ports;
  }

  public ClientSettings settings() {
    return settings;
  }

  public RequestHandler handler() {
    return handler;
  }

  /** The configuration of {@code listening}; null if its port is closed. */
  public @Nullable HttpPort port(ListeningPort listening) {
    return ports == null ? listening.configured() : ports.get(listening);
  }
}
