package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.LoginState;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperProgram;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.SchemeSettings.KeyExtras;
import io.loligo.server.login.TokenCheck.Broken;
import io.loligo.server.login.TokenCheck.Done;
import io.loligo.server.login.TokenCheck.More;
import io.loligo.server.login.TokenCheck.Outcome;
import io.loligo.server.login.TokenCheck.Wrong;
import io.loligo.server.login.kerberos.KerberosOptions;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class TokenLoginsTest {
  private static final TokenSettings SETTINGS =
      new TokenSettings(
          "negotiate",
          List.of("negotiate_kerberos_auth"),
          true,
          null,
          new TokenSettings.Kerberos(
              null, 1, -1, new KerberosOptions("/k", null, false, null, null)),
          null);

  /** Answers when it is told to. */
  private static final class HeldTokens implements TokenCheck {
    private final List<String> asked = new ArrayList<>();
    private final List<Consumer<Outcome>> waiting = new ArrayList<>();
    private int begun;
    private int ended;
    private boolean reserves;

    @Override
    public Handshake begin(Object client) {
      begun++;
      return new Handshake() {
        @Override
        public void next(String token, String extras, Consumer<Outcome> then) {
          asked.add(token);
          waiting.add(then);
        }

        @Override
        public void end() {
          ended++;
        }
      };
    }

    @Override
    public boolean reserves() {
      return reserves;
    }

    @Override
    public void close() {}

    void answer(Outcome outcome) {
      waiting.remove(0).accept(outcome);
    }
  }

  private final HeldTokens check = new HeldTokens();
  private final StoppedTime time = new StoppedTime();
  private TokenLogins logins = new TokenLogins(SETTINGS, new LoginLimits(3, time), check);
  private final CredentialHash hash =
      new CredentialHash(new SecretKeySpec(new byte[32], CredentialHash.ALGORITHM));
  private final ConnectionLogin connection = new ConnectionLogin();
  private final List<RequestLogin> told = new ArrayList<>();

  private RequestLogin read(String value, ConnectionLogin on) {
    byte[] bytes = ("xx" + value).getBytes(ISO_8859_1);
    return logins.read(
        new LoginRequest() {
          @Override
          public byte[] bytes() {
            return bytes;
          }

          @Override
          public int start() {
            return 2;
          }

          @Override
          public int end() {
            return bytes.length;
          }

          @Override
          public CredentialHash hash() {
            return hash;
          }

          @Override
          public byte[] clientAddress() {
            return new byte[] {10, 0, 0, 1};
          }

          @Override
          public String method() {
            return "GET";
          }

          @Override
          public boolean isFor(String uri) {
            return true;
          }

          @Override
          public ConnectionLogin connection() {
            return on;
          }

          @Override
          public String extras(KeyExtras extras) {
            return null;
          }
        });
  }

  private void send(String token) {
    read("Negotiate " + token, connection)
        .check()
        .begin(ImmediateEventExecutor.INSTANCE, told::add);
  }

  @Test
  void severalTokensAreOneHandshake() {
    send("first");
    check.answer(new More("second"));
    assertThat(told.get(0).state()).isEqualTo(LoginState.CHALLENGE);
    assertThat(told.get(0).ownChallenge().alone()).isTrue();
    assertThat(told.get(0).ownChallenge().closes()).isFalse();
    assertThat(told.get(0).ownChallenge().values().get()).containsExactly("Negotiate second");
    send("third");
    check.answer(new Done("bob"));
    assertThat(told.get(1).user()).isEqualTo("bob");
    assertThat(check.asked).containsExactly("first", "third");
    assertThat(check.begun).isEqualTo(1);
    assertThat(check.ended).isEqualTo(1);
    assertThat(connection.user("negotiate")).isEqualTo("bob");
    assertThat(connection.user("ntlm")).isNull();
    assertThat(read("Negotiate third", connection).user()).as("sent again").isEqualTo("bob");
    assertThat(read("Negotiate other", connection).state()).isEqualTo(LoginState.UNCHECKED);
  }

  @Test
  void anotherTokenIsAnotherLogin() {
    send("first");
    check.answer(new Done("bob"));
    send("second");
    assertThat(connection.user("negotiate")).as("nobody while it is checked").isNull();
    check.answer(new Wrong("no"));
    assertThat(told.get(1).ownChallenge().closes()).isTrue();
    assertThat(told.get(1).ownChallenge().values().get()).containsExactly("Negotiate");
    assertThat(connection.user("negotiate")).isNull();
    assertThat(check.begun).isEqualTo(2);
    assertThat(check.ended).isEqualTo(2);
  }

  @Test
  void aBrokenCheckIsNoWrongToken() {
    send("first");
    Unavailable why = new Unavailable("broken");
    check.answer(new Broken(why));
    assertThat(told.get(0).whyUnavailable()).isSameAs(why);
    assertThat(connection.user("negotiate")).isNull();
  }

  @Test
  void aConnectionThatIsGoneKeepsNoHandshake() {
    send("first");
    connection.close();
    assertThat(check.ended).isEqualTo(1);
    check.answer(new Done("bob"));
    assertThat(connection.user("negotiate")).isNull();
  }

  @Test
  void oneClientHasFewChecksAtATime() {
    for (int i = 0; i < LoginLimits.MOST_PENDING; i++) {
      read("Negotiate a", new ConnectionLogin())
          .check()
          .begin(ImmediateEventExecutor.INSTANCE, told::add);
    }
    assertThat(told).isEmpty();
    send("one");
    assertThat(told).singleElement().satisfies(one -> assertThat(one.whyUnavailable()).isNotNull());
    check.answer(new Done("bob"));
    send("two");
    assertThat(check.asked).hasSize(LoginLimits.MOST_PENDING + 1);
  }

  @Test
  void otherValuesAreNoTokens() {
    String huge = "a".repeat(TokenLogins.MAX_TOKEN);
    for (String value :
        List.of("Negotiate ", "Negotiate a b", "Negotiate !", "Negotiate " + huge)) {
      assertThat(read(value, connection).state()).isEqualTo(LoginState.CHALLENGE);
    }
    assertThat(read("Negotiate abc", null).state()).isEqualTo(LoginState.CHALLENGE);
    assertThat(check.begun).isZero();
  }

  @Test
  void oneClientHoldsFewChildrenAtATime() {
    check.reserves = true;
    for (int i = 0; i < LoginLimits.MOST_HANDSHAKES; i++) {
      read("Negotiate a", new ConnectionLogin())
          .check()
          .begin(ImmediateEventExecutor.INSTANCE, told::add);
      check.answer(new More("b"));
    }
    told.clear();
    send("one");
    assertThat(told).singleElement().satisfies(one -> assertThat(one.whyUnavailable()).isNotNull());
    assertThat(check.begun).isEqualTo(LoginLimits.MOST_HANDSHAKES);
  }

  @Test
  void twoHandshakesForEachChildAreEnough() {
    check.reserves = true;
    HelperProgram program =
        new HelperProgram("ntlm", List.of("/x"), HelperChildren.upTo(3), 1_000, false);
    TokenSettings settings = new TokenSettings("ntlm", List.of("/x"), true, null, null, program);
    logins = new TokenLogins(settings, new LoginLimits(3, time), check);
    for (int i = 0; i < 7; i++) {
      read("NTLM a", new ConnectionLogin())
          .check()
          .begin(ImmediateEventExecutor.INSTANCE, told::add);
    }
    assertThat(check.begun).isEqualTo(6);
    assertThat(told).singleElement().satisfies(one -> assertThat(one.whyUnavailable()).isNotNull());
  }

  @Test
  void aHandshakeThatEndsCountsNoMore() {
    check.reserves = true;
    for (int i = 0; i < 2 * LoginLimits.MOST_HANDSHAKES; i++) {
      ConnectionLogin own = new ConnectionLogin();
      read("Negotiate a", own).check().begin(ImmediateEventExecutor.INSTANCE, told::add);
      Outcome[] outcomes = {
        new More("b"), new Done("bob"), new Wrong("no"), new Broken(new Unavailable("no"))
      };
      check.answer(outcomes[i % outcomes.length]);
      own.close();
    }
    assertThat(told).hasSize(2 * LoginLimits.MOST_HANDSHAKES);
    assertThat(check.begun).isEqualTo(2 * LoginLimits.MOST_HANDSHAKES);
    assertThat(check.ended).isGreaterThanOrEqualTo(check.begun);
  }
}
