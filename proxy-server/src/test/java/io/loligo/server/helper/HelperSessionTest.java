package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.helper.FakeChildren.Child;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations with one child, with children and time that the test plays. */
class HelperSessionTest {
  private static final long TIMEOUT = 10_000;
  private static final int RESERVATION_SECONDS = 30;

  private final FakeChildren fake = new FakeChildren();
  private final List<HelperReply> replies = new ArrayList<>();
  private Helper helper;

  private void open(int max, int queue) {
    HelperChildren children =
        new HelperChildren(max, 0, 1, 0, queue, false, false, RESERVATION_SECONDS);
    helper = fake.helper(children, TIMEOUT, false);
    helper.begin();
  }

  private HelperSession begin(String text) {
    return begin(null, text);
  }

  private HelperSession begin(Object client, String text) {
    HelperSession session = helper.session(client);
    ask(session, text);
    return session;
  }

  private void ask(HelperSession session, String text) {
    session.ask(text.getBytes(ISO_8859_1), Runnable::run, replies::add);
  }

  private Child child(int index) {
    return fake.started.get(index);
  }

  private HelperResult lastResult() {
    return replies.get(replies.size() - 1).result();
  }

  @Test
  void aChallengeReservesTheChild() {
    open(2, 4);
    HelperSession first = begin("YR a");
    child(0).answers("TT x");
    begin("YR b");
    assertThat(fake.started).hasSize(2);
    child(1).answers("TT y");
    begin("YR c");
    assertThat(fake.started).hasSize(2);
    ask(first, "KK a");
    assertThat(child(0).questions).containsExactly("YR a\n", "KK a\n");
    child(0).answers("AF bob");
    assertThat(child(0).questions).as("it is free").endsWith("YR c\n");
    assertThat(child(1).questions).containsExactly("YR b\n");
    assertThat(replies).hasSize(3);
    assertThat(replies.get(2).first("user")).isEqualTo("bob");
  }

