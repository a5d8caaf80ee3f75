package io.loligo.cluster.group;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One group for several parts of a node, which do not know each other: each has a number, and gets
 * the views and the messages of its number. Confined to the steps of the node.
 */
public final class Channels implements Group.Listener {
  private static final int MAX_NUMBER = 127;

  private final Group group;

  /** By their numbers, which is the order in which they are told of a view. */
  private final Map<Integer, Group.Listener> listeners = new TreeMap<>();

  /** Null before the first one. */
  private @Nullable View view;

  /** Takes {@code group}, which has not begun. */
  public Channels(Group group) {
    this.group = group;
  }

  /** Begins. */
  public void start() {
    group.start(this);
  }

  /**
   * The group as the part with this number sees it. Its {@code start} begins only what this part is
   * told; its {@code close} ends that.
   *
   * @param number 0 to 127, the same on all nodes
   */
  public Group channel(int number) {
    if (number < 0 || number > MAX_NUMBER) {
      throw new IllegalArgumentException("number: " + number + " (expected: 0 to 127)");
    }
    return new Channel(number);
  }

  @Override
  public void view(View now) {
    view = now;
    tell(listener -> listener.view(now));
  }

  @Override
  public void merged() {
    tell(Group.Listener::merged);
  }

  /** Tells all parts, and then throws the first failure of one. */
  private void tell(Consumer<Group.Listener> news) {
    RuntimeException failure = null;
    for (Group.Listener listener : List.copyOf(listeners.values())) {
      try {
        news.accept(listener);
      } catch (RuntimeException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public void message(NodeRun from, byte[] message) {
    Group.Listener listener = message.length == 0 ? null : listeners.get((int) message[0]);
    if (listener != null) {
      listener.message(from, Arrays.copyOfRange(message, 1, message.length));
    }
  }

  private final class Channel implements Group {
    private final int number;

    Channel(int number) {
      this.number = number;
    }

    @Override
    public NodeRun self() {
      return group.self();
    }

    @Override
    public void start(Listener listener) {
      listeners.put(number, listener);
      View known = view;
      if (known != null) {
        listener.view(known);
      }
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      byte[] numbered = new byte[message.length + 1];
      numbered[0] = (byte) number;
      System.arraycopy(message, 0, numbered, 1, message.length);
      group.send(to, numbered);
    }

    @Override
    public void announce(Member self) {
      group.announce(self);
    }

    @Override
    public int configured() {
      return group.configured();
    }

    @Override
    public boolean isConfigured(Member member) {
      return group.isConfigured(member);
    }

    @Override
    public void close() {
      listeners.remove(number);
    }
  }
}
