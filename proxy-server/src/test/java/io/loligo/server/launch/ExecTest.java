package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
final class ExecTest {
  @Test
  void saysWhyTheSystemRefuses() {
    int noSuchFile = 2;
    assertThatThrownBy(() -> Exec.run("/absent/program", List.of("program")))
        .isInstanceOf(IOException.class)
        .hasMessage("execv: error " + noSuchFile);
  }
}
