package io.loligo.cluster.purges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.cluster.FakeGroup;
import io.loligo.cluster.FakeSteps;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.purges.PurgeMessage.Position;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** One node, whose messages, store and journal the test plays. */
class ReplicationTest {
  private static final long MILLI = 1_000_000;
  private static final Member SELF = of(member(0, "a"), Replication.ANSWERS);
  private static final Member B = member(1, "b");
  private static final Member C = member(2, "c");

  private record Sent(NodeRun to, PurgeMessage message) {}

  private record Applying(byte[] entry, Consumer<Boolean> then) {}

  private final FakeSteps clock = new FakeSteps();
  private final List<Sent> sent = new ArrayList<>();
  private final List<Applying> applying = new ArrayList<>();
  private final List<Consumer<Boolean>> revalidating = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final HeldJournal journal = new HeldJournal();
  private final Set<Member> strangers = new HashSet<>();
  private int configured = 3;
  private final Replication replication =
      new Replication(
          clock, new PlayedGroup(), SELF, new PlayedStore(), journal, ReplicationLimits.USUAL);

  private long views;

  @Test
  void allNodesAreCountedOnceAllAcknowledged() {
    view(B, C);
    publish();
    assertThat(entriesTo(B)).isEqualTo(1);
    acknowledge(B, 1);
    assertThat(answers).isEmpty();
    acknowledge(C, 1);
    assertThat(answers).containsExactly("3/3");
  }

  @Test
  void aMemberThatHangsHoldsTheAnswerForTwoSeconds() {
    view(B, C);
    publish();
    acknowledge(B, 1);
    clock.pass(1_997 * MILLI);
    assertThat(answers).isEmpty();
    clock.pass(MILLI);
    assertThat(answers).containsExactly("2/3");
  }

  @Test
  void anAnswerBelowAllWaitsForTheJournal() {
    view(B);
    publish();
    acknowledge(B, 1);
    assertThat(answers).isEmpty();
    journal.sync();
    clock.pass(0);
    assertThat(answers).containsExactly("2/3");
  }

  @Test
  void aMemberThatLeavesIsNotWaitedFor() {
    view(B, C);
    publish();
    journal.sync();
    acknowledge(B, 1);
    view(B);
    assertThat(answers).containsExactly("2/3");
  }

  /** Otherwise 3/3 would be said although the third node does not know the purge. */
  @Test
  void twoRunsOfOneNodeCountOnce() {
    Member again =
        new Member(new NodeRun(new UUID(9, 9), 9), "b", B.address(), B.bodies(), 1, false, 1);
    view(B, again);
    publish();
    journal.sync();
    acknowledge(B, 1);
    acknowledge(again, 1);
    assertThat(answers).containsExactly("2/3");
  }

  @Test
  void aMemberThatIsNotConfiguredDoesNotCount() {
    strangers.add(C);
    view(B, C);
    publish();
    journal.sync();
    acknowledge(B, 1);
    acknowledge(C, 1);
    assertThat(answers).containsExactly("2/3");
  }

  @Test
  void moreMembersThanConfiguredAreAll() {
    configured = 1;
    view(B, C);
    publish();
    acknowledge(B, 1);
    acknowledge(C, 1);
    assertThat(answers).containsExactly("3/3");
  }

  @Test
  void aPurgeThatThisNodesDiskRefusedIsTriedAgainAndNotCountedBefore() {
    view(B, C);
    replication.publish(new byte[1], false, nodes -> answers.add(nodes.text()));
    clock.pass(2 * MILLI);
    acknowledge(B, 1);
    acknowledge(C, 1);
    applying.remove(0).then().accept(false);
    clock.pass(1_000 * MILLI);
    assertThat(answers).isEmpty();
    applying.remove(0).then().accept(true);
    clock.pass(0);
    assertThat(answers).containsExactly("3/3");
  }

  @Test
  void purgesOfAMillisecondTravelTogether() {
    view(B);
    sent.clear();
    for (int i = 0; i < 50; i++) {
      replication.publish(new byte[10], true, nodes -> {});
    }
    clock.pass(MILLI);
    assertThat(sent).hasSize(1);
    assertThat(((PurgeMessage.Entries) sent.get(0).message()).entries()).hasSize(50);
  }

