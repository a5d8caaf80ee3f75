package io.loligo.server.peer.ask;

import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.Removal;
import io.loligo.server.upstream.route.PeerQuestion;
import java.net.InetAddress;

/** A protocol in which peers are asked for responses. Confined to the event loop of the asker. */
public interface QueryProtocol {
  /** Whether {@code peer} is asked in this protocol at present. Any thread. */
  boolean speaksWith(Peer peer);

  /**
   * Sends one query. Its reply goes to {@link Asker#replied}.
   *
   * @param number of the round, not 0
   * @param address of {@code peer}
   */
  void query(int number, PeerQuestion question, Peer peer, InetAddress address);

  /** Tells {@code peer} that the responses for {@code url} were removed. */
  default void removed(String url, Removal why, Peer peer, InetAddress address) {}
}
