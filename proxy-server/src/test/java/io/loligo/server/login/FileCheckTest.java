package io.loligo.server.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.login.PasswordCheck.Accepted;
import io.loligo.server.login.PasswordCheck.Answer;
import io.loligo.server.login.PasswordCheck.Rejected;
import io.loligo.server.login.PasswordCheck.Unavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileCheckTest {
  private static final String SECRET = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";
  private static final Credentials BOB = new Credentials("bob", "secret");

  @TempDir Path dir;
  private final List<FileCheck> open = new ArrayList<>();
  private final AtomicLong nanos = new AtomicLong();
  private Path file;

  @BeforeEach
  void writeUsers() throws IOException {
    file = Files.writeString(dir.resolve("users"), "bob:" + SECRET + "\n");
  }

  @AfterEach
  void close() {
    open.forEach(FileCheck::close);
  }

  private FileCheck check() {
    FileCheck check = new FileCheck(new PasswordFile(file.toString(), false), 1, 1, nanos::get);
    open.add(check);
    return check;
  }

  private static Answer answer(FileCheck check, Credentials credentials) throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    check.check(credentials, answer::complete);
    return answer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void acceptsThePasswordOfTheFileOnly() throws Exception {
    FileCheck check = check();
    assertThat(answer(check, BOB)).isInstanceOf(Accepted.class);
    assertThat(answer(check, new Credentials("bob", "Secret"))).isInstanceOf(Rejected.class);
    assertThat(answer(check, new Credentials("Bob", "secret"))).isInstanceOf(Rejected.class);
  }

  /** The decoy is the hash of that very password: only the missing name tells. */
  @Test
  void anUnknownNameIsRejectedWhateverTheDecoySays() throws Exception {
    Files.writeString(file, "bob:" + SECRET + "\nold:abNANd1rDfiNc\n");
    FileCheck check = check();
    assertThat(answer(check, new Credentials("carl", "secret"))).isInstanceOf(Rejected.class);
    assertThat(answer(check, new Credentials("old", "secret"))).isInstanceOf(Rejected.class);
  }

  @Test
  void aChangedFileEndsAnswersOfUsersWhoChanged() throws Exception {
    FileCheck check = check();
    Accepted bob = (Accepted) answer(check, BOB);
    Rejected carl = (Rejected) answer(check, new Credentials("carl", "secret"));
    assertThat(bob.still().getAsBoolean()).isTrue();
    assertThat(carl.still().getAsBoolean()).isTrue();
    Files.writeString(file, "bob:" + SECRET + ":more\ncarl:" + SECRET + "\n");
    assertThat(answer(check, new Credentials("carl", "secret"))).isInstanceOf(Accepted.class);
    assertThat(bob.still().getAsBoolean()).as("the same hash").isTrue();
    assertThat(carl.still().getAsBoolean()).isFalse();
    Files.writeString(file, "carl:" + SECRET + "\n");
    answer(check, new Credentials("carl", "x"));
    assertThat(bob.still().getAsBoolean()).isFalse();
  }

  @Test
  void theFileIsLookedAtWhileAnswersAreUsedAgain() throws Exception {
    FileCheck check = check();
    Accepted bob = (Accepted) answer(check, BOB);
    Files.delete(file);
    Files.writeString(file, "nobody:" + SECRET + "\n");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(FileCheck.LOOK_SECONDS) - 1);
    assertThat(check.lookIsDue()).isFalse();
    assertThat(bob.still().getAsBoolean()).isTrue();
    nanos.incrementAndGet();
    assertThat(check.lookIsDue()).isTrue();
    long guard = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (bob.still().getAsBoolean() && System.nanoTime() - guard < 0) {
      Thread.onSpinWait();
    }
    assertThat(bob.still().getAsBoolean()).isFalse();
  }

  @Test
  void aFullQueueRejectsAndAClosedCheckAnswersTheRest() throws Exception {
    Semaphore mayGoOn = new Semaphore(1); // for the constructor
    CountDownLatch began = new CountDownLatch(1);
    FileCheck check =
        new FileCheck(
            new PasswordFile(file.toString(), false),
            1,
            1,
            () -> {
              if (Thread.currentThread().getName().startsWith("loligo-login")) {
                began.countDown();
              }
              mayGoOn.acquireUninterruptibly();
              return 0;
            });
    open.add(check);
    CompletableFuture<Answer> first = new CompletableFuture<>();
    CompletableFuture<Answer> second = new CompletableFuture<>();
    check.check(BOB, first::complete);
    assertThat(began.await(60, TimeUnit.SECONDS)).isTrue();
    check.check(BOB, second::complete);
    assertThat(answer(check, BOB)).isInstanceOf(Unavailable.class);
    check.close();
    mayGoOn.release(100);
    assertThat(first.get(60, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
    assertThat(second.get(60, TimeUnit.SECONDS)).isInstanceOf(Accepted.class);
    assertThat(answer(check, BOB)).isInstanceOf(Unavailable.class);
  }

  @Test
  void withoutAFileNobodyCanTell() throws Exception {
    Files.delete(file);
    FileCheck check = check();
    assertThat(answer(check, BOB)).isInstanceOf(Unavailable.class);
    Files.writeString(file, "bob:" + SECRET);
    assertThat(answer(check, BOB)).isInstanceOf(Accepted.class);
    Files.delete(file);
    assertThat(answer(check, BOB)).as("as last read").isInstanceOf(Accepted.class);
  }
}
