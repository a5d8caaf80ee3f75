package io.loligo.cluster.configuration;

import io.loligo.cluster.Steps;
import io.loligo.cluster.configuration.ConfigurationState.OfNode;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Announces the configuration of this node, and compares those of all members. A message goes to
 * all others when the configuration or the members change, and again each {@value #AGAIN_SECONDS} s
 * for those that got none. Confined to the steps of the node.
 */
public final class Configurations implements AutoCloseable {
  /** A node may differ so long without an alarm: the nodes are reloaded one after the other. */
  static final int PATIENCE_SECONDS = 60;

  private static final int AGAIN_SECONDS = 30;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(AGAIN_SECONDS);

  /** A configuration, and when it changed last by the clock of this node. */
  private record Known(Configuration configuration, long changedNanos) {}

  private final Steps steps;
  private final Group group;
  private final Consumer<ConfigurationState> listener;
  private final Map<NodeRun, Known> known = new HashMap<>();

  /** Since when a node differs from most. */
  private final Map<NodeRun, Long> differs = new HashMap<>();

  private Set<NodeRun> others = Set.of();
  private @Nullable Runnable nextLook;
  private boolean closed;

  /**
   * Announces {@code own} from {@link #start} on.
   *
   * @param listener told of each change, on the steps
   */
  public Configurations(
      Steps steps, Group group, Configuration own, Consumer<ConfigurationState> listener) {
    this.steps = steps;
    this.group = group;
    this.listener = listener;
    known.put(group.self(), new Known(own, steps.nanos()));
  }

  /** Begins. */
  public void start() {
    group.start(new FromGroup());
    steps.schedule(this::again, AGAIN_NANOS);
  }

  private void again() {
    if (!closed) {
      announce();
      steps.schedule(this::again, AGAIN_NANOS);
    }
  }

  /** {@code own} is in force here. */
  public void use(Configuration own) {
    Known before = known.get(group.self());
    if (before == null || !before.configuration().equals(own)) {
      known.put(group.self(), new Known(own, steps.nanos()));
      announce();
      look();
    }
  }

  private void announce() {
    others.forEach(this::announceTo);
  }

  private void announceTo(NodeRun other) {
    Known own = known.get(group.self());
    assert own != null : "it is never removed";
    long age = TimeUnit.NANOSECONDS.toSeconds(steps.nanos() - own.changedNanos());
    int seconds = (int) Math.min(Integer.MAX_VALUE, age);
    group.send(other, new ConfigurationMessage(seconds, own.configuration()).encode());
  }

  private void look() {
    Runnable waiting = nextLook;
    if (waiting != null) {
      waiting.run();
      nextLook = null;
    }
    Configuration most = most();
    long now = steps.nanos();
    long soonest = Long.MAX_VALUE;
    Map<NodeRun, OfNode> nodes = new HashMap<>();
    for (Map.Entry<NodeRun, Known> one : known.entrySet()) {
      NodeRun node = one.getKey();
      Configuration its = one.getValue().configuration();
      boolean same = its.hash() == most.hash();
      long left = Long.MAX_VALUE;
      if (same) {
        differs.remove(node);
      } else {
        left = differs.computeIfAbsent(node, first -> now) + PATIENCE_NANOS - now;
      }
      boolean alarmed = !same && left <= 0;
      soonest = Math.min(soonest, alarmed ? Long.MAX_VALUE : left);
      List<String> in = same ? List.of() : its.differences(most);
      nodes.put(node, new OfNode(its.hash(), one.getValue().changedNanos(), in, alarmed));
    }
    if (soonest != Long.MAX_VALUE && !closed) {
      nextLook = steps.schedule(this::due, soonest);
    }
    long different =
        known.values().stream().map(each -> each.configuration().hash()).distinct().count();
    listener.accept(new ConfigurationState((int) different, Map.copyOf(nodes)));
  }

  private void due() {
    nextLook = null;
    look();
  }

  /**
   * The one that most nodes have; of those that equally many have, the one with the lowest hash.
   */
  private Configuration most() {
    Map<Long, Integer> counts = new HashMap<>();
    known.values().forEach(one -> counts.merge(one.configuration().hash(), 1, Integer::sum));
    Configuration most = null;
    for (Known one : known.values()) {
      Configuration its = one.configuration();
      if (most == null) {
        most = its;
        continue;
      }
      int more = counts.getOrDefault(its.hash(), 0) - counts.getOrDefault(most.hash(), 0);
      if (more > 0 || (more == 0 && its.hash() < most.hash())) {
        most = its;
      }
    }
    assert most != null : "that of this node is known";
    return most;
  }

  private final class FromGroup implements Group.Listener {
    @Override
    public void view(View view) {
      NodeRun self = group.self();
      Set<NodeRun> now =
          view.members().stream()
              .map(Member::id)
              .filter(id -> !id.equals(self))
              .collect(Collectors.toUnmodifiableSet());
      known.keySet().removeIf(id -> !id.equals(self) && !now.contains(id));
      differs.keySet().retainAll(known.keySet());
      if (!now.equals(others)) {
        others = now;
        announce();
      }
      look();
    }

    @Override
    public void message(NodeRun from, byte[] message) {
      ConfigurationMessage told = ConfigurationMessage.decode(message);
      if (told == null || !others.contains(from)) {
        return;
      }
      Known before = known.get(from);
      if (before == null || !before.configuration().equals(told.configuration())) {
        long age = TimeUnit.SECONDS.toNanos(told.ageSeconds());
        known.put(from, new Known(told.configuration(), steps.nanos() - age));
        if (before == null) {
          announceTo(from); // it may have had no view with this node when this one announced
        }
        look();
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    group.close();
  }
}
