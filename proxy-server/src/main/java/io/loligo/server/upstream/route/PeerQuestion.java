package io.loligo.server.upstream.route;

import io.loligo.core.message.Fields;
import io.loligo.server.upstream.Peer;
import java.util.List;

/**
 * Which of {@code peers} has the response to a GET for {@code url}? Immutable.
 *
 * @param fields of the client's request; any thread may read them
 * @param peers that may be asked, in the order of their lines; not empty
 */
public record PeerQuestion(String url, Fields fields, List<Peer> peers) {}
