package io.loligo.cluster.jgroups;

import java.util.Collection;
import java.util.List;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;

/** The protocols of the engine, and how they are set. Stateless. */
final class Stack {
  private static final long JOIN_MILLIS = 1_000;
  private static final int JOIN_ATTEMPTS = 3;
  private static final long LEAVE_MILLIS = 1_000;
  private static final int HEARTBEATS = 8;
  private static final long VERIFY_MILLIS = 1_000;
  private static final long RESEND_MILLIS = 200;
  private static final int CREDIT_BYTES = 1 << 20;
  private static final int FRAGMENT_BYTES = 60_000;
  private static final int STABLE_BYTES = 1 << 20;
  private static final long STABLE_MILLIS = 10_000;

  private Stack() {}

  /**
   * From the wire to the node.
   *
   * @param places where members are sought: always read again
   * @param bounds of the messages that wait in the protocols
   */
  static List<Protocol> of(
      GroupTransport transport,
      GroupSettings settings,
      Collection<PhysicalAddress> places,
      EngineBounds bounds) {
    transport.set();
    TCPPING search = new TCPPING();
    search.portRange(0).setInitialHosts2(places);
    search.asyncDiscovery(true);
    // a node that knows one other node finds the coordinator by it
    search.returnEntireCache(true);
    long merging = settings.merging().toMillis();
    MERGE3 merge = new MERGE3();
    merge.setMinInterval(Math.max(merging / 3, 1)).setMaxInterval(merging);
    long silence = settings.silence().toMillis();
    FD_ALL3 heartbeats = new FD_ALL3();
    heartbeats.setTimeout(silence).setInterval(silence / HEARTBEATS);
    VERIFY_SUSPECT2 verify = new VERIFY_SUSPECT2();
    verify.setTimeout(Math.min(VERIFY_MILLIS, silence / 2));
    ViewMessages views = new ViewMessages(bounds);
    views.useMcastXmit(false);
    NumberedMessages messages = new NumberedMessages(bounds);
    messages.setXmitInterval(RESEND_MILLIS);
    STABLE stable = new STABLE();
    stable.setDesiredAverageGossip(STABLE_MILLIS).setMaxBytes(STABLE_BYTES);
    GMS members = new GMS();
    members
        .setJoinTimeout(JOIN_MILLIS)
        .setMaxJoinAttempts(JOIN_ATTEMPTS)
        .setLeaveTimeout(LEAVE_MILLIS)
        .printLocalAddress(false);
    UFC credits = new UFC();
    credits.setMaxCredits(CREDIT_BYTES);
    Fragments fragments = new Fragments(bounds);
    fragments.setFragSize(FRAGMENT_BYTES);
    bounds.hold(() -> views.held() + messages.held() + fragments.held());
    return List.of(
        transport,
        search,
        merge,
        heartbeats,
        verify,
        views,
        messages,
        stable,
        members,
        credits,
        fragments);
  }
}
