package io.loligo.cluster.purges;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.NodeRun;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells members how far this node is, and compares with them. Confined to the steps.
 *
 * <p>A node may remember thousands of streams that all nodes carried out long ago. So a summary has
 * the recent ones, and {@link StreamSums} of the others. Only parts with another sum are asked for,
 * and come in pieces of {@link PurgeMessage#MAX_POSITIONS}. One member is asked at a time: the next
 * one mostly has the same, and then has nothing to say.
 *
 * <p>A summary may be older than the view in which it arrives. So an answer repeats the number of
 * its question, and shows that the member sent it after this node saw it as a member.
 */
final class Summaries {
  private final Steps steps;
  private final ReplicationLimits limits;
  private final PurgeLog log;
  private final MissedPurges missed;
  private final Stream own;
  private final BiConsumer<NodeRun, PurgeMessage> sending;
  private final ObjLongConsumer<NodeRun> acknowledged;
  private Set<NodeRun> members = Set.of();

  /** Summaries that are not compared yet, the last one of each member. */
  private final Map<NodeRun, Waiting> waiting = new LinkedHashMap<>();

  /** The first question to each member since it is one. */
  private final Map<NodeRun, Long> questions = new HashMap<>();

  private @Nullable Asking asking;
  private long rounds;

  /**
   * A summary that is not compared yet.
   *
   * @param isAnswer whether it, or one that it follows, is from after a question of this node
   */
  private record Waiting(PurgeMessage.Summary summary, boolean isAnswer) {}

  /**
   * A question that is not answered yet.
   *
   * @param applied up to which the member had carried out this node's stream, if it was equal; else
   *     0
   * @param isAnswer as that of {@link Waiting}
   * @param wanted streams of which the member has purges that are wanted
   * @param deadline takes the end of the time back
   */
  private record Asking(
      NodeRun member,
      long round,
      long applied,
      boolean isAnswer,
      Set<NodeRun> wanted,
      Runnable deadline) {}

  /**
   * Knows no member.
   *
   * @param acknowledged told up to which number a member carried out {@code own}
   */
  Summaries(
      Steps steps,
      ReplicationLimits limits,
      PurgeLog log,
      MissedPurges missed,
      Stream own,
      BiConsumer<NodeRun, PurgeMessage> sending,
      ObjLongConsumer<NodeRun> acknowledged) {
    this.steps = steps;
    this.limits = limits;
    this.log = log;
    this.missed = missed;
    this.own = own;
    this.sending = sending;
    this.acknowledged = acknowledged;
  }

  /**
   * The members are others. They may be asked before.
   *
   * @param others without this node
   */
  void members(Set<NodeRun> others) {
    members = others;
    waiting.keySet().retainAll(others);
    questions.keySet().retainAll(others);
    Asking open = asking;
    if (open != null && !others.contains(open.member())) {
      open.deadline().run();
      asking = null;
    }
    compare();
  }

  /** These are members anew: all that they said before may be old. */
  void forget(Set<NodeRun> fresh) {
    waiting.keySet().removeAll(fresh);
    questions.keySet().removeAll(fresh);
    Asking open = asking;
    if (open != null && fresh.contains(open.member())) {
      open.deadline().run();
      asking = null;
    }
  }

  /** The number of a question to {@code members}. */
  long question(Set<NodeRun> members) {
    rounds++;
    members.forEach(member -> questions.putIfAbsent(member, rounds));
    return rounds;
  }

  /** This node now. */
  PurgeMessage.Summary summary(boolean ask, long question) {
    List<PurgeMessage.Position> recent = new ArrayList<>();
    StreamSums sums = new StreamSums();
    for (Stream stream : log.streams()) {
      boolean isRecent = stream.retained() > 0 || stream.applied() != stream.received();
      if (isRecent && recent.size() < PurgeMessage.MAX_POSITIONS) {
        recent.add(position(stream));
      } else if (stream.applied() > 0) {
        sums.add(stream.id(), stream.applied());
      }
    }
    return new PurgeMessage.Summary(question, ask, sums.sums(), recent);
  }

  static PurgeMessage.Position position(Stream stream) {
    return new PurgeMessage.Position(stream.id(), stream.applied(), stream.firstRetained());
  }

  /** A member asks for the streams of some parts. */
  void give(NodeRun to, PurgeMessage.AskParts asked) {
    List<PurgeMessage.Position> positions = new ArrayList<>();
    for (Stream stream : log.streams()) {
      boolean isAsked = ((asked.parts() >>> StreamSums.part(stream.id())) & 1) != 0;
      if (isAsked && stream.received() > 0) {
        if (positions.size() == PurgeMessage.MAX_POSITIONS) {
          sending.accept(to, new PurgeMessage.Parts(asked.round(), false, positions));
          positions = new ArrayList<>();
        }
        positions.add(position(stream));
      }
    }
    sending.accept(to, new PurgeMessage.Parts(asked.round(), true, positions));
  }

  /**
   * A member said how far it is.
   *
   * @param numbers whether it repeats numbers of questions; a member of an earlier version does
   *     not, and all that it says counts as an answer
   */
  void heard(NodeRun from, PurgeMessage.Summary summary, boolean numbers) {
    if (members.contains(from)) {
      Waiting before = waiting.get(from);
      boolean isAnswer =
          !numbers || (before != null && before.isAnswer()) || isAnswer(from, summary);
      waiting.put(from, new Waiting(summary, isAnswer));
      compare();
    }
  }

  private boolean isAnswer(NodeRun from, PurgeMessage.Summary summary) {
    Long first = questions.get(from);
    return first != null && !summary.ask() && summary.question() >= first;
  }

  void heard(NodeRun from, PurgeMessage.Parts parts) {
    Asking question = asking;
    if (question != null && question.member().equals(from) && question.round() == parts.round()) {
      take(from, parts.positions(), question.wanted());
      if (parts.last()) {
        question.deadline().run();
        asking = null;
        finish(from, question.applied(), question.isAnswer(), question.wanted());
        compare();
      }
    }
  }

  void close() {
    waiting.clear();
    Asking question = asking;
    if (question != null) {
      question.deadline().run();
      asking = null;
    }
  }

  /** Compares with those that wait, until one has to be asked. */
  private void compare() {
    while (asking == null && !waiting.isEmpty()) {
      NodeRun from = waiting.keySet().iterator().next();
      Waiting next = waiting.remove(from);
      if (next != null) {
        compare(from, next.summary(), next.isAnswer());
      }
    }
  }

  private void compare(NodeRun from, PurgeMessage.Summary summary, boolean isAnswer) {
    long parts = known(summary.recent()).differing(summary.sums());
    boolean ownIsEqual =
        ((parts >>> StreamSums.part(own.id())) & 1) == 0
            && summary.recent().stream().noneMatch(one -> one.stream().equals(own.id()));
    long applied = ownIsEqual ? own.applied() : 0;
    Set<NodeRun> wanted = new HashSet<>();
    take(from, summary.recent(), wanted);
    if (parts == 0) {
      finish(from, applied, isAnswer, wanted);
    } else {
      Runnable deadline = steps.schedule(this::notAnswered, limits.retryNanos());
      rounds++;
      asking = new Asking(from, rounds, applied, isAnswer, wanted, deadline);
      sending.accept(from, new PurgeMessage.AskParts(rounds, parts));
    }
  }

  /**
   * How far this node is in all streams but {@code recent}, purges included that it wants already.
   * A member that has no more, and retains none, has nothing new.
   */
  private StreamSums known(List<PurgeMessage.Position> recent) {
    Set<NodeRun> listed = new HashSet<>();
    recent.forEach(position -> listed.add(position.stream()));
    StreamSums sums = new StreamSums();
    for (Stream stream : log.streams()) {
      long upTo = Math.max(stream.applied(), missed.wanted(stream.id()));
      if (upTo > 0 && !listed.contains(stream.id())) {
        sums.add(stream.id(), upTo);
      }
    }
    missed.forEachWanted(
        (stream, upTo) -> {
          if (log.stream(stream) == null && !listed.contains(stream)) {
            sums.add(stream, upTo);
          }
        });
    return sums;
  }

  private void notAnswered() {
    asking = null;
    compare();
  }

  private void take(NodeRun from, List<PurgeMessage.Position> positions, Set<NodeRun> wanted) {
    for (PurgeMessage.Position position : positions) {
      if (position.stream().equals(own.id())) {
        acknowledged.accept(from, position.applied());
      }
    }
    missed.heardSome(from, positions, wanted);
  }

  private void finish(NodeRun from, long applied, boolean isAnswer, Set<NodeRun> wanted) {
    if (applied > 0) {
      acknowledged.accept(from, applied);
    }
    missed.heardAll(from, isAnswer, wanted);
  }
}
