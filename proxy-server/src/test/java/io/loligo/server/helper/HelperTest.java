package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.helper.FakeChildren.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Questions, children and their ends, with children and time that the test plays. */
class HelperTest {
  private static final long TIMEOUT = 10_000;

  private final FakeChildren fake = new FakeChildren();
  private final List<HelperReply> replies = new ArrayList<>();
  private Helper helper;

  private static HelperChildren children(int max, int startup, int concurrency, int queue) {
    return new HelperChildren(max, startup, 1, concurrency, queue, false, false);
  }

  private void open(int max, int startup, int concurrency, int queue) {
    helper = fake.helper(children(max, startup, concurrency, queue), TIMEOUT, false);
    helper.begin();
  }

  private HelperQuestion ask(String text) {
    return helper.ask(text.getBytes(ISO_8859_1), Runnable::run, replies::add);
  }

  private List<HelperResult> results() {
    return replies.stream().map(HelperReply::result).toList();
  }

  private Child child(int index) {
    return fake.started.get(index);
  }

  @Test
  void aChildIsStartedOnDemandAndHasOneQuestionAtOnce() {
    open(2, 0, 0, 4);
    assertThat(fake.started).isEmpty();
    ask("a");
    ask("b");
    ask("c");
    assertThat(fake.started).hasSize(2);
    assertThat(child(0).questions).containsExactly("a\n");
    assertThat(child(1).questions).containsExactly("b\n");
    child(1).answers("OK tag=1");
    assertThat(child(1).questions).containsExactly("b\n", "c\n");
    assertThat(replies.get(0).first("tag")).isEqualTo("1");
    assertThat(helper.numbers().value(HelperCount.PENDING)).isEqualTo(2);
  }

  @Test
  void childrenOfStartupRunFromTheBeginning() {
    open(5, 3, 0, 4);
    assertThat(fake.started).hasSize(3);
    child(1).dies();
    assertThat(fake.started).hasSize(4);
  }

  @Test
  void withChannelsAnswersComeInAnyOrder() {
    open(1, 0, 3, 4);
    ask("a");
    ask("b");
    ask("c");
    ask("d");
    Child only = child(0);
    assertThat(only.questions).hasSize(3);
    only.answers(only.channel(2) + " OK v=c");
    only.answers(only.channel(0) + " OK v=a");
    only.answers(only.channel(1) + " ERR");
    only.answers(only.channel(3));
    assertThat(replies.get(0).first("v")).isEqualTo("c");
    assertThat(replies.get(1).first("v")).isEqualTo("a");
    assertThat(results().subList(2, 4)).containsExactly(HelperResult.ERR, HelperResult.ERR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"OK", "99 OK", "-1 OK", "1x OK", "99999999999999999999 OK", "", " 1 OK"})
  void anAnswerOfNoChannelAnswersNothing(String line) {
    open(1, 0, 2, 4);
    ask("a");
    child(0).answers(line);
    assertThat(replies).isEmpty();
    assertThat(helper.numbers().value(HelperCount.UNEXPECTED)).isEqualTo(1);
    child(0).answers(child(0).channel(0) + " OK");
    assertThat(results()).containsExactly(HelperResult.OK);
  }

  @Test
  void anAnswerGivenTwiceNeverAnswersTheNextQuestion() {
    open(1, 0, 1, 4);
    ask("a");
    String first = child(0).channel(0) + " OK";
    child(0).answers(first);
    ask("b");
    child(0).answers(first);
    assertThat(replies).hasSize(1);
  }

  @Test
  void aChildThatTalksWithoutBeingAskedIsEnded() {
    open(1, 1, 0, 4);
    for (int i = 0; i < Helper.MAX_UNEXPECTED; i++) {
      child(0).answers("OK");
    }
    assertThat(child(0).killed).isFalse();
    child(0).answers("OK");
    assertThat(child(0).killed).isTrue();
  }

