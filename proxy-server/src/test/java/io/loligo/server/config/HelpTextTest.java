package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ReferencePages;
import io.loligo.server.boot.Features;
import org.junit.jupiter.api.Test;

class HelpTextTest {
  private static final ReferencePages PAGES = new ReferencePages(Features.directives());

  @Test
  void helpTellsOfOneDirectiveOrAll() {
    assertThat(PAGES.help("no_cache")).startsWith("cache allow|deny [!]ACL...\n");
    assertThat(PAGES.help("ecap_enable")).contains("Stops the start unless waived.");
    assertThat(PAGES.help("frob")).isEqualTo("frob: no such directive\n");
    assertThat(PAGES.help("")).contains("http_port ", "loligo_transport ");
  }
}
