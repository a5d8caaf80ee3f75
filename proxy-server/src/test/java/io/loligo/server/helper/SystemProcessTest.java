package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Helpers that are processes of the system. */
class SystemProcessTest {
  private static final long GUARD_SECONDS = 60;

  @TempDir private Path dir;
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final Helpers helpers =
      new Helpers(
          (millis, task) -> timer.schedule(task, millis, TimeUnit.MILLISECONDS), System::nanoTime);
  private final BlockingQueue<HelperReply> replies = new LinkedBlockingQueue<>();

  @AfterEach
  void end() throws Exception {
    helpers.close();
    timer.shutdownNow();
    List<Thread> left = new ArrayList<>();
    Waiting.until(
        "all threads of helpers have ended",
        () -> {
          left.clear();
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("loligo-helper test"))
              .forEach(left::add);
          return left.isEmpty();
        });
  }

  private Helper open(int max, long timeoutMillis, String script) throws IOException {
    Path file = Files.writeString(dir.resolve("helper.sh"), script);
    return open(max, timeoutMillis, List.of("/bin/sh", file.toString()));
  }

  private Helper open(int max, long timeoutMillis, List<String> command) {
    HelperProgram program =
        new HelperProgram("test", command, HelperChildren.upTo(max), timeoutMillis, false);
    helpers.use(Set.of(program));
    return helpers.of(program);
  }

  private HelperReply ask(Helper helper, String question) throws InterruptedException {
    helper.ask(question.getBytes(UTF_8), Runnable::run, replies::add);
    HelperReply reply = replies.poll(GUARD_SECONDS, TimeUnit.SECONDS);
    assertThat(reply).isNotNull();
    return reply;
  }

  @Test
  void asksAndAnswersThroughPipes() throws Exception {
    Helper helper =
        open(1, 60_000, "while read -r a b; do echo \"OK user=$a message=\\\"$b\\\"\"; done\n");
    for (int i = 0; i < 100; i++) {
      HelperReply reply = ask(helper, "u" + i + " two words $(id) ; `id`");
      assertThat(reply.first("user")).isEqualTo("u" + i);
      assertThat(reply.first("message")).isEqualTo("two words $(id) ; `id`");
    }
    assertThat(helper.numbers().value(HelperCount.STARTS)).isEqualTo(1);
  }

  @Test
  void noShellReadsTheCommand() throws Exception {
    Helper helper =
        open(
            1, 60_000, List.of("/bin/sh", "-c", "read q; echo \"OK v=$1\"; read q", "x", "$(id);"));
    assertThat(ask(helper, "a").first("v")).isEqualTo("$(id);");
  }

  @Test
  void aProgramThatDoesNotExistFails() throws Exception {
    Helper helper = open(1, 60_000, List.of(dir.resolve("none").toString()));
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.DIED);
  }

  @Test
  void aProgramThatEndsAtOnceFails() throws Exception {
    Helper helper = open(1, 60_000, "exit 3\n");
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.DIED);
    assertThat(helper.numbers().value(HelperCount.EXITS)).isEqualTo(2);
  }

  @Test
  void aHungProgramAndItsOwnChildrenAreEnded() throws Exception {
    Path pid = dir.resolve("pid");
    Helper helper =
        open(
            1,
            300,
            "sleep 1000 & echo $! > " + pid + ".new; mv " + pid + ".new " + pid + "; wait\n");
    helper.ask("a".getBytes(UTF_8), Runnable::run, replies::add);
    Waiting.until("the helper has started its own child", () -> Files.exists(pid));
    HelperReply reply = replies.poll(GUARD_SECONDS, TimeUnit.SECONDS);
    assertThat(reply.result()).isEqualTo(HelperResult.TIMED_OUT);
    long sleeping = Long.parseLong(Files.readString(pid).strip());
    Waiting.until(
        "its child has ended",
        () -> ProcessHandle.of(sleeping).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void messagesOnStderrDoNotHoldUpAnswers() throws Exception {
    Helper helper =
        open(
            1,
            60_000,
            "read q; i=0; while [ $i -lt 4000 ]; do echo 'a message of some length' >&2;"
                + " i=$((i+1)); done; echo OK; read q\n");
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.OK);
  }

  @Test
  void endlessOutputWithoutALineEndIsCutOff() throws Exception {
    Helper helper = open(1, 60_000, List.of("/bin/sh", "-c", "cat /dev/zero"));
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.DIED);
  }

  @Test
  void endlessLinesAreCutOff() throws Exception {
    Helper helper = open(1, 60_000, List.of("/bin/sh", "-c", "yes OK"));
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.OK);
    Waiting.until("no child runs", () -> helper.numbers().value(HelperCount.CHILDREN) == 0);
  }

  @Test
  void bytesOfAnyKindPass() throws Exception {
    Helper helper =
        open(1, 60_000, "while read -r q; do printf 'OK v=\\377\\200%s\\n' \"$q\"; done\n");
    assertThat(ask(helper, "a").first("v").getBytes(ISO_8859_1)).containsExactly(0xff, 0x80, 'a');
  }

  @Test
  void aProgramThatIgnoresTheEndOfItsInputIsKilledAtTheEnd() throws Exception {
    Helper helper = open(1, 60_000, "read q; echo OK; exec sleep 1000\n");
    assertThat(ask(helper, "a").result()).isEqualTo(HelperResult.OK);
    helpers.close();
    assertThat(helper.numbers().value(HelperCount.CHILDREN)).isZero();
  }
}
