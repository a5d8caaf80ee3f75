package io.loligo.server.cluster;

import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;

/** A group whose messages a test delivers. */
abstract class FakeGroup implements Group {
  private final NodeRun self;
  private Listener listener;

  /** The group as {@code self} sees it; not started. */
  FakeGroup(NodeRun self) {
    this.self = self;
  }

  /** The listener with which it was started. */
  final Listener listener() {
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
  public void announce(Member changed) {}

  @Override
  public void close() {}
}
