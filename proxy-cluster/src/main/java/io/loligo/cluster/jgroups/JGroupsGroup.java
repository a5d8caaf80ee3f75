package io.loligo.cluster.jgroups;

import io.loligo.cluster.Steps;
import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.discovery.Discovery;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The group on JGroups. Confined to the steps of the node, except for what the constructor gives
 * away to threads of the engine, which only post steps.
 *
 * <p>The view of the engine has addresses only. Each member tells the others its facts, and a view
 * goes to the listener when all facts are known, or after a time with those that are known.
 */
public final class JGroupsGroup implements Group {
  /**
   * Version of the messages between nodes. Raise it when their meaning changes. 2: members compare
   * sums of their streams of purges. 3: an answer about these repeats the number of its question.
   * 4: the messages are those of 3, and a peer port in clear text takes HTTP/2.
   */
  public static final int PROTOCOL = 4;

  private static final Logger LOG = LoggerFactory.getLogger(JGroupsGroup.class);
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int MAX_KNOWN = 1_024;
  private static final long MAX_HELD_BYTES = 8L << 20;

  /** Of a message that is held, beside its content. */
  private static final int HELD_BYTES = 64;

  private static final long QUIET_NANOS = 60 * SECOND_NANOS;
  private static final long IDLE_SECONDS = 10;

  /** Between two tries to bind a port that another process has. */
  private static final long AGAIN_NANOS = 200_000_000L;

  private final GroupSettings settings;
  private final Steps steps;
  private final AddressSource source;
  private final Discovery discovery;
  private final Engine engine;
  private final CompletableFuture<Void> left = new CompletableFuture<>();

  /** Threads that send, one for each member that has something to get. */
  private final ExecutorService senders;

  private final LinkedHashMap<Address, MemberFacts> known = new LinkedHashMap<>();
  private final Map<Address, Outbox> outboxes = new LinkedHashMap<>();
  private final Set<Address> overrun = new HashSet<>();

  /** Members that send more than this node carries out; dropped until it has. */
  private final Set<Address> flooding = new HashSet<>();

  private final Set<NodeRun> refused = new HashSet<>();

  /** Messages of members that are not in the view yet. */
  private final List<Held> held = new ArrayList<>();

  private long heldBytes;
  private Member own;
  private Listener listener = new NoListener();
  private List<Address> members = List.of();
  private Map<Address, Member> reported = Map.of();
  private Set<InetSocketAddress> discovered = Set.of();

  /** Whether the source has answered since the start. */
  private boolean answered;

  private long views;
  private boolean floodLogged;
  private long floodLoggedNanos;

  /** Addresses of the last view that had all discovered ones; empty: there was none. */
  private Set<InetSocketAddress> complete = Set.of();

  private boolean closed;

  /** Whether parts of the group have become one since the last report. */
  private boolean unheardMerge;

  /** Takes the wait for facts, or the next question for them, back. */
  private Runnable asking = () -> {};

  private record Held(Address from, byte[] message) {}

  private static final class NoListener implements Listener {
    @Override
    public void view(View view) {}

    @Override
    public void message(NodeRun from, byte[] message) {}
  }

