package io.loligo.cluster.purges;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.NodeRun;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets the purges that this node missed. Confined to the steps; {@link #isCaughtUp} also from other
 * threads.
 *
 * <p>A purge that another node has is <em>wanted</em>. It is pulled from a member that retains it,
 * in one batch at a time; a member that does not answer is tried again after the others. If no
 * member retains it, all stored responses are validated before their next use, which replaces all
 * purges that are wanted then. That waits until all members have said what they retain, for {@link
 * ReplicationLimits#answerNanos} at most.
 */
final class MissedPurges {
  /** Purges given to the store that it has not confirmed; beyond, none are taken. */
  static final int MAX_UNCONFIRMED = 2_048;

  /** The part of a node that catching up needs. */
  interface Node {
    void send(NodeRun to, PurgeMessage message);

    /**
     * Asks the store to validate everything, until it confirms; then calls {@code then} on a step.
     *
     * @param upTo the purges that this replaces
     */
    void revalidateAll(Map<NodeRun, Long> upTo, Runnable then);

    /** Everything stored is validated, which replaces purges of {@code stream}. */
    void cover(NodeRun stream, long upTo);
  }

  private static final class Want {
    private long upTo;

    /** Before, the purge is probably on its way. */
    private long missingFromNanos;

    private long sinceNanos;

    /** Members that may have it, with the first number that they retain; asked in this order. */
    private final Map<NodeRun, Long> sources = new LinkedHashMap<>();

    private @Nullable NodeRun source(long from) {
      for (Map.Entry<NodeRun, Long> source : sources.entrySet()) {
        if (source.getValue() <= from) {
          return source.getKey();
        }
      }
      return null;
    }
  }

  private record Pulling(NodeRun stream, NodeRun source, long from, long deadlineNanos) {}

  private final Steps steps;
  private final ReplicationLimits limits;
  private final PurgeLog log;
  private final Node node;
  private final Map<NodeRun, Want> wants = new LinkedHashMap<>();

  /** Members that came a moment ago and have not said how far they are. */
  private final Set<NodeRun> unheard = new HashSet<>();

  /** The same, however long ago: while most members are new, this node is not caught up. */
  private final Set<NodeRun> silent = new HashSet<>();

  private Set<NodeRun> members = Set.of();

  /**
   * Most members are new to this node: it was away, or is new itself. It is until all have said how
   * far they are, also if they come one after the other.
   */
  private boolean arriving;

  private long unheardUntilNanos;
  private @Nullable Pulling pulling;
  private boolean revalidating;
  private @Nullable Runnable timer;

  private volatile boolean caughtUp = true;

  MissedPurges(Steps steps, ReplicationLimits limits, PurgeLog log, Node node) {
    this.steps = steps;
    this.limits = limits;
    this.log = log;
    this.node = node;
    unheardUntilNanos = steps.nanos();
  }

  boolean isCaughtUp() {
    return caughtUp;
  }

  /** Purges known to be missing. */
  long lag() {
    long lag = 0;
    for (Map.Entry<NodeRun, Want> want : wants.entrySet()) {
      lag += Math.max(0, want.getValue().upTo - received(want.getKey()));
    }
    return lag;
  }

  /**
   * The members are others.
   *
   * @param others without this node
   * @param fresh those of them that were not members before
   */
  void view(Set<NodeRun> others, Set<NodeRun> fresh) {
    members = others;
    unheard.retainAll(others);
    unheard.addAll(fresh);
    silent.retainAll(others);
    if (!fresh.isEmpty()) {
      boolean mostAreNew = 2 * fresh.size() > others.size();
      arriving = mostAreNew || (arriving && !silent.isEmpty());
      silent.addAll(fresh);
      unheardUntilNanos = steps.nanos() + limits.answerNanos();
    }
    wants.values().forEach(want -> want.sources.keySet().retainAll(others));
    Pulling pull = pulling;
    if (pull != null && !others.contains(pull.source())) {
      pulling = null;
    }
    next();
  }

  /**
   * A member said how far it is.
   *
   * @param isAnswer as that of {@link #heardAll}
   */
  void heard(NodeRun from, PurgeMessage.Vector vector, boolean isAnswer) {
    if (!members.contains(from)) {
      return;
    }
    boolean settled = isSettled(from);
    if (vector.complete() && counts(from, isAnswer)) {
      wants.values().forEach(want -> want.sources.remove(from));
    }
    for (PurgeMessage.Position position : vector.positions()) {
      position(from, position, vector.complete() && settled);
    }
    Pulling pull = pulling;
    if (pull != null && pull.source().equals(from) && !vector.complete()) {
      pulling = null;
    }
    next();
  }

  /**
   * A member said how far it is in some streams.
   *
   * @param wanted gets those of them of which purges are wanted
   */
  void heardSome(NodeRun from, List<PurgeMessage.Position> positions, Set<NodeRun> wanted) {
    if (members.contains(from)) {
      boolean settled = isSettled(from);
      for (PurgeMessage.Position position : positions) {
        if (position(from, position, settled)) {
          wanted.add(position.stream());
        }
      }
      next();
    }
  }

  /**
   * A member has said all that it has.
   *
   * @param isAnswer whether it said so after it was asked; else that may be from before it became a
   *     member
   * @param wanted streams of which it has purges that are wanted
   */
  void heardAll(NodeRun from, boolean isAnswer, Set<NodeRun> wanted) {
    if (members.contains(from) && counts(from, isAnswer)) {
      wants.forEach(
          (stream, want) -> {
            if (!wanted.contains(stream)) {
              want.sources.remove(from);
            }
          });
      next();
    }
  }

  /** Members that have not answered since they are members. A new set. */
  Set<NodeRun> silent() {
    return new HashSet<>(silent);
  }

  private boolean counts(NodeRun from, boolean isAnswer) {
    if (isAnswer) {
      unheard.remove(from);
      silent.remove(from);
    }
    return !silent.contains(from);
  }

  /**
   * Whether a purge of which {@code from} tells is probably on its way. After a view change it may
   * be one that was missed, also if the member has been heard: a message from before the change can
   * arrive after it, and say less.
   */
  private boolean isSettled(NodeRun from) {
    return !unheard.contains(from) && steps.nanos() - unheardUntilNanos >= 0;
  }

  /** Whether purges of the stream are wanted of {@code from}. */
  private boolean position(NodeRun from, PurgeMessage.Position position, boolean usual) {
    NodeRun stream = position.stream();
    if (position.applied() > received(stream)) {
      boolean onItsWay = usual && members.contains(stream);
      want(stream, position.applied(), onItsWay ? limits.retryNanos() / 2 : 0)
          .sources
          .put(from, position.firstRetained());
      return true;
    }
    Want want = wants.get(stream);
    if (want != null) {
      want.sources.remove(from);
    }
    return false;
  }

  /** Up to which number purges of {@code stream} are wanted; 0: none. */
  long wanted(NodeRun stream) {
    Want want = wants.isEmpty() ? null : wants.get(stream);
    return want == null ? 0 : want.upTo;
  }

  /** Tells each stream of which purges are wanted, and up to which number. */
  void forEachWanted(ObjLongConsumer<NodeRun> told) {
    wants.forEach((stream, want) -> told.accept(stream, want.upTo));
  }

  /** A member sent purges that cannot be taken yet, because others before them are missing. */
  void gap(NodeRun from, NodeRun stream, long upTo) {
    if (members.contains(from)) {
      want(stream, upTo, 0).sources.putIfAbsent(from, 1L);
      next();
    }
  }

  /** Purges of {@code stream} came. */
  void came(NodeRun stream) {
    Pulling pull = pulling;
    if (pull != null && pull.stream().equals(stream) && received(stream) >= pull.from()) {
      pulling = null;
    }
    if (!wants.isEmpty()) {
      next();
    }
  }

  /** The store confirmed purges. */
  void confirmed() {
    if (!wants.isEmpty()) {
      next();
    }
  }

  /** Validates everything, because this node's own journal lacks purges. */
  void distrustJournal(Map<NodeRun, Long> upTo) {
    revalidate(upTo);
    next();
  }

  void close() {
    Runnable scheduled = timer;
    if (scheduled != null) {
      scheduled.run();
    }
  }

  private Want want(NodeRun stream, long upTo, long graceNanos) {
    long now = steps.nanos();
    Want want = wants.get(stream);
    if (want == null) {
      want = new Want();
      want.sinceNanos = now;
      want.missingFromNanos = now + graceNanos;
      wants.put(stream, want);
    }
    want.upTo = Math.max(want.upTo, upTo);
    if (graceNanos == 0 && want.missingFromNanos - now > 0) {
      want.missingFromNanos = now;
    }
    return want;
  }

  private long received(NodeRun stream) {
    Stream known = log.stream(stream);
    return known == null ? 0 : known.received();
  }

  private void next() {
    long now = steps.nanos();
    if (!unheard.isEmpty() && now - unheardUntilNanos >= 0) {
      unheard.clear();
    }
    wants.entrySet().removeIf(want -> want.getValue().upTo <= received(want.getKey()));
    Pulling pull = pulling;
    if (pull != null && !wants.containsKey(pull.stream())) {
      pulling = null;
    } else if (pull != null && now - pull.deadlineNanos() >= 0) {
      tryLast(pull);
      pulling = null;
    }
    if (!revalidating) {
      proceed(now);
    }
    tell(now);
  }

  /** Asks the others before a member that did not answer. */
  private void tryLast(Pulling pull) {
    Want want = wants.get(pull.stream());
    Long first = want == null ? null : want.sources.remove(pull.source());
    if (want != null && first != null) {
      want.sources.put(pull.source(), first);
    }
  }

  private void proceed(long now) {
    boolean lost = false;
    for (Map.Entry<NodeRun, Want> entry : wants.entrySet()) {
      Want want = entry.getValue();
      boolean due = now - want.missingFromNanos >= 0;
      if (due && want.source(received(entry.getKey()) + 1) == null) {
        lost |= unheard.isEmpty() || now - want.sinceNanos >= limits.answerNanos();
      } else if (due && pulling == null && hasRoom(entry.getKey())) {
        pull(entry.getKey(), want, now);
      }
    }
    if (lost) {
      Map<NodeRun, Long> upTo = new LinkedHashMap<>();
      wants.forEach((stream, want) -> upTo.put(stream, want.upTo));
      revalidate(upTo);
    }
  }

  private boolean hasRoom(NodeRun stream) {
    Stream known = log.stream(stream);
    return known == null || known.received() - known.applied() < MAX_UNCONFIRMED / 2;
  }

  private void pull(NodeRun stream, Want want, long now) {
    long from = received(stream) + 1;
    NodeRun source = want.source(from);
    if (source != null) {
      pulling = new Pulling(stream, source, from, now + limits.retryNanos());
      node.send(source, new PurgeMessage.Pull(stream, from));
    }
  }

  private void revalidate(Map<NodeRun, Long> upTo) {
    revalidating = true;
    pulling = null;
    node.revalidateAll(
        upTo,
        () -> {
          upTo.forEach(node::cover);
          revalidating = false;
          next();
        });
  }

  /** Says whether this node is caught up, and comes back when time changes something. */
  private void tell(long now) {
    Runnable scheduled = timer;
    if (scheduled != null) {
      scheduled.run();
      timer = null;
    }
    boolean waits = arriving && !silent.isEmpty();
    long wake = unheard.isEmpty() ? Long.MAX_VALUE : unheardUntilNanos - now;
    for (Want want : wants.values()) {
      boolean due = now - want.missingFromNanos >= 0;
      waits |= due;
      wake = Math.min(wake, due ? limits.retryNanos() : want.missingFromNanos - now);
    }
    if (wake != Long.MAX_VALUE) {
      timer =
          steps.schedule(
              () -> {
                timer = null;
                next();
              },
              Math.max(1, wake));
    }
    caughtUp = !waits && !revalidating;
  }
}
