package io.loligo.server.peer.ask;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.route.PeerAnswer;
import io.loligo.server.upstream.route.PeerQuestion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The queries about one request, and the replies so far (RFC 2187 section 5.3). Confined to the
 * event loop of the asker.
 *
 * <pre>
 * waiting   a reply may still decide
 * decided   the first hit, all expected replies, or the time-out; late replies only count
 * </pre>
 */
final class Round {
  private final PeerQuestion question;
  private final Consumer<PeerAnswer> then;
  private final long startNanos;
  private final boolean wantsDistance;
  private final List<Neighbour> unanswered = new ArrayList<>(4);
  private @Nullable Neighbour group;
  private int groupReplies;

  /** Replies for which the request waits. */
  private int expected;

  private boolean decided;

  /** The parent with the shortest time to the origin; null: none told one. */
  private @Nullable Peer closest;

  private int closestMillis;

  /** The parent whose miss counts as the first one; null: none. */
  private @Nullable Peer first;

  private long firstNanos;

  /**
   * A round without queries.
   *
   * @param wantsDistance whether distances that parents tell count
   */
  Round(PeerQuestion question, Consumer<PeerAnswer> then, long startNanos, boolean wantsDistance) {
    this.question = question;
    this.then = then;
    this.startNanos = startNanos;
    this.wantsDistance = wantsDistance;
  }

  long startNanos() {
    return startNanos;
  }

  /** A query is sent to {@code to}. */
  void queried(Neighbour to) {
    if (to.isGroup()) {
      group = to;
      expected += to.isUp() ? to.groupReplies() : 0;
      return;
    }
    unanswered.add(to);
    if (to.isUp()) {
      expected++;
    }
  }

  /** Whether there is a reply to wait for. */
  boolean isExpecting() {
    return expected > 0 || (group != null && group.isUp());
  }

  /** Whether a reply of {@code from} belongs to it. */
  boolean expects(Neighbour from) {
    return unanswered.contains(from) || (group != null && from.line().querying().answersGroup());
  }

  /** The multicast group that was asked; null: none. */
  @Nullable Neighbour group() {
    return group;
  }

  /** The peers that have not answered. */
  List<Neighbour> unanswered() {
    return unanswered;
  }

  /** Replies of members of the group. */
  int groupReplies() {
    return groupReplies;
  }

  boolean isDecided() {
    return decided;
  }

  /**
   * A reply that it {@link #expects}.
   *
   * @param wasUp whether it was waited for
   * @param nanos since the round began
   * @param distanceMillis of the peer to the origin; 0: unknown
   */
  void replied(Neighbour from, boolean wasUp, Reply reply, long nanos, int distanceMillis) {
    boolean direct = unanswered.remove(from);
    if (!direct) {
      groupReplies++;
    }
    if (decided) {
      return;
    }
    boolean parent = question.isParent(from.line());
    if (reply == Reply.HIT) {
      HierarchyCode code = parent ? HierarchyCode.PARENT_HIT : HierarchyCode.SIBLING_HIT;
      decide(new PeerAnswer(from.line().name(), code, false));
      return;
    }
    if (reply == Reply.MISS && parent) {
      missed(from.line(), nanos, distanceMillis);
    }
    boolean knownGroup = group == null || !group.isUp() || group.groupReplies() > 0;
    if ((!direct || wasUp) && --expected <= 0 && knownGroup) {
      decide(best(false));
    }
  }

  private void missed(Peer parent, long nanos, int distanceMillis) {
    if (wantsDistance
        && distanceMillis > 0
        && (closest == null || distanceMillis < closestMillis)) {
      closest = parent;
      closestMillis = distanceMillis;
    }
    if (parent.querying().closestOnly()) {
      return;
    }
    long base = TimeUnit.MILLISECONDS.toNanos(parent.querying().baseMillis());
    long weighted = Math.max(0, (nanos - base) / parent.weight());
    if (first == null || weighted < firstNanos) {
      first = parent;
      firstNanos = weighted;
    }
  }

  /** The time for replies is over. */
  void timedOut() {
    if (!decided) {
      decide(best(true));
    }
  }

  /** Nobody is waited for. */
  void giveUp() {
    if (!decided) {
      decide(PeerAnswer.NOBODY);
    }
  }

  private PeerAnswer best(boolean late) {
    if (closest != null) {
      return new PeerAnswer(closest.name(), HierarchyCode.CLOSEST_PARENT_MISS, late, closestMillis);
    }
    return first != null
        ? new PeerAnswer(first.name(), HierarchyCode.FIRST_PARENT_MISS, late)
        : new PeerAnswer(null, HierarchyCode.HIER_NONE, late);
  }

  private void decide(PeerAnswer answer) {
    decided = true;
    then.accept(answer);
  }
}