  @Test
  void aMessageHasABoundedLength() {
    view(B);
    for (int i = 0; i < 10; i++) {
      replication.publish(new byte[PurgeMessage.MAX_ENTRY_BYTES], true, nodes -> {});
    }
    clock.pass(MILLI);
    assertThat(sent)
        .allSatisfy(
            one ->
                assertThat(PurgeMessage.encode(one.message()).length)
                    .isLessThan(PurgeMessage.BATCH_BYTES + PurgeMessage.MAX_ENTRY_BYTES + 100));
    assertThatThrownBy(
            () ->
                replication.publish(new byte[PurgeMessage.MAX_ENTRY_BYTES + 1], true, nodes -> {}))
        .hasMessageContaining("60001 bytes");
  }

  @Test
  void anAcknowledgementWaitsForTheStoreAndCoversAllBefore() {
    view(B);
    from(B, entries(B, 1, 3));
    assertThat(acknowledged(B)).isZero();
    applying.get(1).then().accept(true);
    applying.get(2).then().accept(true);
    clock.pass(0);
    assertThat(acknowledged(B)).isZero();
    applying.get(0).then().accept(true);
    clock.pass(0);
    assertThat(acknowledged(B)).isEqualTo(3);
  }

  @Test
  void purgesThatComeTwiceAreCarriedOutOnce() {
    view(B);
    from(B, entries(B, 1, 3));
    from(B, entries(B, 2, 3));
    assertThat(applying).hasSize(4);
  }

  @Test
  void missingPurgesArePulledAndComeFirst() {
    view(B);
    from(B, entries(B, 5, 1));
    assertThat(applying).isEmpty();
    assertThat(last(B)).isEqualTo(new PurgeMessage.Pull(B.id(), 1));
    assertThat(replication.isCaughtUp()).isFalse();
    from(B, entries(B, 1, 5));
    assertThat(applying).hasSize(5);
    assertThat(replication.state().lag()).isEqualTo(5);
  }

  @Test
  void purgesOfANodeThatIsGoneArePulledFromAnother() {
    view(B, C);
    from(B, vector(position(member(7, "gone").id(), 4, 3), position(SELF.id(), 0, 1)));
    from(C, vector(position(member(7, "gone").id(), 4, 1)));
    assertThat(last(C)).isEqualTo(new PurgeMessage.Pull(member(7, "gone").id(), 1));
    assertThat(revalidating).isEmpty();
  }

  @Test
  void aMemberThatDoesNotAnswerIsFollowedByAnother() {
    NodeRun gone = member(7, "gone").id();
    view(B, C);
    from(B, vector(position(gone, 4, 1)));
    from(C, vector(position(gone, 4, 1)));
    assertThat(last(B)).isEqualTo(new PurgeMessage.Pull(gone, 1));
    clock.pass(1_001 * MILLI);
    assertThat(last(C)).isEqualTo(new PurgeMessage.Pull(gone, 1));
  }

  @Test
  void everythingIsValidatedIfNobodyHasThePurges() {
    view(B, C);
    from(B, vector(position(B.id(), 9, 5)));
    assertThat(revalidating).as("C may have them").isEmpty();
    from(C, vector());
    assertThat(revalidating).hasSize(1);
    revalidating.remove(0).accept(false);
    clock.pass(1_000 * MILLI);
    assertThat(replication.applied()).doesNotContainEntry(B.id(), 9L);
    assertThat(replication.isCaughtUp()).isFalse();
    revalidating.remove(0).accept(true);
    clock.pass(0);
    assertThat(replication.applied()).containsEntry(B.id(), 9L);
    assertThat(acknowledged(B)).isEqualTo(9);
    assertThat(replication.isCaughtUp()).isTrue();
  }

  @Test
  void aMemberThatSaysNothingHoldsThatForTwoSeconds() {
    view(B, C);
    assertThat(replication.isCaughtUp()).isFalse();
    from(B, vector(position(B.id(), 9, 5)));
    clock.pass(2_001 * MILLI);
    assertThat(revalidating).hasSize(1);
  }

