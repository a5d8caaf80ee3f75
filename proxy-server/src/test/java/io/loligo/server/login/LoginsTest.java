package io.loligo.server.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.LoginState;
import io.loligo.server.helper.Helpers;
import io.loligo.server.login.PasswordCheck.Accepted;
import io.loligo.server.login.PasswordCheck.Answer;
import io.loligo.server.login.PasswordCheck.Rejected;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LoginsTest {
  private static final Helpers HELPERS = new Helpers((millis, task) -> {}, System::nanoTime);
  private static final Credentials BOB = new Credentials("bob", "secret");
  private static final CredentialKey KEY = new CredentialKey(1, 2);
  private static final byte[] CLIENT = {10, 0, 0, 1};
  private static final long TTL_SECONDS = 60;
  private static final long IDLE_SECONDS = 600;

  /** Answers when it is told to. */
  private static final class HeldCheck implements PasswordCheck {
    private final List<Consumer<Answer>> asked = new ArrayList<>();
    private boolean closed;

    @Override
    public void check(Credentials credentials, Consumer<Answer> then) {
      asked.add(then);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Stands still. */
  private static final class StoppedTime implements TimeSource {
    private long seconds = 1_000_000;

    @Override
    public long nanos() {
      return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Override
    public long millis() {
      return TimeUnit.SECONDS.toMillis(seconds);
    }
  }

  private final StoppedTime time = new StoppedTime();
  private final HeldCheck check = new HeldCheck();
  private final List<Answer> told = new ArrayList<>();
  private final Logins logins = logins(settings("realm", "file", IDLE_SECONDS));

  private Logins logins(LoginSettings settings) {
    return new Logins(settings, settings.basic(), time, check);
  }

  private static LoginSettings settings(String realm, String file, long idleSeconds) {
    List<String> program = List.of("basic_ncsa_auth", file);
    BasicSettings basic =
        new BasicSettings(program, "", realm, TTL_SECONDS, false, false, 1, -1, null);
    return new LoginSettings(basic, idleSeconds, 1, 3, true);
  }

  private void ask(CredentialKey key) {
    ask(key, CLIENT);
  }

  private void ask(CredentialKey key, byte[] address) {
    logins.check(key, BOB, address, ImmediateEventExecutor.INSTANCE, told::add);
  }

  private LoginState state() {
    RequestLogin known = logins.known(KEY);
    return known == null ? LoginState.UNCHECKED : known.state();
  }

  @Test
  void requestsWithTheSameCredentialsShareOneCheck() {
    ask(KEY);
    ask(KEY);
    ask(new CredentialKey(1, 3));
    assertThat(check.asked).hasSize(2);
    assertThat(told).isEmpty();
    Answer right = new Accepted();
    check.asked.get(0).accept(right);
    assertThat(told).containsExactly(right, right);
    assertThat(logins.known(KEY).user()).isEqualTo("bob");
    assertThat(logins.known(new CredentialKey(1, 3))).isNull();
  }

  @Test
  void aRightPasswordCountsForItsTime() {
    ask(KEY);
    check.asked.get(0).accept(new Accepted());
    time.seconds += TTL_SECONDS - 1;
    assertThat(state()).isEqualTo(LoginState.KNOWN);
    time.seconds++;
    assertThat(state()).isEqualTo(LoginState.UNCHECKED);
    ask(KEY);
    assertThat(check.asked).hasSize(2);
  }

  @Test
  void aWrongPasswordCountsForAShortTime() {
    ask(KEY);
    check.asked.get(0).accept(new Rejected("wrong"));
    time.seconds += Logins.REJECTED_SECONDS - 1;
    assertThat(state()).isEqualTo(LoginState.CHALLENGE);
    assertThat(logins.known(KEY).user()).isEqualTo("bob");
    time.seconds++;
    assertThat(state()).isEqualTo(LoginState.UNCHECKED);
  }

  @Test
  void anAnswerThatNoLongerHoldsIsForgotten() {
    AtomicBoolean still = new AtomicBoolean(true);
    for (Answer answer : List.of(new Accepted(still::get), new Rejected("no", still::get))) {
      still.set(true);
      ask(KEY);
      check.asked.get(check.asked.size() - 1).accept(answer);
      assertThat(state()).isNotEqualTo(LoginState.UNCHECKED);
      still.set(false);
      assertThat(state()).isEqualTo(LoginState.UNCHECKED);
      still.set(true);
      assertThat(state()).as("it was removed").isEqualTo(LoginState.UNCHECKED);
    }
  }

  @Test
  void aFailedCheckIsNotKept() {
    ask(KEY);
    Answer failed = new Unavailable("broken");
    check.asked.get(0).accept(failed);
    assertThat(told).containsExactly(failed);
    assertThat(state()).isEqualTo(LoginState.UNCHECKED);
    ask(KEY);
    assertThat(check.asked).hasSize(2);
  }

  @Test
  void aReloadKeepsAnswersIfPasswordsAreCheckedInTheSameWay() {
    ask(KEY);
    check.asked.get(0).accept(new Accepted());
    Logins next = Logins.under(logins, settings("other", "file", IDLE_SECONDS), time, HELPERS);
    assertThat(next.known(KEY).user()).isEqualTo("bob");
    assertThat(next.basic().challenge()).contains("other");
    logins.replacedBy(next);
    assertThat(check.closed).isFalse();
    for (LoginSettings changed :
        List.of(settings("realm", "another", IDLE_SECONDS), settings("realm", "file", 1))) {
      assertThat(Logins.under(logins, changed, time, HELPERS).known(KEY)).isNull();
    }
    assertThat(Logins.under(logins, new LoginSettings(null, 1, 1, 3, false), time, HELPERS))
        .isNull();
    next.replacedBy(null);
    assertThat(check.closed).isTrue();
  }

  private void fail(int number, byte[] address) {
    ask(new CredentialKey(7, number), address);
    check.asked.get(check.asked.size() - 1).accept(new Rejected("wrong"));
  }

  @Test
  void wrongPasswordsOfOneClientForOneNameAreLimited() {
    byte[] other = {10, 0, 0, 2};
    for (int i = 0; i < 3; i++) {
      fail(i, CLIENT);
    }
    int asked = check.asked.size();
    ask(KEY, CLIENT);
    assertThat(check.asked).as("not checked").hasSize(asked);
    assertThat(told.get(told.size() - 1))
        .isInstanceOfSatisfying(Unavailable.class, one -> assertThat(one.failures()).isTrue());
    // neither another client nor another name is locked out
    ask(KEY, other);
    assertThat(check.asked).hasSize(asked + 1);
    Credentials carl = new Credentials("carl", "x");
    logins.check(new CredentialKey(8, 8), carl, CLIENT, ImmediateEventExecutor.INSTANCE, told::add);
    assertThat(check.asked).hasSize(asked + 2);
    time.seconds += LoginLimits.WINDOW_SECONDS;
    ask(new CredentialKey(9, 9), CLIENT);
    assertThat(check.asked).hasSize(asked + 3);
  }

  @Test
  void clientsOfOneIpv6NetworkCountAsOne() {
    byte[] one = new byte[16];
    byte[] neighbour = new byte[16];
    byte[] stranger = new byte[16];
    neighbour[15] = 1;
    stranger[7] = 1;
    for (int i = 0; i < 3; i++) {
      fail(i, one);
    }
    int asked = check.asked.size();
    ask(KEY, neighbour);
    assertThat(check.asked).hasSize(asked);
    ask(KEY, stranger);
    assertThat(check.asked).hasSize(asked + 1);
  }

  @Test
  void manyRequestsOfOneClientWithOnePasswordAreOneCheckAndOneFailure() {
    for (int i = 0; i < 3 * LoginLimits.MOST_PENDING; i++) {
      ask(KEY, CLIENT);
    }
    assertThat(check.asked).hasSize(1);
    assertThat(told).isEmpty();
    check.asked.get(0).accept(new Rejected("wrong"));
    assertThat(told).hasSize(3 * LoginLimits.MOST_PENDING);
    ask(new CredentialKey(5, 5), CLIENT);
    assertThat(check.asked).as("not locked out").hasSize(2);
  }

  @Test
  void oneClientCannotFillTheQueue() {
    for (int i = 0; i < LoginLimits.MOST_PENDING; i++) {
      ask(new CredentialKey(7, i), CLIENT);
    }
    assertThat(told).isEmpty();
    ask(KEY, CLIENT);
    assertThat(told).singleElement().isInstanceOf(Unavailable.class);
    ask(KEY, new byte[] {10, 0, 0, 2});
    assertThat(check.asked).hasSize(LoginLimits.MOST_PENDING + 1);
    check.asked.get(0).accept(new Accepted());
    ask(new CredentialKey(8, 8), CLIENT);
    assertThat(check.asked).hasSize(LoginLimits.MOST_PENDING + 2);
  }

  @Test
  void hashesDifferByProcessAndValue() {
    byte[] bytes = "xxBasic abc".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    CredentialHash hash = logins.newHash();
    CredentialKey key = hash.of(bytes, 2, bytes.length);
    assertThat(hash.of(bytes, 2, bytes.length)).isEqualTo(key);
    assertThat(logins.newHash().of(bytes, 2, bytes.length)).isEqualTo(key);
    assertThat(hash.of(bytes, 1, bytes.length)).isNotEqualTo(key);
    assertThat(hash.of(bytes, 2, bytes.length - 1)).isNotEqualTo(key);
    Logins others = logins(settings("realm", "file", IDLE_SECONDS));
    assertThat(others.newHash().of(bytes, 2, bytes.length)).isNotEqualTo(key);
  }

  @Test
  void addressesOfAUserCountForTheirTime() {
    byte[] one = {1, 1, 1, 1};
    byte[] two = {2, 2, 2, 2};
    long now = 10_000;
    logins.countAddress("bob", one, now);
    logins.countAddress("bob", one, now);
    logins.countAddress("alice", two, now);
    assertThat(logins.hasMoreAddresses(1, true, "bob", one)).isFalse();
    logins.countAddress("bob", two, now + 999);
    assertThat(logins.hasMoreAddresses(1, true, "bob", two)).isTrue();
    assertThat(logins.hasMoreAddresses(1, true, "bob", two)).as("forgotten").isFalse();
    logins.countAddress("bob", two, now + 1_000);
    assertThat(logins.hasMoreAddresses(1, false, "bob", two)).as("the first is over").isFalse();
    logins.countAddress("bob", one, now + 1_000);
    assertThat(logins.hasMoreAddresses(1, false, "bob", one)).isTrue();
    assertThat(logins.hasMoreAddresses(0, false, "bob", one)).as("all are forgotten").isFalse();
  }
}
