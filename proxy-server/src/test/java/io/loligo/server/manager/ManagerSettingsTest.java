package io.loligo.server.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.manager.ManagerPasswords.Protection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManagerSettingsTest {
  private static ManagerSettings of(String lines) {
    ConfigResult result =
        Features.reader(new FileConfigSource()).readText("test.conf", "http_port 1\n" + lines);
    assertThat(result.errors()).isEmpty();
    return ManagerSettings.of(result.config());
  }

  @ParameterizedTest
  @CsvSource({
    "http_access allow all, false",
    "http_access deny manager, true",
    "http_access deny MANAGER, true",
    "http_access allow localhost !manager, true",
    "acl office any-of localhost manager, true",
    "acl old proto cache_object, true",
    "cache deny manager, false",
    "acl manager_hosts src 10.0.0.0/8, false",
  })
  void rulesThatNameManagerAreFound(String line, boolean isRuled) {
    assertThat(of(line).isRuled()).isEqualTo(isRuled);
  }

  @Test
  void withoutALineOnlyTheConfigurationIsHidden() {
    ManagerPasswords none = of("").passwords();
    for (ManagerPage page : ManagerPage.values()) {
      assertThat(none.of(page))
          .isEqualTo(page == ManagerPage.CONFIG ? Protection.HIDDEN : Protection.PUBLIC);
      assertThat(none.opens(page, "")).isFalse();
    }
  }

  @Test
  void theFirstLineOfAPageCounts() {
    ManagerPasswords passwords =
        of("cachemgr_passwd a Info\ncachemgr_passwd disable menu\ncachemgr_passwd none all\n"
                + "cachemgr_passwd b all\n")
            .passwords();
    assertThat(passwords.of(ManagerPage.INFO)).isEqualTo(Protection.PROTECTED);
    assertThat(passwords.opens(ManagerPage.INFO, "a")).isTrue();
    assertThat(passwords.opens(ManagerPage.INFO, "b")).isFalse();
    assertThat(passwords.opens(ManagerPage.INFO, null)).isFalse();
    assertThat(passwords.of(ManagerPage.MENU)).isEqualTo(Protection.DISABLED);
    assertThat(passwords.of(ManagerPage.CONFIG)).isEqualTo(Protection.PUBLIC);
  }

  /** Passwords of requests are bytes, those of the file are characters. */
  @Test
  void aPasswordMayHaveLetters() {
    ManagerPasswords passwords = of("cachemgr_passwd größe info").passwords();
    assertThat(passwords.opens(ManagerPage.INFO, "grÃ¶Ã\u009fe")).isTrue();
    assertThat(passwords.opens(ManagerPage.INFO, "größe")).isFalse();
  }
}
