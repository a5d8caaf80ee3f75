package io.loligo.server.upstream.route;

import io.loligo.core.acl.AclInput;
import io.loligo.server.upstream.CarpKey;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerSpread;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Spreads requests over the parents with one option by a hash, as Squid 5.7 does: a fleet keeps its
 * distribution when its members change from Squid to this proxy or back.
 *
 * <p>Each parent multiplies the combined hash of its name and of the request by a factor that
 * follows from the weights (Cache Array Routing Protocol v1.0, section 3.3); the highest product
 * wins. As in Squid, the hash of the URL goes on from parent to parent, and parents of equal weight
 * stand in the order of the configuration. Immutable.
 */
final class ParentHash {
  private static final int SPREAD = 0x62531965;
  private static final double LEAST_SHARE = 0.001;

  private final PeerSpread spread;
  private final List<Peer> peers;
  private final int[] hashes;
  private final double[] factors;

  private ParentHash(PeerSpread spread, List<Peer> peers) {
    this.spread = spread;
    this.peers =
        peers.stream()
            .filter(peer -> peer.spreads().contains(spread))
            .sorted((a, b) -> Integer.compare(a.weight(), b.weight()))
            .toList();
    hashes = this.peers.stream().mapToInt(peer -> scattered(hash(0, peer.name()))).toArray();
    factors = factors(this.peers.stream().mapToInt(Peer::weight).toArray());
  }

  /** The one over those of {@code peers} that have {@code spread}; null: none has. */
  static @Nullable ParentHash of(PeerSpread spread, List<Peer> peers) {
    ParentHash hash = new ParentHash(spread, peers);
    return hash.peers.isEmpty() ? null : hash;
  }

  /** The parent for {@code request} among those that are {@code usable}; null: there is none. */
  @Nullable Peer choose(RoutedRequest request, Predicate<Peer> usable) {
    String same = sameKey(request);
    if (same == null) {
      return null;
    }
    boolean perPeer = spread == PeerSpread.CARP;
    int hash = perPeer ? 0 : hash(0, same);
    Peer best = null;
    double high = 0;
    for (int i = 0; i < hashes.length; i++) {
      Peer peer = peers.get(i);
      if (perPeer) {
        hash = hash(hash, peer.carpKey().isEmpty() ? same : key(request, peer.carpKey(), same));
      }
      double score = (scattered(hash ^ hashes[i]) & 0xffffffffL) * factors[i];
      if (score > high && usable.test(peer)) {
        best = peer;
        high = score;
      }
    }
    return best;
  }

  /** The text whose hash decides if a parent has no key of its own; null: there is none. */
  private @Nullable String sameKey(RoutedRequest request) {
    return switch (spread) {
      case SOURCEHASH -> NetUtil.toAddressString(request.client().getAddress());
      case USERHASH -> request.user();
      default -> request.url();
    };
  }

  private static String key(AclInput request, Set<CarpKey> parts, String url) {
    StringBuilder key = new StringBuilder();
    String path = request.urlPath();
    int query = path.indexOf('?');
    if (parts.contains(CarpKey.SCHEME) && !request.scheme().isEmpty()) {
      key.append(request.scheme()).append("://");
    }
    if (parts.contains(CarpKey.HOST)) {
      boolean brackets = request.host().indexOf(':') >= 0;
      key.append(brackets ? "[" : "").append(request.host()).append(brackets ? "]" : "");
    }
    if (parts.contains(CarpKey.PORT)) {
      key.append(':').append(request.port());
    }
    if (parts.contains(CarpKey.PATH)) {
      key.append(query < 0 ? path : path.substring(0, query));
    }
    if (parts.contains(CarpKey.PARAMS) && query >= 0) {
      key.append(path.substring(query));
    }
    return key.length() == 0 ? url : key.toString();
  }

  /** The characters are bytes, and signed ones, as in Squid. */
  private static int hash(int before, String text) {
    int hash = before;
    for (int i = 0; i < text.length(); i++) {
      hash += Integer.rotateLeft(hash, 19) + (byte) text.charAt(i);
    }
    return hash;
  }

  private static int scattered(int hash) {
    return Integer.rotateLeft(hash + hash * SPREAD, 21);
  }

  /** The factors of parents with these weights, which are ordered. */
  private static double[] factors(int[] weights) {
    long sum = 0;
    for (int weight : weights) {
      sum += weight;
    }
    double[] factors = new double[weights.length];
    double lastShare = 0;
    double product = 1;
    double last = 0;
    for (int i = 0; i < weights.length; i++) {
      double left = weights.length - i;
      double share = (double) weights[i] / sum;
      share = share < LEAST_SHARE ? 0 : share;
      double factor = left * (share - lastShare) / product + Math.pow(last, left);
      factors[i] = Math.pow(factor, 1 / left);
      product *= factors[i];
      last = factors[i];
      lastShare = share;
    }
    return factors;
  }
}
