package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuperuserTest {
  @ParameterizedTest
  @CsvSource({
    "'Name:\tjava\nUid:\t0\t0\t0\t0\n', toor, true",
    "'Name:\tjava\nUid:\t1000\t0\t0\t0\n', somebody, true",
    "'Name:\tjava\nUid:\t0\t1000\t1000\t1000\n', root, false",
    "'Name:\tjava\nUid:\t10\t10\t10\t10\n', root, false",
    "'', root, true",
    "'', loligo, false"
  })
  void warnsOfTheEffectiveUser(String status, String userName, boolean warns) {
    assertThat(Superuser.warning(status, userName) != null).isEqualTo(warns);
  }

  @Test
  void namesTheRemedy() {
    assertThat(Superuser.warning("", "root"))
        .contains("User=", "CAP_NET_BIND_SERVICE", "cache_effective_user");
  }
}
