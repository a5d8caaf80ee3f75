package io.loligo.server.login;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UserListTest {
  private static final String HASH = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";

  @Test
  void readsLinesAsSquidsProgramDoes() {
    UserList users =
        UserList.of(
            "# comment:x\n\n a:b\nbob:"
                + HASH
                + ":more:fields\r\nalice:old\nnobody\n:x\nempty:\nalice:"
                + HASH);
    assertThat(users.hash("bob")).isEqualTo(PasswordHash.of(HASH));
    assertThat(users.hash("alice")).isEqualTo(PasswordHash.of(HASH));
    for (String none : new String[] {"# comment", " a", "nobody", "", "empty", "Bob"}) {
      assertThat(users.hash(none)).as(none).isNull();
    }
  }

  @Test
  void theDecoyIsAHashOfTheFile() {
    assertThat(UserList.of("old:abNANd1rDfiNc\nbob:" + HASH).decoy())
        .isEqualTo(PasswordHash.of(HASH));
    assertThat(UserList.of("").decoy().isUsable()).isFalse();
  }

  @Test
  void namesUsersWhoCanNeverLogIn() {
    UserList users = UserList.of("Bob:" + HASH + "\nd:abNANd1rDfiNc\nc:x\nb:x\na:x\nfine:" + HASH);
    assertThat(users.remarks(true))
        .singleElement()
        .asString()
        .contains("a, b, c and 1 more", "htpasswd -B");
    assertThat(users.remarks(false)).hasSize(2).element(1).asString().contains("Bob", "lower case");
  }
}
