package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reconfiguration;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.DiskSettings;
import org.junit.jupiter.api.Test;

/** The parts of a file that take effect while another is in force. */
class ReconfigurationTest {
  private static final String LATER = ": takes effect at the next start";

  private static ProxyConfig load(String lines) {
    ConfigResult result = TextSource.load("http_port 3128\n" + lines);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  private static Reconfiguration of(String running, String wanted) {
    return Reconfiguration.of(load(running), load(wanted));
  }

  @Test
  void aLiveValueAppliesWithoutANote() {
    Reconfiguration next =
        of("via on\nread_timeout 1 minute\n", "via off\nread_timeout 2 minutes\nhttp_port 81\n");
    assertThat(next.later()).isEmpty();
    assertThat(next.config().get(IdentityDirectives.VIA)).isFalse();
    assertThat(next.config().get(TimeoutDirectives.READ_TIMEOUT)).isEqualTo(120_000);
    assertThat(next.config().get(PortDirectives.HTTP_PORT)).hasSize(2);
  }

  @Test
  void aValueTakenAtTheStartStaysAndIsNamed() {
    Reconfiguration next =
        of(
            "loligo_transit_memory 64 MB\nmaximum_object_size 1 MB\nworkers 2\n",
            "via off\nloligo_transit_memory 32 MB\nmaximum_object_size 2 MB\n");
    assertThat(next.later())
        .containsExactlyInAnyOrder(
            "squid.conf:3: loligo_transit_memory 32 MB" + LATER,
            "squid.conf:4: maximum_object_size 2 MB" + LATER,
            "workers 2, which stood at squid.conf:4, is gone" + LATER);
    assertThat(next.config().get(MemoryDirectives.TRANSIT_MEMORY)).isEqualTo(64 << 20);
    assertThat(
            new CacheSettings(next.config(), DiskSettings.largestMaxSize(next.config()))
                .maxObjectBytes)
        .isEqualTo(1 << 20);
    assertThat(TransportDirectives.loops(next.config())).isEqualTo(2);
    assertThat(next.config().get(IdentityDirectives.VIA)).isFalse();
    assertThat(next.config().inForce())
        .anyMatch(
            one -> one.directive().equals("loligo_transit_memory") && one.value().equals("64 MB"))
        .anyMatch(one -> one.directive().equals("via") && one.value().equals("off"));
  }

  @Test
  void foldersAreComparedLineByLine() {
    String one = "cache_dir rock /one 100\n";
    String two = "cache_dir rock /two 100\n";
    assertThat(of(one + two, one + two).later()).isEmpty();
    assertThat(of(one, one + two).later())
        .containsExactly("squid.conf:3: cache_dir rock /two 100" + LATER);
    assertThat(of(one + two, two).later())
        .containsExactly("cache_dir rock /one 100, which stood at squid.conf:2, is gone" + LATER);
    assertThat(of(one + two, two + one).later())
        .containsExactly("cache_dir: another order of its lines" + LATER);
    assertThat(DiskSettings.of(of(one, "").config()).dirs()).hasSize(1);
  }

  @Test
  void theSecretChangesAndThePortDoesNot() {
    Reconfiguration next =
        of(
            "loligo_admin_port 3129\nloligo_admin_secret one\n",
            "loligo_admin_port 3130\nloligo_admin_secret two\n");
    assertThat(next.config().get(AdminDirectives.ADMIN_PORT).port()).isEqualTo(3129);
    assertThat(next.config().get(AdminDirectives.ADMIN_SECRET)).isEqualTo("two");
    assertThat(next.later()).containsExactly("squid.conf:2: loligo_admin_port 3130" + LATER);
  }
}
