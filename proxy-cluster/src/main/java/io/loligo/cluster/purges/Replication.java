package io.loligo.cluster.purges;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries purges of this node to all others, and theirs to this node's store. Confined to the
 * steps, except for {@link #isCaughtUp}.
 *
 * <p>The purges of one run of a node are a stream, numbered from 1. A node gives those of each
 * stream to its store in their order, without gaps, and acknowledges all up to a number once the
 * store confirmed them. A purge that came twice is carried out once in a run of the node, and
 * possibly again after a restart.
 */
public final class Replication implements Group.Listener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Replication.class);

  /** A member that is further behind gets no purges until it answers; it pulls them then. */
  private static final int MAX_UNACKNOWLEDGED = 4_096;

  /** The version of the protocol from which on members understand {@link Summaries}. */
  static final int SUMMARIES = 2;

  /** The version from which on an answer repeats the number of its question. */
  static final int ANSWERS = 3;

  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private record Unanswered(long number, long position, long deadlineNanos, Consumer<Nodes> then) {}

  private final Steps steps;
  private final Group group;
  private final Invalidations invalidations;
  private final PurgeJournal journal;
  private final ReplicationLimits limits;
  private final PurgeLog log;
  private final MissedPurges missed;
  private final Summaries summaries;
  private final Stream own;

  /** Work that an earlier run left, and whether its journal is damaged. */
  private final Restored.Rest rest;

  private final boolean damaged;

  /** Streams of which purges of an earlier run are carried out again, with the last of these. */
  private final Map<Stream, Long> replaying = new HashMap<>();

  private volatile boolean replayed = true;

  private @Nullable PurgeProgress progress;

  /** The other members. */
  private Map<NodeRun, Member> others = Map.of();

  private Member self;

  /** Up to which number of this node's stream a member carried everything out. */
  private final Map<NodeRun, Long> acknowledged = new HashMap<>();

  /** Members that got no purges because they are behind. */
  private final Set<NodeRun> skipped = new HashSet<>();

  private final ArrayDeque<Unanswered> unanswered = new ArrayDeque<>();
  private boolean answerScheduled;

  /** Number of the last purge that was sent. */
  private long sent;

  private long unsentBytes;
  private boolean batchScheduled;

  /** Streams with purges that the store refused, with the last of these. */
  private final Map<Stream, Long> refusing = new HashMap<>();

  /** Streams with purges that the store confirmed since the last acknowledgement. */
  private final Set<Stream> confirmed = new LinkedHashSet<>();

  private long synced;
  private int gossiped;
  private @Nullable Runnable gossip;

  /** Takes the next question to members that have not answered back. */
  private Runnable askAgain = () -> {};

  private boolean closed;

  private long received;
  private long revalidations;
  private long malformed;
  private long refused;
  private long complainedNanos;
  private boolean complained;
  private boolean forgot;
  private long forgotNanos;

  /**
   * Reads what an earlier run of this node left, which may wait for a disk. {@link #start} is next.
   *
   * @param group not started, or started after {@link #start}; whoever starts it passes views and
   *     messages on
   * @param self this node
   * @param journal taken: {@link #close} closes it
   */
  public Replication(
      Steps steps,
      Group group,
      Member self,
      Invalidations invalidations,
      PurgeJournal journal,
      ReplicationLimits limits) {
    this.steps = steps;
    this.group = group;
    this.self = self;
    this.invalidations = invalidations;
    this.journal = journal;
    this.limits = limits;
    log = new PurgeLog(limits, journal);
    missed = new MissedPurges(steps, limits, log, new ThisNode());
    journal.listen(position -> steps.execute(() -> synced(position)));
    PurgeJournal.Kept kept = journal.read();
    own = log.streamOrNew(group.self());
    summaries = new Summaries(steps, limits, log, missed, own, this::send, this::acknowledged);
    rest = new Restored(log, steps.nanos()).restore(kept);
    damaged = kept.damaged();
  }

  /** A journal that keeps nothing, for a node whose store is empty after a restart. */
  public static PurgeJournal memoryJournal() {
    return new MemoryJournal();
  }

  /** From now on {@code to} is told. Before {@link #start}. */
  public void report(PurgeProgress to) {
    progress = to;
    log.streams().forEach(stream -> to.applied(stream.id(), stream.applied()));
  }

  /** Carries out purges that an earlier run took and did not, and begins. Before any view. */
  public void start() {
    if (damaged) {
      noteLoss();
    }
    if (!rest.missing().isEmpty()) {
      missed.distrustJournal(rest.missing());
    }
    for (Restored.Replay replay : rest.replays()) {
      replaying.put(replay.stream(), replay.number());
      apply(replay.stream(), replay.number(), replay.entry());
    }
    replayed = replaying.isEmpty();
    gossip = steps.schedule(this::gossip, limits.gossipNanos());
  }

  /**
   * Sends a purge to all nodes.
   *
   * @param entry given away; {@value PurgeMessage#MAX_ENTRY_BYTES} bytes at most
   * @param here whether this node carried it out, durably. If not, it is given to {@link
   *     Invalidations} like one of another node
   * @param then told once, on a step: when all members carried it out, or after {@link
   *     ReplicationLimits#answerNanos}. If not all nodes did, it is on this node's disk before, if
   *     that is in time
   * @return its number in the stream of this run
   */
  public long publish(byte[] entry, boolean here, Consumer<Nodes> then) {
    if (entry.length > PurgeMessage.MAX_ENTRY_BYTES) {
      throw new IllegalArgumentException(
          "entry: "
              + entry.length
              + " bytes (expected: at most "
              + PurgeMessage.MAX_ENTRY_BYTES
              + ")");
    }
    long now = steps.nanos();
    log.add(own, entry, now);
    long number = own.received();
    long position = journal.append(new PurgeJournal.Line.Entry(own.id(), number, entry));
    if (here) {
      reportBegins(own.id(), number);
      own.confirm(number);
      reportApplied(own);
    } else {
      apply(own, number, entry);
    }
    unanswered.add(new Unanswered(number, position, now + limits.answerNanos(), then));
    unsentBytes += entry.length;
    if (unsentBytes >= PurgeMessage.BATCH_BYTES) {
      sendBatch();
    } else if (!batchScheduled) {
      batchScheduled = true;
      steps.schedule(
          () -> {
            batchScheduled = false;
            sendBatch();
          },
          limits.batchNanos(others.size() + 1));
    }
    return number;
  }

  /**
   * Whether this node has carried out all purges of which it knows that it missed them. False also
   * while it is back among others and does not know yet. Any thread.
   */
  public boolean isCaughtUp() {
    return missed.isCaughtUp() && replayed;
  }

  /** Whether the store refused a purge that is not carried out yet. */
  boolean isRefused() {
    refusing.entrySet().removeIf(last -> last.getKey().applied() >= last.getValue());
    return !refusing.isEmpty();
  }

  /** Up to which number this node carried out the purges of each stream. */
  public Map<NodeRun, Long> applied() {
    Map<NodeRun, Long> applied = new HashMap<>();
    log.streams().forEach(stream -> applied.put(stream.id(), stream.applied()));
    return applied;
  }

  /** As it is now. */
  public ReplicationState state() {
    long unconfirmed = 0;
    for (Stream stream : log.streams()) {
      unconfirmed += stream.received() - stream.applied();
    }
    return new ReplicationState(
        isCaughtUp(),
        missed.lag() + unconfirmed,
        unanswered.size(),
        log.entries(),
        log.bytes(),
        log.streams().size(),
        own.received(),
        received,
        revalidations,
        malformed,
        refused);
  }

  @Override
  public void view(View view) {
    Map<NodeRun, Member> members = new LinkedHashMap<>();
    Set<NodeRun> fresh = new HashSet<>();
    for (Member member : view.members()) {
      if (member.id().equals(own.id())) {
        self = member;
      } else {
        members.put(member.id(), member);
        if (!others.containsKey(member.id())) {
          fresh.add(member.id());
        }
      }
    }
    sendBatch();
    members(members, fresh);
  }

  private void members(Map<NodeRun, Member> members, Set<NodeRun> fresh) {
    others = members;
    acknowledged.keySet().retainAll(members.keySet());
    skipped.retainAll(members.keySet());
    summaries.forget(fresh);
    ask(fresh);
    Set<NodeRun> known = new HashSet<>(members.keySet());
    known.removeAll(fresh);
    tell(known, 0);
    missed.view(members.keySet(), fresh);
    summaries.members(members.keySet());
    answer();
  }

  /** All members are new again: each one may lack purges of others, this node too. */
  @Override
  public void merged() {
    others = Map.of();
  }

  /**
   * This node stood still, and the others may have answered purges without it: all members are new
   * again.
   */
  public void stoodStill() {
    sendBatch();
    members(others, new HashSet<>(others.keySet()));
  }

  @Override
  public void message(NodeRun from, byte[] message) {
    PurgeMessage read = PurgeMessage.decode(message);
    if (read instanceof PurgeMessage.Entries entries) {
      take(from, entries);
    } else if (read instanceof PurgeMessage.Acknowledged acknowledgement) {
      if (acknowledgement.stream().equals(own.id())) {
        acknowledged(from, acknowledgement.number());
      }
    } else if (read instanceof PurgeMessage.Vector vector) {
      heard(from, vector);
    } else if (read instanceof PurgeMessage.Pull pull) {
      give(from, pull);
    } else if (read instanceof PurgeMessage.Summary summary) {
      if (summary.ask()) {
        tell(Set.of(from), summary.question());
      }
      summaries.heard(from, summary, numbersQuestions(from));
    } else if (read instanceof PurgeMessage.AskParts asked) {
      summaries.give(from, asked);
    } else if (read instanceof PurgeMessage.Parts parts) {
      summaries.heard(from, parts);
    } else {
      malformed++;
      complain(from, message);
    }
  }

  /** Answers the purges that wait for an answer, and closes the journal. */
  @Override
  public void close() {
    closed = true;
    missed.close();
    summaries.close();
    askAgain.run();
    Runnable scheduled = gossip;
    if (scheduled != null) {
      scheduled.run();
    }
    while (!unanswered.isEmpty()) {
      Unanswered first = unanswered.remove();
      first.then().accept(nodes(first.number()));
    }
    journal.close();
  }

  // purges of this node

  private void sendBatch() {
    unsentBytes = 0;
    if (sent >= own.received() || closed) {
      return;
    }
    journal.append(new PurgeJournal.Line.Applied(own.id(), own.applied()));
    List<byte[]> messages = new ArrayList<>();
    // the log may be too small for one batch: the members then see that purges are missing
    long number = Math.max(sent + 1, own.firstRetained());
    while (number <= own.received()) {
      PurgeMessage.Entries entries = batch(own, number);
      messages.add(PurgeMessage.encode(entries));
      number += entries.entries().size();
    }
    sent = own.received();
    for (NodeRun member : others.keySet()) {
      Long upTo = acknowledged.get(member);
      if (upTo != null && sent - upTo > MAX_UNACKNOWLEDGED) {
        skipped.add(member);
      } else {
        messages.forEach(message -> group.send(member, message));
      }
    }
    answer();
  }

  private static PurgeMessage.Entries batch(Stream stream, long from) {
    List<byte[]> entries = new ArrayList<>();
    long bytes = 0;
    for (long n = from; n <= stream.received() && bytes < PurgeMessage.BATCH_BYTES; n++) {
      byte[] entry = stream.entry(n);
      entries.add(entry);
      bytes += entry.length + Integer.BYTES;
    }
    return new PurgeMessage.Entries(stream.id(), from, entries);
  }

  private void acknowledged(NodeRun from, long number) {
    if (!others.containsKey(from) || number > own.received()) {
      return;
    }
    acknowledged.merge(from, number, Math::max);
    if (skipped.remove(from)) {
      group.send(from, PurgeMessage.encode(position(own.id())));
    }
    answer();
  }

  /** Answers the purges that all members carried out, or that waited long enough. */
  private void answer() {
    long now = steps.nanos();
    Unanswered first = unanswered.peek();
    while (first != null && (isDone(first) || now - first.deadlineNanos() >= 0)) {
      unanswered.remove();
      first.then().accept(nodes(first.number()));
      first = unanswered.peek();
    }
    if (first != null && !answerScheduled) {
      answerScheduled = true;
      steps.schedule(
          () -> {
            answerScheduled = false;
            answer();
          },
          first.deadlineNanos() - now);
    }
  }

  private boolean isDone(Unanswered purge) {
    if (own.applied() < purge.number() || sent < purge.number()) {
      return false;
    }
    for (NodeRun member : others.keySet()) {
      if (!carriedOut(member, purge.number())) {
        return false;
      }
    }
    Nodes nodes = nodes(purge.number());
    return nodes.acknowledged() == nodes.configured() || synced >= purge.position();
  }

  private boolean carriedOut(NodeRun member, long number) {
    Long upTo = acknowledged.get(member);
    return upTo != null && upTo >= number;
  }

  /**
   * Counts addresses, not runs: a member that crashed and its next run may be in one view. Members
   * that are not configured do not count.
   */
  private Nodes nodes(long number) {
    Set<InetSocketAddress> addresses = new HashSet<>();
    others.forEach(
        (id, member) -> {
          if (carriedOut(id, number) && group.isConfigured(member)) {
            addresses.add(member.address());
          }
        });
    addresses.remove(self.address());
    return new Nodes(
        addresses.size() + (own.applied() >= number ? 1 : 0),
        Math.max(group.configured(), addresses.size() + 1));
  }

  private void synced(long position) {
    synced = Math.max(synced, position);
    answer();
  }

  // purges of other nodes

  private void take(NodeRun from, PurgeMessage.Entries message) {
    NodeRun id = message.stream();
    if (id.equals(own.id())) {
      return;
    }
    long last = message.first() + message.entries().size() - 1;
    Stream stream = log.stream(id);
    long next = stream == null ? 1 : stream.received() + 1;
    if (message.first() > next) {
      missed.gap(from, id, last);
      return;
    }
    if (stream == null) {
      stream = log.streamOrNew(id);
    }
    long now = steps.nanos();
    long upTo = Math.min(last, stream.applied() + MissedPurges.MAX_UNCONFIRMED);
    while (next <= upTo) {
      byte[] entry = message.entries().get((int) (next - message.first()));
      log.add(stream, entry, now);
      journal.append(new PurgeJournal.Line.Entry(id, next, entry));
      received++;
      apply(stream, next, entry);
      next++;
    }
    if (next <= last) {
      missed.gap(from, id, last);
    }
    missed.came(id);
  }

  private void apply(Stream stream, long number, byte[] entry) {
    reportBegins(stream.id(), number);
    invalidations.apply(
        entry, durable -> steps.execute(() -> applied(stream, number, entry, durable)));
  }

  private void applied(Stream stream, long number, byte[] entry, boolean durable) {
    if (closed || number <= stream.applied()) {
      return;
    }
    if (!durable) {
      refused++;
      refusing.merge(stream, number, Math::max);
      steps.schedule(
          () -> {
            if (!closed && number > stream.applied()) {
              apply(stream, number, entry);
            }
          },
          limits.retryNanos());
    } else if (stream.confirm(number)) {
      confirmed(stream);
    }
  }

  private void reportBegins(NodeRun stream, long number) {
    PurgeProgress told = progress;
    if (told != null) {
      told.begins(stream, number);
    }
  }

  private void reportApplied(Stream stream) {
    PurgeProgress told = progress;
    if (told != null) {
      told.applied(stream.id(), stream.applied());
    }
  }

  /** Acknowledges in a later step, together with others that are confirmed until then. */
  private void confirmed(Stream stream) {
    reportApplied(stream);
    if (confirmed.isEmpty()) {
      steps.execute(this::acknowledge);
    }
    confirmed.add(stream);
  }

  private void acknowledge() {
    for (Stream stream : confirmed) {
      journal.append(new PurgeJournal.Line.Applied(stream.id(), stream.applied()));
      if (others.containsKey(stream.id())) {
        group.send(
            stream.id(),
            PurgeMessage.encode(new PurgeMessage.Acknowledged(stream.id(), stream.applied())));
      }
    }
    confirmed.clear();
    replaying.entrySet().removeIf(replay -> replay.getKey().applied() >= replay.getValue());
    replayed = replaying.isEmpty();
    missed.confirmed();
    answer();
  }

  // how far nodes are

  /** Tells members how far this node is, and asks them, again until they have answered. */
  private void ask(Set<NodeRun> members) {
    if (!members.isEmpty()) {
      tell(members, true, summaries.question(members));
      askAgain.run();
      askAgain = steps.schedule(() -> ask(missed.silent()), limits.retryNanos());
    }
  }

  /**
   * Tells members how far this node is.
   *
   * @param question the number of their question; 0: there was none
   */
  private void tell(Set<NodeRun> members, long question) {
    tell(members, false, question);
  }

  /** The same, those of earlier versions by a whole vector. */
  private void tell(Set<NodeRun> members, boolean ask, long question) {
    byte[] vector = null;
    byte[] summary = null;
    for (NodeRun id : members) {
      Member member = others.get(id);
      if (member != null && member.protocol() >= SUMMARIES) {
        summary = summary == null ? PurgeMessage.encode(summaries.summary(ask, question)) : summary;
        group.send(id, summary);
      } else {
        vector = vector == null ? vector(ask) : vector;
        group.send(id, vector);
      }
    }
  }

  private void send(NodeRun to, PurgeMessage message) {
    group.send(to, PurgeMessage.encode(message));
  }

  private boolean numbersQuestions(NodeRun from) {
    Member member = others.get(from);
    return member != null && Math.min(member.protocol(), self.protocol()) >= ANSWERS;
  }

  private void heard(NodeRun from, PurgeMessage.Vector vector) {
    if (vector.ask()) {
      tell(Set.of(from), 0);
    }
    for (PurgeMessage.Position position : vector.positions()) {
      if (position.stream().equals(own.id())) {
        acknowledged(from, position.applied());
      }
    }
    missed.heard(from, vector, !numbersQuestions(from));
  }

  private void give(NodeRun from, PurgeMessage.Pull pull) {
    Stream stream = log.stream(pull.stream());
    PurgeMessage answer =
        stream != null && pull.from() >= stream.firstRetained() && pull.from() <= stream.received()
            ? batch(stream, pull.from())
            : position(pull.stream());
    group.send(from, PurgeMessage.encode(answer));
  }

  private byte[] vector(boolean ask) {
    List<PurgeMessage.Position> positions = new ArrayList<>();
    for (Stream stream : log.streams()) {
      if (stream.received() > 0) {
        positions.add(Summaries.position(stream));
      }
    }
    return PurgeMessage.encode(new PurgeMessage.Vector(true, ask, positions));
  }

  private PurgeMessage position(NodeRun id) {
    Stream stream = log.stream(id);
    return new PurgeMessage.Vector(
        false,
        false,
        List.of(
            new PurgeMessage.Position(
                id,
                stream == null ? 0 : stream.applied(),
                stream == null ? 1 : stream.firstRetained())));
  }

  /** Tells one member after the other, so that no loss lasts. */
  private void gossip() {
    log.expire(steps.nanos());
    forgetStreams();
    if (!others.isEmpty()) {
      List<NodeRun> members = List.copyOf(others.keySet());
      gossiped = (gossiped + 1) % members.size();
      tell(Set.of(members.get(gossiped)), 0);
    }
    gossip = steps.schedule(this::gossip, limits.gossipNanos());
  }

  /**
   * Forgets the oldest of too many senders that are gone. Another node may lack purges of them and
   * would not learn it, so this also counts as a purge that no node can have: a node that hears of
   * it validates everything. All nodes forget the same ones, and not often, or they would learn
   * again from each other the ones that they forgot.
   */
  private void forgetStreams() {
    long now = steps.nanos();
    if (log.streams().size() <= limits.streams()
        || (forgot && now - forgotNanos < limits.ageNanos())) {
      return;
    }
    List<Stream> gone = new ArrayList<>();
    for (Stream stream : log.streams()) {
      NodeRun sender = sender(stream.id());
      if (stream.retained() == 0 && !sender.equals(own.id()) && !others.containsKey(sender)) {
        gone.add(stream);
      }
    }
    if (gone.size() <= limits.streams()) {
      return;
    }
    gone.sort((a, b) -> Long.compare(sender(a.id()).run(), sender(b.id()).run()));
    for (Stream stream : gone.subList(0, gone.size() - limits.streams() * 9 / 10)) {
      log.forget(stream);
      journal.append(new PurgeJournal.Line.Forgotten(stream.id()));
    }
    forgot = true;
    forgotNanos = now;
    noteLoss();
  }

  /** This node no longer knows purges that others may lack. */
  private void noteLoss() {
    Stream losses = log.streamOrNew(losses(own.id()));
    log.cover(losses, losses.received() + 1);
    reportApplied(losses);
    journal.append(new PurgeJournal.Line.Applied(losses.id(), losses.applied()));
  }

  /** The stream of a node's losses: runs are times, and so no other stream has a negative one. */
  private static NodeRun losses(NodeRun sender) {
    return new NodeRun(sender.node(), -1 - sender.run());
  }

  private static NodeRun sender(NodeRun stream) {
    return stream.run() < 0 ? losses(stream) : stream;
  }

  private void complain(NodeRun from, byte[] message) {
    long now = steps.nanos();
    if (!complained || now - complainedNanos >= QUIET_NANOS) {
      complained = true;
      complainedNanos = now;
      LOG.warn(
          "A message of {} bytes from node {} cannot be read, and is dropped; next: look whether"
              + " all nodes have the same version",
          message.length,
          from.node());
    }
  }

  /** This node, for its catching up. */
  private final class ThisNode implements MissedPurges.Node {
    @Override
    public void send(NodeRun to, PurgeMessage message) {
      Replication.this.send(to, message);
    }

    @Override
    public void revalidateAll(Map<NodeRun, Long> upTo, Runnable then) {
      upTo.forEach(Replication.this::reportBegins);
      revalidations++;
      LOG.info(
          "Purges of other nodes are no longer known. Everything stored until now is validated"
              + " before its next use");
      ask(then);
    }

    private void ask(Runnable then) {
      invalidations.revalidateAll(durable -> steps.execute(() -> asked(durable, then)));
    }

    private void asked(boolean durable, Runnable then) {
      if (closed) {
        return;
      }
      if (durable) {
        then.run();
      } else {
        refused++;
        steps.schedule(() -> ask(then), limits.retryNanos());
      }
    }

    @Override
    public void cover(NodeRun stream, long upTo) {
      Stream covered = log.streamOrNew(stream);
      log.cover(covered, upTo);
      confirmed(covered);
    }
  }
}