  @Test
  void aChildThatDiesHandsItsQuestionOnOnce() {
    open(2, 0, 0, 4);
    ask("a");
    child(0).dies();
    assertThat(child(1).questions).containsExactly("a\n");
    child(1).answers("OK");
    assertThat(results()).containsExactly(HelperResult.OK);
    ask("b");
    child(1).dies();
    fake.last().dies();
    assertThat(results()).containsExactly(HelperResult.OK, HelperResult.DIED);
    assertThat(helper.numbers().value(HelperCount.EXITS)).isEqualTo(3);
  }

  @Test
  void answersThatAreOnTheirWayWhenTheProcessEndsCount() {
    open(1, 0, 0, 4);
    ask("a");
    child(0).events.exited();
    child(0).answers("OK");
    child(0).events.gone("exit status 0");
    assertThat(results()).containsExactly(HelperResult.OK);
  }

  @Test
  void aProcessWhoseOutputStaysOpenLosesItsQuestionsAndKeepsItsPlace() {
    open(1, 0, 0, 4);
    ask("a");
    child(0).events.exited();
    fake.pass(1_000);
    assertThat(results()).containsExactly(HelperResult.DIED);
    ask("b");
    assertThat(fake.started).hasSize(1);
    assertThat(results()).containsExactly(HelperResult.DIED, HelperResult.DIED);
    child(0).events.gone("exit status 0");
    ask("c");
    assertThat(fake.started).hasSize(2);
  }

  @Test
  void programsThatDieAtOnceAreStartedAtGrowingIntervals() {
    open(1, 1, 0, 4);
    child(0).dies();
    child(1).dies();
    assertThat(fake.started).hasSize(3);
    child(2).dies();
    ask("a");
    assertThat(results()).containsExactly(HelperResult.DIED);
    fake.pass(900);
    assertThat(fake.started).hasSize(3);
    fake.pass(300);
    assertThat(fake.started).hasSize(4);
    child(3).dies();
    fake.pass(1_800);
    assertThat(fake.started).hasSize(4);
    fake.pass(500);
    assertThat(fake.started).hasSize(5);
    for (int i = 0; i < 20; i++) {
      fake.last().dies();
      fake.pass(61_000);
    }
    assertThat(fake.started).hasSize(25);
    ask("b");
    fake.last().answers("OK");
    assertThat(results()).endsWith(HelperResult.OK);
    fake.last().dies();
    assertThat(fake.started).hasSize(26);
  }

  @Test
  void aHungChildIsEndedAndItsOtherQuestionsGoOn() {
    open(2, 0, 2, 4);
    ask("a");
    fake.pass(TIMEOUT / 2);
    ask("b"); // the second child is started only when all are busy
    assertThat(child(0).questions).hasSize(2);
    fake.pass(TIMEOUT / 2 + 300);
    assertThat(results()).containsExactly(HelperResult.TIMED_OUT);
    assertThat(child(0).killed).isTrue();
    assertThat(child(1).questions).containsExactly("1 b\n");
    child(1).answers("1 OK");
    assertThat(results()).containsExactly(HelperResult.TIMED_OUT, HelperResult.OK);
    assertThat(helper.numbers().value(HelperCount.TIMEOUTS)).isEqualTo(1);
    assertThat(helper.numbers().value(HelperCount.EXITS)).isZero();
  }

  @Test
  void aSlowAnswerBesideQuickOnesCostsNoChild() {
    open(1, 0, 2, 4);
    ask("slow");
    fake.pass(TIMEOUT / 2);
    ask("quick");
    child(0).answers("2 OK");
    fake.pass(TIMEOUT / 2 + 300);
    ask("next");
    assertThat(child(0).killed).isFalse();
    child(0).answers("1 OK v=late");
    child(0).answers("3 OK");
    assertThat(results()).containsExactly(HelperResult.OK, HelperResult.TIMED_OUT, HelperResult.OK);
  }