  @Test
  void theMajorityServesOnWhileOneJoins() {
    view(B, C);
    from(B, vector());
    from(C, vector());
    assertThat(replication.isCaughtUp()).isTrue();
    view(B, C, member(3, "d"));
    assertThat(replication.isCaughtUp()).isTrue();
  }

  /** A node that hung has seen no other view, and yet the others purged without it. */
  @Test
  void afterAMergeEachMemberIsAskedWhatIsMissing() {
    view(B, C);
    from(B, vector());
    from(C, vector());
    replication.merged();
    view(B, C);
    assertThat(replication.isCaughtUp()).isFalse();
    assertThat(last(B)).isEqualTo(new PurgeMessage.Vector(true, true, List.of()));
    from(B, vector(position(B.id(), 1, 1)));
    from(C, vector());
    assertThat(replication.isCaughtUp()).isFalse();
    assertThat(last(B)).as("at once").isEqualTo(new PurgeMessage.Pull(B.id(), 1));
    from(B, entries(B, 1, 1));
    assertThat(replication.isCaughtUp()).isTrue();
  }

  /** What was sent in a partition can arrive after it, before what tells of its purges. */
  @Test
  void afterAViewChangeAPurgeIsMissingAlsoIfItsMemberWasHeard() {
    view(B, C);
    from(B, vector());
    from(C, vector());
    clock.pass(1_900 * MILLI);
    from(B, vector(position(C.id(), 1, 1)));
    assertThat(replication.isCaughtUp()).isFalse();
    assertThat(last(B)).isEqualTo(new PurgeMessage.Pull(C.id(), 1));
  }

  /** Two members tell of each other's purges before these arrive. */
  @Test
  void purgesThatAreProbablyOnTheirWayAreNotPulledAtOnce() {
    view(B, C);
    from(B, vector());
    from(C, vector());
    clock.pass(2_001 * MILLI);
    sent.clear();
    from(B, vector(position(C.id(), 1, 1)));
    assertThat(replication.isCaughtUp()).isTrue();
    assertThat(sent).isEmpty();
    clock.pass(501 * MILLI);
    assertThat(last(B)).isEqualTo(new PurgeMessage.Pull(C.id(), 1));
  }

  @Test
  void eachViewTellsAllMembersHowFarThisNodeIs() {
    view(B);
    from(B, entries(B, 1, 1));
    applying.get(0).then().accept(true);
    clock.pass(0);
    view(B, C);
    PurgeMessage.Position position = position(B.id(), 1, 1);
    assertThat(last(B)).isEqualTo(new PurgeMessage.Vector(true, false, List.of(position)));
    assertThat(last(C)).isEqualTo(new PurgeMessage.Vector(true, true, List.of(position)));
  }

  @Test
  void aMemberFarBehindGetsNoMoreUntilItAnswers() {
    view(B);
    from(B, vector(position(SELF.id(), 0, 1)));
    acknowledge(B, 0);
    for (int i = 0; i < 10_000; i++) {
      replication.publish(new byte[0], true, nodes -> {});
      clock.pass(MILLI);
    }
    long got = entriesTo(B);
    assertThat(got).isLessThan(4_200);
    acknowledge(B, got);
    assertThat(last(B)).isEqualTo(vector(false, position(SELF.id(), 10_000, 1)));
  }

  @Test
  void aMemberGetsPurgesThatItAsksFor() {
    view(B);
    for (int i = 0; i < 3; i++) {
      replication.publish(new byte[i], true, nodes -> {});
    }
    clock.pass(MILLI);
    from(B, new PurgeMessage.Pull(SELF.id(), 2));
    assertThat(((PurgeMessage.Entries) last(B)).first()).isEqualTo(2);
    from(B, new PurgeMessage.Pull(C.id(), 2));
    assertThat(last(B)).isEqualTo(vector(false, position(C.id(), 0, 1)));
  }

  @Test
  void messagesThatCannotBeReadAreCounted() {
    view(B);
    replication.message(B.id(), new byte[] {PurgeMessage.VERSION, 77});
    replication.message(B.id(), new byte[0]);
    assertThat(replication.state().malformed()).isEqualTo(2);
  }

