package io.loligo.cluster.limits;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Tells the other nodes, once a second, of the requests that passed here, and the limits of this
 * node of those that passed there. Nothing is sent while there is no limit, no request or no other
 * node. Confined to the steps of the node.
 */
public final class SharedLimits implements AutoCloseable {
  static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A limit, and the nodes that told of it. */
  private record Known(SharedLimit limit, Map<NodeRun, TellingPace> paces) {}

  private final Steps steps;
  private final Group group;
  private final Map<Long, Known> limits = new HashMap<>();
  private Set<NodeRun> others = Set.of();
  private boolean ticking;
  private boolean closed;

  /** Without limits. */
  public SharedLimits(Steps steps, Group group) {
    this.steps = steps;
    this.group = group;
  }

  /** Begins. */
  public void start() {
    group.start(new FromGroup());
  }

  /** These limits hold now, in place of those before. */
  public void use(Collection<? extends SharedLimit> now) {
    limits.clear();
    now.forEach(limit -> limits.put(limit.id(), new Known(limit, new HashMap<>())));
    tickLater();
  }

  private void tickLater() {
    if (!ticking && !closed && !limits.isEmpty()) {
      ticking = true;
      steps.schedule(this::tick, PERIOD_NANOS);
    }
  }

  private void tick() {
    ticking = false;
    limits.values().forEach(known -> tell(known.limit()));
    tickLater();
  }

  /** A name that is not among the heaviest waits for a later second, in which it is heavier. */
  private void tell(SharedLimit limit) {
    if (others.isEmpty()) {
      limit.untold(limit::told); // a node that comes later begins with full limits
      return;
    }
    HeaviestNames heaviest = new HeaviestNames();
    limit.untold((name, count) -> heaviest.add(name, Math.min(count, CountsMessage.MAX_COUNT)));
    List<NameCount> names = heaviest.list();
    if (names.isEmpty()) {
      return;
    }
    byte[] message = new CountsMessage(limit.id(), names).encode();
    others.forEach(other -> group.send(other, message));
    names.forEach(name -> limit.told(name.name(), name.count()));
  }

  private final class FromGroup implements Group.Listener {
    @Override
    public void view(View view) {
      NodeRun self = group.self();
      others =
          view.members().stream()
              .map(Member::id)
              .filter(id -> !id.equals(self))
              .collect(Collectors.toUnmodifiableSet());
      limits.values().forEach(known -> known.paces().keySet().retainAll(others));
    }

    @Override
    public void message(NodeRun from, byte[] message) {
      CountsMessage counts = CountsMessage.decode(message);
      Known known = counts == null ? null : limits.get(counts.limit());
      if (counts == null || known == null || !others.contains(from)) {
        return;
      }
      long now = steps.nanos();
      if (known.paces().computeIfAbsent(from, first -> new TellingPace(now)).takes(now)) {
        int nodes = others.size() + 1;
        counts
            .names()
            .forEach(name -> known.limit().passedElsewhere(name.name(), name.count(), nodes));
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    limits.clear();
    group.close();
  }
}
