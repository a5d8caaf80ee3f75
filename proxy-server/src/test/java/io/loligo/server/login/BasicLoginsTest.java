package io.loligo.server.login;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.LoginState;
import io.loligo.server.login.PasswordCheck.Accepted;
import io.loligo.server.login.PasswordCheck.Answer;
import io.loligo.server.login.PasswordCheck.Rejected;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class BasicLoginsTest {
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

  private final StoppedTime time = new StoppedTime();
  private final HeldCheck check = new HeldCheck();
  private final List<Answer> told = new ArrayList<>();
  private final LoginLimits limits = new LoginLimits(3, time);
  private final BasicLogins logins = logins(settings("realm", "file", IDLE_SECONDS));

  private BasicLogins logins(LoginSettings settings) {
    return new BasicLogins(settings, settings.schemes().basic(), time, limits, check);
  }

  private static LoginSettings settings(String realm, String file, long idleSeconds) {
    List<String> program = List.of("basic_ncsa_auth", file);
    BasicSettings basic =
        new BasicSettings(program, "", realm, TTL_SECONDS, false, false, 1, -1, null, null);
    return new LoginSettings(
        new AuthSchemes(List.of(basic)), OfferRules.ALL, idleSeconds, 1, 3, true, false);
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
    time.seconds += BasicLogins.REJECTED_SECONDS - 1;
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
    BasicLogins next = under(settings("other", "file", IDLE_SECONDS));
    assertThat(next.known(KEY).user()).isEqualTo("bob");
    assertThat(next.challenges()).containsExactly("Basic realm=\"other\"");
    assertThat(logins.continuesIn(next)).isTrue();
    assertThat(logins.continuesIn(logins(settings("realm", "file", IDLE_SECONDS)))).isTrue();
    assertThat(under(settings("realm", "another", IDLE_SECONDS))).isNull();
    assertThat(under(settings("realm", "file", 1))).isNull();
    next.close();
    assertThat(check.closed).isTrue();
  }

  private BasicLogins under(LoginSettings settings) {
    return logins.under(settings, settings.schemes().basic(), limits);
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
}
