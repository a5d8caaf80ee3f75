package io.loligo.server.helper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers that are kept, with time and children that the test plays. */
class AnswersTest {
  private final FakeChildren fake = new FakeChildren();
  private final List<HelperReply> replies = new ArrayList<>();
  private Answers answers;

  private void open(long ok, long err, int grace, int entries) {
    HelperChildren children = new HelperChildren(1, 1, 1, 0, 1, false, false);
    HelperProgram program =
        new HelperProgram("test", List.of("/bin/test"), children, 1_000_000, false);
    answers = fake.helpers().answers(new AnswerTerms(program, "%A", ok, err, grace, entries));
  }

  private Runnable ask(String question) {
    return answers.ask(question, Runnable::run, replies::add);
  }

  private List<String> asked() {
    return fake.started.isEmpty() ? List.of() : fake.last().questions;
  }

  @Test
  void anAnswerCountsForItsTime() {
    open(60, 10, 0, 100);
    assertThat(answers.known("a")).isNull();
    ask("a");
    fake.last().answers("OK");
    ask("b");
    fake.last().answers("ERR");
    assertThat(answers.known("a").result()).isEqualTo(HelperResult.OK);
    assertThat(answers.known("b").result()).isEqualTo(HelperResult.ERR);
    fake.pass(10_001);
    assertThat(answers.known("b")).isNull();
    fake.pass(49_000);
    assertThat(answers.known("a")).isNotNull();
    fake.pass(1_000);
    assertThat(answers.known("a")).isNull();
  }

  @Test
  void nearItsEndTheHelperIsAskedAgainOnce() {
    open(100, 100, 20, 100);
    ask("a");
    fake.last().answers("OK v=1");
    fake.pass(79_000);
    answers.known("a");
    assertThat(asked()).hasSize(1);
    fake.pass(2_000);
    assertThat(answers.known("a").first("v")).isEqualTo("1");
    answers.known("a");
    assertThat(asked()).hasSize(2);
    fake.last().answers("OK v=2");
    assertThat(answers.known("a").first("v")).isEqualTo("2");
  }

  @Test
  void equalQuestionsAreOneAndOthersAreNot() {
    open(60, 60, 0, 100);
    ask("a");
    ask("a");
    ask("b");
    assertThat(asked()).containsExactly("a\n");
    fake.last().answers("OK");
    assertThat(replies).hasSize(2);
    fake.last().answers("ERR");
    assertThat(replies).hasSize(3);
  }

  @Test
  void theLastToLeaveCancels() {
    open(60, 60, 0, 100);
    ask("first");
    Runnable one = ask("a");
    Runnable two = ask("a");
    one.run();
    two.run();
    fake.last().answers("OK");
    assertThat(asked()).containsExactly("first\n");
    ask("a");
    fake.last().answers("OK");
    assertThat(replies).hasSize(2);
  }

  @Test
  void whereTooManyWaitAnOldAnswerCounts() {
    open(10, 10, 0, 100);
    ask("a");
    fake.last().answers("OK");
    fake.pass(20_000);
    ask("x");
    ask("y");
    ask("a");
    ask("z");
    assertThat(replies)
        .extracting(HelperReply::result)
        .containsExactly(HelperResult.OK, HelperResult.OK, HelperResult.REFUSED);
  }

  @Test
  void failuresAreNotKept() {
    open(10, 10, 0, 100);
    ask("a");
    fake.last().answers("yes");
    assertThat(answers.known("a")).isNull();
  }

  @Test
  void memoryHasALimit() {
    open(1000, 1000, 0, 10);
    for (int i = 0; i < 50; i++) {
      ask("question " + i);
      fake.last().answers("OK");
    }
    long kept = 0;
    for (int i = 0; i < 50; i++) {
      kept += answers.known("question " + i) == null ? 0 : 1;
    }
    assertThat(kept).isBetween(1L, 10L);
    ask("large");
    fake.last().answers("OK m=" + "x".repeat(10 * Answers.ENTRY_BYTES));
    assertThat(answers.known("large")).isNull();
  }

  @Test
  void withoutEntriesNothingIsKeptOrShared() {
    open(60, 60, 0, 0);
    ask("a");
    ask("a");
    fake.last().answers("OK");
    fake.last().answers("OK");
    assertThat(asked()).hasSize(2);
    assertThat(answers.known("a")).isNull();
  }
}