  /** It replaces purges: bytes of a peer that lacks these must not be shared from then on. */
  @Test
  void purgesThatAValidationReplacesBeginBeforeIt() {
    List<String> told = new ArrayList<>();
    replication.report(
        new PurgeProgress() {
          @Override
          public void begins(NodeRun stream, long number) {
            told.add("begins " + number + ", " + revalidating.size());
          }

          @Override
          public void applied(NodeRun stream, long number) {
            told.add("applied " + number);
          }
        });
    view(B);
    told.clear();
    from(B, vector(position(B.id(), 9, 5)));
    revalidating.get(0).accept(true);
    clock.pass(0);
    assertThat(told).containsExactly("begins 9, 0", "applied 9");
  }

  @Test
  void closingAnswers() {
    view(B, C);
    publish();
    replication.close();
    assertThat(answers).containsExactly("1/3");
    clock.pass(10_000 * MILLI);
  }

  // members that compare sums

  private static Member newer(Member member) {
    return of(member, Replication.SUMMARIES);
  }

  private static Member newest(Member member) {
    return of(member, Replication.ANSWERS);
  }

  private static Member of(Member member, int protocol) {
    return new Member(
        member.id(), member.name(), member.address(), member.bodies(), 1, false, protocol);
  }

  /** Of a member that has all of {@code streams} up to 5, and retains none. */
  private static PurgeMessage.Summary summary(long round, List<NodeRun> streams) {
    StreamSums sums = new StreamSums();
    streams.forEach(stream -> sums.add(stream, 5));
    return new PurgeMessage.Summary(round, false, sums.sums(), List.of());
  }

