package io.loligo.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.Directive;
import io.loligo.server.boot.Features;
import io.loligo.server.config.Configs;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The lines of nodes that are compared. */
class ConfigurationLinesTest {
  private static Map<String, List<String>> of(String lines) {
    return ConfigurationLines.of(Configs.of(lines + "\n"));
  }

  @Test
  void linesOfOneNodeAreLeftOut() {
    String here =
        "http_port 127.0.0.1:3128 name=a\n"
            + "visible_hostname a.test\ncache_mem 64 MB\nloligo_admin_port 127.0.0.1:0\n"
            + "loligo_cluster web listen=127.0.0.1:7800 members=127.0.0.1:7800 mode=purge weight=1";
    String there =
        "http_port 127.0.0.2:80 name=a\n"
            + "visible_hostname b.test\ncache_mem 128 MB\nloligo_admin_port 127.0.0.1:9\n"
            + "loligo_cluster web listen=127.0.0.2:7800 members=127.0.0.1:7800 mode=purge";
    assertThat(of(here)).isEqualTo(of(there));
    assertThat(of(here)).containsEntry("loligo_cluster", List.of("mode=purge"));
    assertThat(of(here).get("http_port")).contains("name=a");
  }

  @Test
  void wordsOfAPortCount() {
    assertThat(of("http_port 3128 accel")).isNotEqualTo(of("http_port 3128"));
  }

  @Test
  void theOrderOfTheLinesOfADirectiveCounts() {
    String acls = "acl a src 10.0.0.1\nacl b src 10.0.0.2\n";
    assertThat(of(acls + "cache deny a\ncache deny b"))
        .isNotEqualTo(of(acls + "cache deny b\ncache deny a"));
    assertThat(of("via on\nmax_stale 1 day")).isEqualTo(of("max_stale 1 day\nvia on"));
  }

  @Test
  void defaultsAndSecretsAreLeftOut() {
    assertThat(of("").keySet()).containsExactlyInAnyOrder("http_port", "http_access");
    Map<String, List<String>> secret = of("loligo_admin_secret first-of-two-secrets");
    assertThat(secret).isEqualTo(of("loligo_admin_secret another-of-two-secrets"));
    assertThat(secret.toString()).contains("loligo_admin_secret").doesNotContain("first");
    String peer = "cache_peer 127.0.0.1 parent 80 0 login=";
    assertThat(of(peer + "user:one")).isEqualTo(of(peer + "user:two"));
  }

  @Test
  void theNamesAreThoseOfDirectives() {
    Set<String> all =
        Features.directives().all().stream().map(Directive::name).collect(Collectors.toSet());
    Set<String> named = new TreeSet<>(ConfigurationLines.OF_NODE);
    named.addAll(ConfigurationLines.OF_PORT);
    assertThat(all).containsAll(named);
  }
}