  @Test
  void aQuestionInTheQueueTimesOutToo() {
    open(1, 0, 0, 4);
    ask("a");
    fake.pass(1_000);
    ask("b");
    fake.pass(TIMEOUT - 500);
    assertThat(child(0).killed).isTrue();
    fake.pass(2_000);
    assertThat(results()).startsWith(HelperResult.TIMED_OUT);
    assertThat(helper.numbers().value(HelperCount.QUEUED)).isZero();
    assertThat(helper.numbers().value(HelperCount.PENDING)).isZero();
  }

  @Test
  void aQuestionThatTimedOutIsAskedAgainIfTheLineSaysSo() {
    helper = fake.helper(children(9, 0, 1, 4), TIMEOUT, true);
    ask("a");
    fake.pass(TIMEOUT + 300);
    assertThat(child(1).questions).containsExactly("1 a\n");
    fake.pass(TIMEOUT + 300);
    child(2).answers("1 OK");
    assertThat(results()).containsExactly(HelperResult.OK);
    ask("b");
    fake.pass(3 * TIMEOUT + 1_000);
    assertThat(results()).containsExactly(HelperResult.OK, HelperResult.TIMED_OUT);
  }

  @Test
  void noTimeIsMeasuredWhileNothingIsAsked() {
    open(1, 0, 0, 4);
    ask("a");
    child(0).answers("OK");
    fake.pass(2 * Helper.TICK_MILLIS);
    assertThat(fake.waiting()).isZero();
  }

  @Test
  void aBrokenHelperIsAskedTwiceMore() {
    open(1, 0, 0, 4);
    ask("a");
    child(0).answers("BH message=no");
    child(0).answers("BH");
    assertThat(replies).isEmpty();
    child(0).answers("BH really");
    assertThat(results()).containsExactly(HelperResult.BROKEN);
    assertThat(child(0).questions).hasSize(3);
  }

  @Test
  void overloadMayLastForThreeMinutes() {
    open(1, 0, 0, 1);
    helper = fake.helper(children(1, 0, 0, 1), 1_000_000, false);
    ask("a");
    ask("b");
    assertThat(helper.wouldOverload()).isTrue();
    ask("c");
    fake.pass(Helper.OVERLOAD_SECONDS * 1000);
    ask("d");
    assertThat(replies).isEmpty();
    fake.pass(1_000);
    ask("e");
    assertThat(results()).containsExactly(HelperResult.REFUSED);
    child(0).answers("OK");
    child(0).answers("OK");
    ask("f");
    assertThat(helper.numbers().value(HelperCount.QUEUED)).isEqualTo(2);
    assertThat(helper.wouldOverload()).isTrue();
  }

  @Test
  void overloadIsAnErrorAnswerIfTheLineSaysSo() {
    HelperChildren refusing = new HelperChildren(1, 0, 1, 0, 0, false, true);
    helper = fake.helper(refusing, 1_000_000, false);
    ask("a");
    ask("b");
    fake.pass(Helper.OVERLOAD_SECONDS * 1000 + 1_000);
    ask("c");
    assertThat(results()).containsExactly(HelperResult.ERR);
  }

  @Test
  void theQueueHasALimit() {
    open(1, 0, 0, 1_000_000);
    for (int i = 0; i < Helper.MOST_QUEUED + 1; i++) {
      ask("a");
    }
    assertThat(replies).isEmpty();
    ask("a");
    assertThat(results()).containsExactly(HelperResult.REFUSED);
  }

  @Test
  void questionsAreOneLine() {
    open(1, 0, 0, 4);
    ask("a\r\nOK b\0\tc\u00e9\u007f");
    assertThat(child(0).questions).containsExactly("a%0D%0AOK b%00%09c\u00e9%7F\n");
    ask("x".repeat(Helper.MAX_LINE_BYTES + 1));
    assertThat(results()).containsExactly(HelperResult.REFUSED);
  }

  @Test
  void aCancelledQuestionLeavesTheQueueAndGetsNoAnswer() {
    open(1, 0, 0, 4);
    HelperQuestion first = ask("a");
    HelperQuestion second = ask("b");
    second.cancel();
    first.cancel();
    assertThat(helper.numbers().value(HelperCount.PENDING)).isZero();
    child(0).answers("OK");
    assertThat(child(0).questions).containsExactly("a\n");
    assertThat(replies).isEmpty();
    fake.pass(2 * TIMEOUT);
    assertThat(child(0).killed).isFalse();
  }

