package io.loligo.server.peer;

import io.loligo.core.message.FieldName;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.peer.digest.DigestFilter;
import io.loligo.server.peer.digest.UrlHash;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.Removal;
import io.loligo.server.upstream.route.PeerAnswer;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.server.upstream.route.PeerQuestion;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The digests of peers, for all event loops. Confined to its own event loop, except for {@link
 * #before} and {@link #bytes}.
 *
 * <p>The first request that could go to a peer lets its digest be fetched; that request does not
 * wait. From then on it is fetched again when its time is over ({@link PeerDigest}).
 */
public final class PeerDigests {
  /** The largest digest that is read, with its header. */
  static final int MAX_BYTES = 10 << 20;

  /** The most that all digests take together, beside one that replaces another. */
  static final int MAX_TOTAL_BYTES = 64 << 20;

  private final EventExecutor loop;
  private final TimeSource time;
  private final PeerHealth health;

  /** By the name of the line. Replaced whole. */
  private volatile Map<String, PeerDigest> digests = Map.of();

  /**
   * Has none yet.
   *
   * @param loop its own
   * @param health counts, and knows which peers are up
   */
  public PeerDigests(EventExecutor loop, TimeSource time, PeerHealth health) {
    this.loop = loop;
    this.time = time;
    this.health = health;
  }

  /** Reads the digests of {@code peers}, which is all lines, on {@code way} from now on. */
  public void use(List<Peer> peers, OwnWay way) {
    Map<String, PeerDigest> next = new HashMap<>();
    for (Peer peer : peers) {
      // a digest of the only peer, a parent, would change no choice
      boolean alone = peers.size() == 1 && peer.kind() == PeerKind.PARENT;
      if (peer.digest() != null && !alone) {
        next.put(peer.name(), new PeerDigest(peer, peer.digest(), this, way));
      }
    }
    Map<String, PeerDigest> before = digests;
    before.values().forEach(PeerDigest::close);
    next.forEach((name, digest) -> digest.after(before.get(name)));
    digests = next;
  }

  /** Ends the fetches. */
  public void close() {
    digests.values().forEach(PeerDigest::close);
    digests = Map.of();
  }

  /** Bytes of all digests. Any thread. */
  public long bytes() {
    long bytes = 0;
    for (PeerDigest each : digests.values()) {
      bytes += each.bytes();
    }
    return bytes;
  }

  /** The most bytes that the next digest of {@code peer} may have. */
  int maxBytes(PeerDigest peer) {
    long others = 0;
    for (PeerDigest each : digests.values()) {
      others += each == peer ? 0 : each.heldBytes();
    }
    return (int) Math.min(MAX_BYTES, MAX_TOTAL_BYTES - others);
  }

  TimeSource time() {
    return time;
  }

  /**
   * Looks into digests for the requests of one event loop, and asks by {@code queries} if none of
   * them has the URL. Any thread; the result is confined to that loop.
   */
  public PeerAsking before(PeerAsking queries) {
    return new Asking(queries);
  }

  private final class Asking implements PeerAsking {
    private final PeerAsking queries;
    private final UrlHash hash = new UrlHash();

    Asking(PeerAsking queries) {
      this.queries = queries;
    }

    @Override
    public boolean asks(Peer peer) {
      return digests.containsKey(peer.name()) || queries.asks(peer);
    }

    @Override
    public boolean isPeer(InetAddress address) {
      return queries.isPeer(address);
    }

    @Override
    public void ask(PeerQuestion question, Consumer<PeerAnswer> then) {
      PeerAnswer found = find(question);
      if (found != null) {
        then.accept(found);
        return;
      }
      List<Peer> queried = new ArrayList<>(question.peers().size());
      for (Peer peer : question.peers()) {
        if (queries.asks(peer)) {
          queried.add(peer);
        }
      }
      if (queried.isEmpty()) {
        then.accept(PeerAnswer.NOBODY);
      } else {
        queries.ask(
            new PeerQuestion(question.url(), question.host(), question.fields(), queried), then);
      }
    }

    /** The first peer that is up, and whose digest has the URL; null: there is none. */
    private @Nullable PeerAnswer find(PeerQuestion question) {
      if (question.fields().has(FieldName.AUTHORIZATION)) {
        return null; // as in Squid: parents may be asked about it, by queries only
      }
      Map<String, PeerDigest> all = digests;
      boolean hashed = false;
      for (Peer peer : question.peers()) {
        PeerDigest digest = all.get(peer.name());
        DigestFilter filter = digest == null ? null : filter(digest);
        if (digest == null || filter == null || !health.alive(digest.peer())) {
          continue;
        }
        if (!hashed) {
          hash.of(question.url());
          hashed = true;
        }
        boolean has = filter.mayHold(hash);
        health.asked(peer.name(), has ? PeerCount.DIGEST_HITS : PeerCount.DIGEST_MISSES);
        if (has) {
          boolean parent = question.isParent(peer);
          HierarchyCode code = parent ? HierarchyCode.CD_PARENT_HIT : HierarchyCode.CD_SIBLING_HIT;
          return new PeerAnswer(peer.name(), code, false);
        }
      }
      return null;
    }

    /** The digest that was fetched last; null: there is none, or it is wanted from now on. */
    private @Nullable DigestFilter filter(PeerDigest digest) {
      if (digest.want()) {
        loop.execute(digest::begin);
      }
      return digest.filter();
    }

    @Override
    public void removed(String url, Removal why) {
      queries.removed(url, why);
    }
  }
}