  @Test
  void oneClientLeavesAChildToOthers() {
    open(4, 9);
    List<HelperSession> own = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      own.add(begin("a", "YR a" + i));
    }
    assertThat(fake.started).as("three quarters").hasSize(3);
    for (int i = 0; i < 3; i++) {
      child(i).answers("TT x");
    }
    begin("b", "YR b");
    begin("c", "YR c");
    assertThat(child(3).questions).containsExactly("YR b\n");
    child(3).answers("AF bob");
    assertThat(child(3).questions).as("c does not wait behind a").endsWith("YR c\n");
    child(3).answers("AF carl");
    assertThat(child(3).questions).as("idle, but not for a").hasSize(2);
    own.get(1).end();
    assertThat(child(1).questions.size() + child(3).questions.size()).isEqualTo(4);
    assertThat(helper.numbers().value(HelperCount.QUEUED)).isEqualTo(1);
    begin("b", "YR b2");
    assertThat(child(3).questions).endsWith("YR b2\n");
    assertThat(helper.numbers().value(HelperCount.QUEUED)).isEqualTo(1);
  }

  @Test
  void aClientWithItsShareGetsAChildThatItHasForgotten() {
    open(2, 9);
    begin("a", "YR a");
    child(0).answers("TT x");
    fake.pass(RESERVATION_SECONDS * 1_000L - 1_000);
    begin("a", "YR again");
    assertThat(fake.started).hasSize(1);
    assertThat(child(0).questions).hasSize(1);
    fake.pass(1_500);
    assertThat(child(0).questions).containsExactly("YR a\n", "YR again\n");
  }

  @Test
  void theOnlyChildIsForAnyClient() {
    open(1, 9);
    begin("a", "YR a");
    begin("b", "YR b");
    child(0).answers("AF bob");
    assertThat(child(0).questions).containsExactly("YR a\n", "YR b\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"AF bob", "NA no", "BH no", "OK user=bob", "ERR", "whatever", "TT"})
  void anyOtherAnswerFreesIt(String answer) {
    open(1, 4);
    HelperSession session = begin("YR a");
    child(0).answers(answer);
    assertThat(replies).as("asked once").hasSize(1);
    begin("YR b");
    child(0).answers("TT x");
    assertThat(replies).hasSize(2);
    ask(session, "YR again");
    session.end();
    assertThat(lastResult()).as("it waited").isEqualTo(HelperResult.REFUSED);
    assertThat(child(0).questions).hasSize(2);
    assertThat(helper.numbers().value(HelperCount.QUEUED)).isZero();
    assertThat(helper.numbers().value(HelperCount.PENDING)).isZero();
  }

  @Test
  void theEndFreesIt() {
    open(1, 4);
    HelperSession session = begin("YR a");
    child(0).answers("TT x");
    begin("YR b");
    assertThat(child(0).questions).hasSize(1);
    session.end();
    assertThat(child(0).questions).endsWith("YR b\n");
    session.end();
    ask(session, "KK a");
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
    assertThat(child(0).questions).hasSize(2);
  }

  @Test
  void theEndOfAQuestionFreesItAfterTheAnswer() {
    open(1, 4);
    HelperSession session = begin("YR a");
    begin("YR b");
    session.end();
    assertThat(child(0).questions).as("it has a question").hasSize(1);
    child(0).answers("TT x");
    assertThat(replies).hasSize(1);
    assertThat(child(0).questions).endsWith("YR b\n");
  }

  @Test
  void aChildThatDiesEndsItsConversationOnly() {
    open(2, 4);
    HelperSession first = begin("YR a");
    HelperSession second = begin("YR b");
    child(0).answers("TT x");
    child(1).answers("TT y");
    ask(first, "KK a");
    child(0).dies();
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
    ask(first, "KK a");
    assertThat(replies).hasSize(4).last().isEqualTo(HelperReply.of(HelperResult.DIED));
    ask(second, "KK b");
    child(1).answers("AF bob");
    assertThat(lastResult()).isEqualTo(HelperResult.OK);
  }

  @Test
  void aChildThatDiesIdleEndsItsConversation() {
    open(2, 4);
    HelperSession first = begin("YR a");
    child(0).answers("TT x");
    child(0).dies();
    ask(first, "KK a");
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
    assertThat(fake.started).hasSize(1);
  }

  @Test
  void aFirstQuestionGoesToAnotherChildOnce() {
    open(2, 4);
    begin("YR a");
    child(0).dies();
    assertThat(child(1).questions).containsExactly("YR a\n");
    child(1).answers("TT x");
    assertThat(lastResult()).isEqualTo(HelperResult.CHALLENGE);
  }

  @Test
  void aHungChildIsEndedWithItsConversation() {
    open(1, 4);
    HelperSession session = begin("YR a");
    child(0).answers("TT x");
    ask(session, "KK a");
    fake.pass(TIMEOUT + 1_000);
    assertThat(lastResult()).isEqualTo(HelperResult.TIMED_OUT);
    assertThat(child(0).killed).isTrue();
    ask(session, "KK a");
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
  }

  @Test
  void anOldReservationEndsIfOthersWait() {
    open(2, 4);
    HelperSession older = begin("YR a");
    child(0).answers("TT x");
    fake.pass(1_000);
    HelperSession newer = begin("YR b");
    child(1).answers("TT y");
    fake.pass(RESERVATION_SECONDS * 1_000 - 2_000);
    begin("YR c");
    assertThat(child(0).questions).as("it is reserved").hasSize(1);
    fake.pass(1_500);
    assertThat(child(0).questions).endsWith("YR c\n");
    assertThat(child(1).questions).hasSize(1);
    child(0).answers("TT z");
    ask(older, "KK a");
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
    older.end();
    assertThat(child(0).questions).hasSize(2);
    ask(newer, "KK b");
    assertThat(child(1).questions).endsWith("KK b\n");
  }

  @Test
  void aReservationLastsWhileNobodyWaits() {
    open(1, 4);
    HelperSession session = begin("YR a");
    child(0).answers("TT x");
    fake.pass(RESERVATION_SECONDS * 2_000);
    ask(session, "KK a");
    assertThat(child(0).questions).endsWith("KK a\n");
  }

  @Test
  void reservedChildrenEndWithTheHelper() {
    open(1, 4);
    HelperSession session = begin("YR a");
    child(0).answers("TT x");
    helper.close();
    assertThat(child(0).finished).isTrue();
    ask(session, "KK a");
    assertThat(lastResult()).isEqualTo(HelperResult.DIED);
  }

  @Test
  void questionsHaveALimit() {
    open(1, 4);
    begin("a".repeat(Helper.MAX_SESSION_LINE_BYTES + 1));
    assertThat(lastResult()).isEqualTo(HelperResult.REFUSED);
    begin("a".repeat(Helper.MAX_SESSION_LINE_BYTES));
    assertThat(child(0).questions).hasSize(1);
  }
}