  /**
   * Binds the port, unless {@code binds} is false.
   *
   * @param own this node; its address is that of {@code settings}
   * @param binds false: another process has the port yet, and it is bound when that releases it
   * @throws IOException if the port, or the certificate, cannot be used
   */
  public JGroupsGroup(
      GroupSettings settings, Member own, AddressSource source, Steps steps, boolean binds)
      throws IOException {
    this.settings = settings;
    this.own = own;
    this.source = source;
    this.steps = steps;
    discovery = new Discovery(source);
    AtomicInteger count = new AtomicInteger();
    senders =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> {
              Thread made = new Thread(task, "loligo-cluster-send-" + count.incrementAndGet());
              made.setDaemon(true);
              return made;
            });
    engine = new Engine(binds, steps::nanos);
  }

  /** The engine, and its calls. Thread-safe. */
  private final class Engine implements Receiver {
    /** Of new connections; null: clear text. */
    private volatile @Nullable SSLContext secured;

    private final List<PhysicalAddress> places = new CopyOnWriteArrayList<>();
    private final LongSupplier nanos;

    /** What waits for the steps, for each member. */
    private final Map<Address, Inbox> inboxes = new ConcurrentHashMap<>();

    /** The same of all that are no members. */
    private final Inbox strangers = new Inbox(() -> {}, () -> {});

    private final EngineBounds bounds = new EngineBounds();

    /** Null: the port is not bound yet. */
    private volatile @Nullable GroupSockets sockets;

    private volatile @Nullable JChannel channel;
    private volatile boolean ended;

    Engine(boolean binds, LongSupplier nanos) throws IOException {
      EngineLog.install();
      this.nanos = nanos;
      GroupTls tls = settings.tls();
      secured = tls == null ? null : context(tls);
      if (binds) {
        sockets = new GroupSockets(settings.listen(), () -> secured);
      }
      InetSocketAddress listen = settings.listen();
      places.add(new IpAddress(listen.getAddress(), listen.getPort()));
    }

    void join() {
      GroupSockets bound = bound();
      if (bound == null) {
        return;
      }
      try {
        GroupTransport transport = new GroupTransport(bound, new Refusals(nanos), bounds);
        JChannel made = new JChannel(Stack.of(transport, settings, places, bounds));
        transport.set(); // the engine has read properties of the JVM
        made.setName(own.name());
        made.setDiscardOwnMessages(true);
        made.setReceiver(this);
        channel = made;
        if (!ended) {
          made.connect(settings.name());
        }
      } catch (Exception e) {
        if (!ended) {
          LOG.error(
              "the group of the cluster does not work, this node stays alone; next: report this"
                  + " defect, with the trace, and restart",
              e);
        }
      }
    }

    /** Waits for the port, if another process has it. Null: it has ended before. */
    private @Nullable GroupSockets bound() {
      while (!ended) {
        GroupSockets bound = sockets;
        if (bound != null) {
          return bound;
        }
        try {
          sockets = new GroupSockets(settings.listen(), () -> secured);
        } catch (IOException taken) {
          LockSupport.parkNanos(AGAIN_NANOS);
        }
      }
      return null;
    }

    void leave() {
      JChannel last = channel;
      if (last != null) {
        last.close();
      }
      GroupSockets bound = sockets;
      if (bound != null) {
        bound.close();
      }
    }

    void seek(Collection<InetSocketAddress> addresses) {
      List<PhysicalAddress> wanted = new ArrayList<>();
      for (InetSocketAddress address : addresses) {
        wanted.add(new IpAddress(address.getAddress(), address.getPort()));
      }
      InetSocketAddress listen = settings.listen();
      PhysicalAddress here = new IpAddress(listen.getAddress(), listen.getPort());
      if (!wanted.contains(here)) {
        wanted.add(here);
      }
      places.addAll(wanted.stream().filter(place -> !places.contains(place)).toList());
      places.retainAll(wanted);
    }

    void send(Address to, byte[] message) {
      JChannel current = channel;
      if (current == null) {
        return;
      }
      try {
        current.send(new BytesMessage(to, message));
      } catch (Exception e) {
        LOG.debug("a message to {} is lost", to, e);
      }
    }

    boolean isSelf(Address address) {
      JChannel current = channel;
      return current != null && address.equals(current.getAddress());
    }

    @Override
    public void viewAccepted(org.jgroups.View view) {
      List<Address> agreed = List.copyOf(view.getMembers());
      inboxes
          .entrySet()
          .removeIf(box -> !agreed.contains(box.getKey()) && box.getValue().isEmpty());
      agreed.forEach(
          member ->
              inboxes.computeIfAbsent(
                  member, from -> new Inbox(() -> flooded(from), () -> taken(from))));
      boolean merged = view instanceof MergeView;
      steps.execute(() -> agreed(agreed, merged));
    }

    @Override
    public void receive(Message message) {
      Address from = message.getSrc();
      byte[] array = message.getArray();
      if (array == null) {
        return;
      }
      int length = message.getLength();
      Inbox box = inboxes.getOrDefault(from, strangers);
      Inbox.Fate fate = box.add(length);
      if (fate == Inbox.Fate.WAITS) {
        int offset = message.getOffset();
        byte[] bytes = Arrays.copyOfRange(array, offset, offset + length);
        steps.execute(
            () -> {
              try {
                received(from, bytes);
              } finally {
                box.done(length);
              }
            });
        return;
      }
      bounds.dropped(null);
      if (fate == Inbox.Fate.FIRST_DROPPED) {
        steps.execute(box::full);
      }
    }
  }

  /** For tests: the engine; null: it has not begun. */
  @Nullable JChannel channel() {
    return engine.channel;
  }

  /** For tests: bytes that wait in the engine. Any thread. */
  long held() {
    return engine.bounds.held();
  }

  /** Messages that were dropped since the start, because they were too many. Any thread. */
  public long droppedMessages() {
    return engine.bounds.droppedMessages();
  }

  /**
   * Connections that were closed since the start, because their node sent what no node sends. Any
   * thread.
   */
  public long closedConnections() {
    return engine.bounds.closedConnections();
  }

  private static SSLContext context(GroupTls tls) throws IOException {
    try {
      return tls.context();
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificate cannot be used: " + e.getMessage(), e);
    }
  }

  /**
   * Other certificates for connections that begin later. Any thread.
   *
   * @return puts them in force; any thread
   * @throws IOException if they cannot be used
   */
  public Runnable renewed(GroupTls tls) throws IOException {
    SSLContext made = context(tls);
    return () -> engine.secured = made;
  }

  /** Completes when this node has left, after {@link #close}. */
  public CompletableFuture<Void> left() {
    return left;
  }

  @Override
  public NodeRun self() {
    return own.id();
  }

  @Override
  public void start(Listener told) {
    listener = told;
    steps.execute(this::report);
    discovery.start(settings.discovering(), found -> steps.execute(() -> discovered(found)));
    senders.execute(engine::join);
  }

  private void discovered(Set<InetSocketAddress> found) {
    int before = configured();
    discovered = found;
    answered = true;
    engine.seek(found);
    countComplete();
    if (configured() != before) {
      report();
    }
  }

  private void agreed(List<Address> agreed, boolean merged) {
    if (closed) {
      return;
    }
    unheardMerge |= merged;
    forget(agreed);
    members = agreed;
    outboxes
        .entrySet()
        .removeIf(
            box -> {
              boolean gone = !agreed.contains(box.getKey());
              if (gone) {
                box.getValue().close();
              }
              return gone;
            });
    overrun.retainAll(agreed);
    flooding.retainAll(agreed);
    tell();
    asking.run();
    if (unknown().isEmpty()) {
      report();
      return;
    }
    long bound = steps.nanos() + settings.factsWait().toNanos();
    askLater(bound);
  }

  /**
   * A member that is gone and comes back tells its facts first. Until then messages of it may come
   * that were lost and sent again, from before it was gone.
   */
  private void forget(List<Address> agreed) {
    for (Address member : members) {
      if (!agreed.contains(member)) {
        known.remove(member);
        dropHeld(member);
      }
    }
  }

  private void dropHeld(Address from) {
    if (held.removeIf(waiting -> waiting.from().equals(from))) {
      heldBytes = held.stream().mapToLong(JGroupsGroup::bytes).sum();
    }
  }

  private static long bytes(Held waiting) {
    return (long) HELD_BYTES + waiting.message().length;
  }

  private void askLater(long boundNanos) {
    long wait = Math.min(SECOND_NANOS, Math.max(boundNanos - steps.nanos(), SECOND_NANOS / 10));
    asking = steps.schedule(() -> ask(boundNanos), wait);
  }

  private void ask(long boundNanos) {
    List<Address> unknown = unknown();
    if (unknown.isEmpty() || closed) {
      return;
    }
    unknown.forEach(member -> post(member, new GroupFrame(GroupFrame.ASK, GroupFrame.NOTHING)));
    if (boundNanos - steps.nanos() <= 0) {
      report();
      asking = steps.schedule(() -> ask(boundNanos), SECOND_NANOS);
    } else {
      askLater(boundNanos);
    }
  }

  private List<Address> unknown() {
    return members.stream().filter(m -> !engine.isSelf(m) && !known.containsKey(m)).toList();
  }

  /** Tells all other members the facts of this one. */
  private void tell() {
    GroupFrame facts =
        new GroupFrame(GroupFrame.FACTS, new MemberFacts(own, MemberFacts.OLDEST).written());
    for (Address member : members) {
      if (!engine.isSelf(member)) {
        post(member, facts);
      }
    }
  }

  private void post(Address to, GroupFrame frame) {
    Outbox box =
        outboxes.computeIfAbsent(
            to,
            member ->
                new Outbox(
                    senders,
                    message -> engine.send(member, message),
                    () -> steps.execute(() -> free(member))));
    if (!box.add(frame) && overrun.add(to)) {
      LOG.warn(
          "a member of the cluster does not take its messages, it is left out until it does;"
              + " next: look at {}",
          to);
      report();
    }
  }

  private void free(Address member) {
    if (!closed && overrun.remove(member)) {
      tell();
      report();
    }
  }

  /**
   * Messages of a member are lost: as after every loss, it is in no view until it can be heard
   * again, and then it is a new member to the parts of this node.
   */
  private void flooded(Address member) {
    if (!closed && members.contains(member) && flooding.add(member)) {
      long now = steps.nanos();
      if (!floodLogged || now - floodLoggedNanos >= QUIET_NANOS) {
        floodLogged = true;
        floodLoggedNanos = now;
        LOG.warn(
            "a member of the cluster sends more than this node can take, it is left out for a"
                + " moment; messages dropped since the start: {}; next: look at {}, and at the"
                + " CPU of this node",
            engine.bounds.droppedMessages(),
            member);
      }
      report();
    }
  }

  private void taken(Address member) {
    if (!closed && flooding.remove(member)) {
      post(member, new GroupFrame(GroupFrame.ASK, GroupFrame.NOTHING)); // may have changed since
      report();
    }
  }

  private void received(Address from, byte[] message) {
    if (closed) {
      return;
    }
    for (GroupFrame frame : GroupFrames.read(message)) {
      switch (frame.kind()) {
        case GroupFrame.FACTS -> facts(from, frame.content());
        case GroupFrame.ASK ->
            post(
                from,
                new GroupFrame(
                    GroupFrame.FACTS, new MemberFacts(own, MemberFacts.OLDEST).written()));
        case GroupFrame.MESSAGE -> message(from, frame.content());
        default -> LOG.debug("a message of kind {} from {}", frame.kind(), from);
      }
    }
  }

  private void facts(Address from, byte[] content) {
    MemberFacts facts = MemberFacts.read(content);
    if (facts == null) {
      LOG.debug("{} has facts that cannot be read", from);
      return;
    }
    if (!reported.containsKey(from)) {
      dropHeld(from); // it has told its facts since it sees this node as a member
    }
    MemberFacts before = known.put(from, facts);
    if (known.size() > MAX_KNOWN) {
      known.keySet().removeIf(member -> !members.contains(member));
    }
    if (facts.fits(own.protocol())) {
      if (!facts.equals(before) && members.contains(from) && unknown().isEmpty()) {
        asking.run();
        report();
      }
    } else if (refused.size() < MAX_KNOWN && refused.add(facts.member().id())) {
      LOG.warn(
          "the member {} at {} speaks version {} of the cluster's protocol, this node {}: it is"
              + " left out; next: run versions of the program that are neighbours",
          facts.member().name(),
          facts.member().address(),
          facts.member().protocol(),
          own.protocol());
      report();
    }
  }

  private void message(Address from, byte[] content) {
    Member sender = reported.get(from);
    if (sender != null) {
      listener.message(sender.id(), content);
      return;
    }
    Held waiting = new Held(from, content);
    heldBytes += bytes(waiting);
    held.add(waiting);
    if (heldBytes > MAX_HELD_BYTES) {
      LOG.debug("messages of {} are dropped: it is in no view", from);
      held.clear();
      heldBytes = 0;
    }
  }

  /** Reports the members that are known and understood. */
  private void report() {
    if (closed) {
      return;
    }
    Map<Address, Member> now = new LinkedHashMap<>();
    boolean isThere = false;
    for (Address member : members) {
      MemberFacts facts = known.get(member);
      if (engine.isSelf(member)) {
        isThere = true;
        now.put(member, own);
      } else if (facts != null
          && facts.fits(own.protocol())
          && !overrun.contains(member)
          && !flooding.contains(member)) {
        now.put(member, facts.member());
      }
    }
    List<Member> listed = new ArrayList<>(now.values());
    if (!isThere) {
      listed.add(own);
    }
    reported = now;
    countComplete();
    if (unheardMerge) {
      unheardMerge = false;
      listener.merged();
    }
    listener.view(new View(++views, List.copyOf(listed)));
    deliverHeld();
  }

  private void deliverHeld() {
    List<Held> before = List.copyOf(held);
    held.clear();
    heldBytes = 0;
    for (Held waiting : before) {
      if (reported.containsKey(waiting.from()) || isExpected(waiting.from())) {
        message(waiting.from(), waiting.message());
      }
    }
  }

  /** Whether a member may come into the view yet. */
  private boolean isExpected(Address from) {
    MemberFacts facts = known.get(from);
    return facts == null || facts.fits(own.protocol());
  }

  @Override
  public void send(NodeRun to, byte[] message) {
    if (message.length > GroupFrame.MAX_CONTENT) {
      throw new IllegalArgumentException(
          "bytes: " + message.length + " (expected: <= " + GroupFrame.MAX_CONTENT + ")");
    }
    if (to.equals(own.id())) {
      steps.execute(() -> listener.message(to, message));
      return;
    }
    for (Map.Entry<Address, Member> member : reported.entrySet()) {
      if (member.getValue().id().equals(to)) {
        post(member.getKey(), new GroupFrame(GroupFrame.MESSAGE, message));
        return;
      }
    }
  }

  @Override
  public void announce(Member self) {
    own = self;
    tell();
    report();
  }

  @Override
  public int configured() {
    if (source.fixed() > 0) {
      boolean listed = discovered.isEmpty() || discovered.contains(settings.listen());
      return source.fixed() + (listed ? 0 : 1);
    }
    // without an answer there may be others, and no purge may claim to have reached all
    return expected().size() + (answered ? 0 : 1);
  }

  @Override
  public boolean isConfigured(Member member) {
    return expected().contains(member.address());
  }

  /** The addresses of configured nodes, as far as they are known, that are no members. */
  public Set<InetSocketAddress> missing() {
    Set<InetSocketAddress> missing = expected();
    missing.removeAll(present());
    return missing;
  }

  /** The addresses of the nodes that there should be, as far as they are known. A new set. */
  private Set<InetSocketAddress> expected() {
    if (!complete.isEmpty() && source.fixed() == 0) {
      return new HashSet<>(complete);
    }
    Set<InetSocketAddress> all = source.fixed() > 0 ? new HashSet<>() : present();
    all.addAll(discovered);
    all.add(settings.listen());
    return all;
  }

  /** The addresses of this node and of all members. A new set. */
  private Set<InetSocketAddress> present() {
    Set<InetSocketAddress> present = new HashSet<>();
    present.add(settings.listen());
    reported.values().forEach(member -> present.add(member.address()));
    return present;
  }

  /** Notes the view, if it has all that were discovered. */
  private void countComplete() {
    Set<InetSocketAddress> present = present();
    if (!discovered.isEmpty() && present.containsAll(discovered)) {
      complete = Set.copyOf(present);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    engine.ended = true;
    asking.run();
    discovery.close();
    outboxes.values().forEach(Outbox::close);
    senders.execute(
        () -> {
          try {
            engine.leave();
          } finally {
            left.complete(null);
          }
        });
    senders.shutdown();
  }
}
