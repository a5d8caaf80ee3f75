package io.loligo.server.upstream.route;

import io.loligo.core.message.Fields;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKind;
import java.util.List;

/**
 * Which of {@code peers} has the response to a GET for {@code url}? Immutable.
 *
 * @param host that of the URL, in lower case
 * @param fields of the client's request; any thread may read them
 * @param peers that may be asked, in the order of their lines; not empty
 */
public record PeerQuestion(String url, String host, Fields fields, List<Peer> peers) {
  /** Whether {@code peer} is a parent for this URL. */
  public boolean isParent(Peer peer) {
    return peer.kind(host) == PeerKind.PARENT;
  }
}