  @Test
  void anExecutorThatHasEndedDoesNoHarm() {
    open(1, 0, 0, 4);
    helper.ask(
        "a".getBytes(ISO_8859_1),
        task -> {
          throw new RejectedExecutionException();
        },
        replies::add);
    child(0).answers("OK");
    ask("b");
    child(0).answers("OK");
    assertThat(results()).containsExactly(HelperResult.OK);
  }

  @Test
  void answersArePassedOnWithoutTheLock() {
    open(1, 0, 0, 4);
    List<Boolean> locked = new ArrayList<>();
    Executor looking =
        task -> {
          locked.add(Thread.holdsLock(helper));
          task.run();
        };
    helper.ask(new byte[0], looking, replies::add);
    child(0).answers("OK");
    helper.ask(new byte[Helper.MAX_LINE_BYTES + 1], looking, replies::add);
    helper.ask(new byte[0], looking, replies::add);
    fake.pass(2 * TIMEOUT);
    helper.ask(new byte[0], looking, replies::add);
    helper.close();
    assertThat(results())
        .containsExactly(
            HelperResult.OK, HelperResult.REFUSED, HelperResult.TIMED_OUT, HelperResult.DIED);
    assertThat(locked).containsOnly(false);
  }

  @Test
  void aLineThatIsTooLongEndsItsChild() {
    open(2, 0, 0, 4);
    ask("a");
    child(0).events.garbage("too long");
    assertThat(child(0).killed).isTrue();
    assertThat(child(1).questions).containsExactly("a\n");
  }

  @Test
  void aClosedHelperLetsItsChildrenAnswerAndEnd() {
    open(1, 0, 0, 4);
    ask("a");
    ask("b");
    helper.close();
    assertThat(child(0).finished).isFalse();
    child(0).answers("OK");
    assertThat(child(0).finished).isTrue();
    assertThat(results()).containsExactly(HelperResult.DIED, HelperResult.OK);
    ask("c");
    assertThat(results()).endsWith(HelperResult.DIED);
    fake.pass(Helper.END_MILLIS + 100);
    assertThat(child(0).killed).isTrue();
    child(0).dies();
    assertThat(helper.hasEnded()).isTrue();
    assertThat(fake.started).hasSize(1);
  }

  @Test
  void aReloadKeepsTheChildrenOfLinesThatStay() {
    Helpers helpers = fake.helpers();
    HelperProgram kept =
        new HelperProgram("kept", List.of("/bin/a"), children(1, 1, 0, 1), TIMEOUT, false);
    HelperProgram before =
        new HelperProgram("changed", List.of("/bin/b"), children(1, 1, 0, 1), TIMEOUT, false);
    HelperProgram now =
        new HelperProgram("changed", List.of("/bin/b", "-x"), children(1, 1, 0, 1), TIMEOUT, false);
    helpers.use(Set.of(kept, before));
    Helper old = helpers.of(before);
    assertThat(fake.started).hasSize(2);
    HelperProgram same =
        new HelperProgram("kept", List.of("/bin/a"), children(1, 1, 0, 1), TIMEOUT, false);
    helpers.use(Set.of(same, now));
    assertThat(fake.started).hasSize(3);
    assertThat(helpers.numbers())
        .extracting(HelperNumbers::name)
        .containsExactly("changed", "kept");
    // a request that began before the reload may still ask
    helper = old;
    ask("a");
    Child asked = fake.started.stream().filter(one -> !one.questions.isEmpty()).findFirst().get();
    fake.pass(Helper.RETIRE_MILLIS - 25_000);
    asked.answers("OK");
    assertThat(results()).containsExactly(HelperResult.OK);
    fake.pass(25_100);
    assertThat(fake.started).filteredOn(one -> one.finished).containsExactly(asked);
  }
}
