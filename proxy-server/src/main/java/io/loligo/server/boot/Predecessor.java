package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.takeover.Takeover;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.TransportDirectives;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The process that this one takes over from, if there is one. Confined to the thread that starts
 * the process.
 */
final class Predecessor implements AutoCloseable {
  private final @Nullable Takeover takeover;
  private final InheritedSockets sockets;

  private Predecessor(@Nullable Takeover takeover, InheritedSockets sockets) {
    this.takeover = takeover;
    this.sockets = sockets;
  }

  /** There is none. */
  static Predecessor none() {
    return new Predecessor(null, InheritedSockets.none());
  }

  /**
   * The one whose socket {@code config} names. It serves until {@link #succeeded}.
   *
   * @throws IOException if none answers, or it refuses; names the reason
   */
  static Predecessor of(ProxyConfig config, String version) throws IOException {
    Path path = TakeoverPlace.of(config);
    if (path == null) {
      throw new IOException(
          "the process to take over is not known: name loligo_takeover_socket or pid_filename");
    }
    if (!TransportDirectives.transport(config).sockets().areInheritable()) {
      throw new IOException("only loligo_transport epoll can take listening sockets over");
    }
    Takeover takeover = Takeover.at(path);
    try {
      return new Predecessor(takeover, takeover.sockets(version));
    } catch (IOException | RuntimeException e) {
      takeover.close();
      throw e;
    }
  }

  /** Its listening sockets; none without a predecessor. */
  InheritedSockets sockets() {
    return sockets;
  }

  /** Whether there is one. */
  boolean isThere() {
    return takeover != null;
  }

  /**
   * Takes its store: this process may open it when this returns.
   *
   * @throws IOException if it refuses, with the reason
   */
  void takeStore() throws IOException {
    if (takeover != null) {
      takeover.takeStore();
    }
  }

  /**
   * Everything is ready: when this returns, it accepts no more connections.
   *
   * @throws IOException if it refuses, with the reason; it serves then
   */
  void succeeded() throws IOException {
    if (takeover != null) {
      takeover.complete();
    }
  }

  /** Ends the conversation. Before {@link #succeeded}, the other process goes on. */
  @Override
  public void close() {
    sockets.close();
    if (takeover != null) {
      takeover.close();
    }
  }
}