  private static List<NodeRun> streams(int count) {
    List<NodeRun> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      streams.add(new NodeRun(new UUID(5, i), 1));
    }
    return streams;
  }

  private List<PurgeMessage> messages(Member to, Class<? extends PurgeMessage> kind) {
    return sent.stream()
        .filter(one -> one.to().equals(to.id()))
        .map(Sent::message)
        .filter(kind::isInstance)
        .toList();
  }

  /** This node has all of {@code streams} up to 5, because it validated everything. */
  private void know(List<NodeRun> streams) {
    view(B);
    from(B, vector(streams.stream().map(s -> position(s, 5, 6)).toArray(Position[]::new)));
    revalidating.remove(0).accept(true);
    clock.pass(0);
    sent.clear();
  }

  @Test
  void eachMemberIsToldInTheFormThatItKnows() {
    view(newer(B), C);
    assertThat(last(B)).isInstanceOf(PurgeMessage.Summary.class);
    assertThat(((PurgeMessage.Summary) last(B)).ask()).isTrue();
    assertThat(last(C)).isInstanceOf(PurgeMessage.Vector.class);
  }

  /** One from before a partition can come after it, and says less than its member has. */
  @Test
  void onlyAnAnswerTellsHowFarAMemberIs() {
    view(newest(B), newest(C));
    long question = question(B);
    from(C, answer(question));
    from(B, answer(0));
    from(B, answer(question - 1));
    from(B, new PurgeMessage.Summary(question, true, new long[StreamSums.PARTS], List.of()));
    from(B, vector());
    assertThat(replication.isCaughtUp()).isFalse();
    PurgeMessage.Summary last = (PurgeMessage.Summary) last(B);
    assertThat(last.question()).as("its own question").isEqualTo(question);
    assertThat(last.ask()).isFalse();
    from(B, answer(question));
    assertThat(replication.isCaughtUp()).isTrue();
  }

  @Test
  void anAnswerFromBeforeAMergeDoesNotCount() {
    view(newest(B));
    long before = question(B);
    replication.merged();
    view(newest(B));
    from(B, answer(before));
    assertThat(replication.isCaughtUp()).isFalse();
    from(B, answer(question(B)));
    assertThat(replication.isCaughtUp()).isTrue();
  }

  /** It is compared later, together with what came after it. */
  @Test
  void anAnswerThatWaitsCountsWithTheSummaryAfterIt() {
    view(newest(B), newest(C));
    from(B, summary(question(B), streams(1)));
    PurgeMessage.AskParts asked = (PurgeMessage.AskParts) last(B);
    from(C, answer(question(C)));
    from(C, answer(0));
    from(B, new PurgeMessage.Parts(asked.round(), true, List.of()));
    assertThat(replication.isCaughtUp()).isTrue();
  }

  @Test
  void aMemberThatDoesNotAnswerIsAskedAgain() {
    view(newest(B), newest(C));
    long question = question(B);
    from(C, answer(question));
    sent.clear();
    clock.pass(1_001 * MILLI);
    assertThat(messages(C, PurgeMessage.Summary.class)).isEmpty();
    assertThat(question(B)).isGreaterThan(question);
    from(B, answer(question));
    assertThat(replication.isCaughtUp()).isTrue();
    sent.clear();
    clock.pass(3_000 * MILLI);
    assertThat(messages(B, PurgeMessage.Summary.class)).isEmpty();
  }

  private long question(Member of) {
    return messages(of, PurgeMessage.Summary.class).stream()
        .map(PurgeMessage.Summary.class::cast)
        .filter(PurgeMessage.Summary::ask)
        .mapToLong(PurgeMessage.Summary::question)
        .max()
        .orElseThrow();
  }

  /** Of a member that knows no stream. */
  private static PurgeMessage.Summary answer(long question) {
    return summary(question, List.of());
  }

  @Test
  void equalSumsAreNotAskedFor() {
    know(streams(3_000));
    view(newer(B), newer(C));
    assertThat(PurgeMessage.encode(last(C)).length).as("no stream is in it").isLessThan(600);
    from(B, summary(1, streams(3_000)));
    from(C, summary(1, streams(3_000)));
    assertThat(messages(C, PurgeMessage.AskParts.class)).isEmpty();
    assertThat(replication.isCaughtUp()).isTrue();
  }

  @Test
  void onlyThePartOfADifferentStreamIsAskedFor() {
    know(streams(3_000));
    List<NodeRun> more = streams(3_001);
    NodeRun other = more.get(3_000);
    view(newer(C));
    from(C, summary(7, more));
    PurgeMessage.AskParts asked = (PurgeMessage.AskParts) last(C);
    assertThat(asked.parts()).isEqualTo(1L << StreamSums.part(other));
    assertThat(replication.isCaughtUp()).isFalse();
    from(C, new PurgeMessage.Parts(asked.round(), true, List.of(position(other, 5, 1))));
    assertThat(last(C)).isEqualTo(new PurgeMessage.Pull(other, 1));
  }

  /** Else a node that joins a hundred others gets all streams from each of them. */
  @Test
  void thePositionsOfManyMembersWithTheSameStreamsComeOnce() {
    view(newer(B), newer(C));
    List<NodeRun> streams = streams(3_000);
    from(B, summary(1, streams));
    from(C, summary(1, streams));
    PurgeMessage.AskParts asked = (PurgeMessage.AskParts) last(B);
    assertThat(asked.parts()).isEqualTo(-1L);
    List<Position> positions = streams.stream().map(s -> position(s, 5, 6)).toList();
    from(B, new PurgeMessage.Parts(asked.round(), false, positions.subList(0, 1_600)));
    assertThat(messages(C, PurgeMessage.AskParts.class)).isEmpty();
    from(B, new PurgeMessage.Parts(asked.round(), true, positions.subList(1_600, 3_000)));
    assertThat(messages(C, PurgeMessage.AskParts.class)).isEmpty();
    assertThat(revalidating).as("nobody has the purges").hasSize(1);
    revalidating.remove(0).accept(true);
    clock.pass(0);
    assertThat(replication.isCaughtUp()).isTrue();
    assertThat(replication.applied()).containsEntry(streams.get(0), 5L).hasSizeGreaterThan(3_000);
  }

  @Test
  void aMemberThatDoesNotGiveItsPartsHoldsUpNoOther() {
    view(newer(B), newer(C));
    from(B, summary(1, streams(1)));
    from(C, summary(1, streams(2)));
    assertThat(messages(C, PurgeMessage.AskParts.class)).isEmpty();
    clock.pass(1_001 * MILLI);
    assertThat(messages(C, PurgeMessage.AskParts.class)).hasSize(1);
  }

  @Test
  void partsComeInBoundedPieces() {
    know(streams(3_000));
    view(newer(B));
    sent.clear();
    from(B, new PurgeMessage.AskParts(9, -1L));
    List<PurgeMessage> pieces = messages(B, PurgeMessage.Parts.class);
    assertThat(pieces).hasSize(2);
    assertThat(pieces)
        .allSatisfy(piece -> assertThat(PurgeMessage.encode(piece)).hasSizeLessThan(65_536));
    assertThat(((PurgeMessage.Parts) pieces.get(0)).last()).isFalse();
    assertThat(((PurgeMessage.Parts) pieces.get(1)).last()).isTrue();
  }

  private void publish() {
    replication.publish(new byte[1], true, nodes -> answers.add(nodes.text()));
    clock.pass(2 * MILLI);
  }

  private void view(Member... others) {
    List<Member> members = new ArrayList<>(List.of(SELF));
    members.addAll(Arrays.asList(others));
    if (views == 0) {
      replication.start();
    }
    views++;
    replication.view(new View(views, members));
    clock.pass(0);
  }

  private void from(Member member, PurgeMessage message) {
    replication.message(member.id(), PurgeMessage.encode(message));
    clock.pass(0);
  }

  private void acknowledge(Member member, long number) {
    if (number > 0) {
      from(member, new PurgeMessage.Acknowledged(SELF.id(), number));
    }
  }

  private long entriesTo(Member member) {
    return sent.stream()
        .filter(one -> one.to().equals(member.id()))
        .filter(one -> one.message() instanceof PurgeMessage.Entries)
        .mapToLong(one -> ((PurgeMessage.Entries) one.message()).entries().size())
        .sum();
  }

  private long acknowledged(Member member) {
    return sent.stream()
        .filter(one -> one.to().equals(member.id()))
        .filter(one -> one.message() instanceof PurgeMessage.Acknowledged)
        .mapToLong(one -> ((PurgeMessage.Acknowledged) one.message()).number())
        .max()
        .orElse(0);
  }

  private PurgeMessage last(Member member) {
    List<Sent> to = sent.stream().filter(one -> one.to().equals(member.id())).toList();
    return to.get(to.size() - 1).message();
  }

  private static PurgeMessage.Entries entries(Member sender, int first, int count) {
    List<byte[]> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(new byte[] {(byte) (first + i)});
    }
    return new PurgeMessage.Entries(sender.id(), first, entries);
  }

  private static PurgeMessage.Position position(NodeRun stream, long applied, long first) {
    return new PurgeMessage.Position(stream, applied, first);
  }

  private static PurgeMessage.Vector vector(PurgeMessage.Position... positions) {
    return vector(true, positions);
  }

  private static PurgeMessage.Vector vector(boolean complete, PurgeMessage.Position... positions) {
    return new PurgeMessage.Vector(complete, false, List.of(positions));
  }

  private static Member member(int number, String name) {
    InetSocketAddress address = InetSocketAddress.createUnresolved(name, 7_800);
    return new Member(new NodeRun(new UUID(0, number), 1), name, address, address, 1, false, 1);
  }

  private final class PlayedGroup extends FakeGroup {
    PlayedGroup() {
      super(SELF.id());
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      sent.add(new Sent(to, PurgeMessage.decode(message)));
    }

    @Override
    public void announce(Member self) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int configured() {
      return configured;
    }

    @Override
    public boolean isConfigured(Member member) {
      return !strangers.contains(member);
    }

    @Override
    public void close() {
      throw new UnsupportedOperationException();
    }
  }

  private final class PlayedStore implements Invalidations {
    @Override
    public void apply(byte[] entry, Consumer<Boolean> then) {
      applying.add(new Applying(entry, then));
    }

    @Override
    public void revalidateAll(Consumer<Boolean> then) {
      revalidating.add(then);
    }
  }

  /** Syncs when told. */
  private static final class HeldJournal implements PurgeJournal {
    private LongConsumer synced = position -> {};
    private long position;

    void sync() {
      synced.accept(position);
    }

    @Override
    public Kept read() {
      return Kept.NOTHING;
    }

    @Override
    public void listen(LongConsumer listener) {
      synced = listener;
    }

    @Override
    public long append(Line line) {
      position++;
      return position;
    }

    @Override
    public void expire(long count) {
      // all that it has is a number
    }

    @Override
    public void close() {
      // has nothing open
    }
  }
}
