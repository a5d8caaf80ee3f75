package io.loligo.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessUserTest {
  @Test
  void itIsTheEffectiveOne() throws IOException {
    assertThat(ProcessUser.of("Name:\tjava\nUid:\t1\t2\t3\t4\nGid:\t5\t5\t5\t5\n").id())
        .isEqualTo(2);
    assertThatThrownBy(() -> ProcessUser.of("Name:\tUid:\n")).isInstanceOf(IOException.class);
  }

  @Test
  void onlyRootTakesOverFromAnotherUser() {
    ProcessUser user = new ProcessUser(7);
    assertThat(user.yieldsTo(7)).isTrue();
    assertThat(user.yieldsTo(0)).isTrue();
    assertThat(user.yieldsTo(8)).isFalse();
    assertThat(user.succeeds(7)).isTrue();
    assertThat(user.succeeds(0)).isTrue();
    assertThat(user.succeeds(8)).isFalse();
    assertThat(new ProcessUser(0).yieldsTo(7)).isFalse();
    assertThat(new ProcessUser(0).succeeds(7)).isTrue();
  }
}
