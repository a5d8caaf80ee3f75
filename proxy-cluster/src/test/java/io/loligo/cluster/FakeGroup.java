package io.loligo.cluster;

import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;

/** A group of one configured node whose messages are lost; a test overrides what it needs. */
public class FakeGroup implements Group {
  private final NodeRun self;
  private Listener listener;

  /** The group as {@code self} sees it; not started. */
  public FakeGroup(NodeRun self) {
    this.self = self;
  }

  /** The listener with which it was started. */
  public final Listener listener() {
    return listener;
  }

  @Override
  public final NodeRun self() {
    return self;
  }

  @Override
  public final void start(Listener told) {
    listener = told;
  }

  @Override
  public void send(NodeRun to, byte[] message) {}

  @Override
  public void announce(Member self) {}

  @Override
  public int configured() {
    return 1;
  }

  @Override
  public void close() {}
}
