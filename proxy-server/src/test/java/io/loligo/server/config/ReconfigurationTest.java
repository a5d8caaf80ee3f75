package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reconfiguration;
import io.loligo.core.config.ValueChange;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.store.disk.DiskSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The parts of a file that take effect while another is in force. */
class ReconfigurationTest {
  private static ProxyConfig load(String lines) {
    ConfigResult result = TextSource.load("http_port 3128\n" + lines);
    assertThat(result.errors()).isEmpty();
    return result.config();
  }

  private static Reconfiguration of(String running, String wanted) {
    return Reconfiguration.of(load(running), load(wanted));
  }

  private static List<String> later(Reconfiguration next) {
    return next.later().stream().map(ValueChange::text).toList();
  }

  private static List<String> applied(String before, String now) {
    return Reconfiguration.applied(load(before), load(now)).stream()
        .map(ValueChange::text)
        .toList();
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
  void aValueTakenAtTheStartStaysAndIsNamedWithItsReason() {
    Reconfiguration next =
        of(
            "loligo_transport nio\nworkers 2\nmaximum_object_size 1 MB\n",
            "via off\nloligo_transport epoll\nmaximum_object_size 2 MB\n");
    assertThat(later(next))
        .containsExactlyInAnyOrder(
            "loligo_transport nio -> epoll (squid.conf:3): needs a restart: an open socket belongs"
                + " to the transport that opened it",
            "- workers 2 (was squid.conf:3): needs a restart: open connections, counters and"
                + " memory belong to an event loop and cannot move to another");
    assertThat(next.config().get(TransportDirectives.TRANSPORT)).isEqualTo("nio");
    assertThat(
            new CacheSettings(next.config(), DiskSettings.largestMaxSize(next.config()))
                .maxObjectBytes)
        .isEqualTo(2 << 20);
    assertThat(TransportDirectives.loops(next.config())).isEqualTo(2);
    assertThat(next.config().get(IdentityDirectives.VIA)).isFalse();
    assertThat(next.config().inForce())
        .anyMatch(one -> one.directive().equals("loligo_transport") && one.value().equals("nio"))
        .anyMatch(one -> one.directive().equals("via") && one.value().equals("off"));
  }

  @Test
  void changesAreShownLineByLine() {
    String one = "cache_dir rock /one 100\n";
    String two = "cache_dir rock /two 100\n";
    assertThat(applied(one + two, one + two)).isEmpty();
    assertThat(applied(one + two, "\n" + one + two)).as("other places of lines").isEmpty();
    assertThat(applied(one, one + two)).containsExactly("+ cache_dir rock /two 100 (squid.conf:3)");
    assertThat(applied(one + two, two))
        .containsExactly("- cache_dir rock /one 100 (was squid.conf:2)");
    assertThat(applied(one + two, two + one))
        .containsExactly("cache_dir: another order of its lines (squid.conf:2)");
    assertThat(applied(one, two))
        .containsExactly("cache_dir rock /one 100 -> rock /two 100 (squid.conf:2)");
    assertThat(applied("", "via off\n")).containsExactly("via on -> off (squid.conf:2)");
    assertThat(applied("via off\n", "")).containsExactly("via off -> on (default)");
    assertThat(applied("", "acl a src 10.0.0.0/8\n"))
        .containsExactly("+ acl a src 10.0.0.0/8 (squid.conf:2)");
  }

  @Test
  void aSecretIsNeverShown() {
    assertThat(applied("loligo_admin_secret one\n", "loligo_admin_secret two\n"))
        .containsExactly("loligo_admin_secret: another value, which is not shown (squid.conf:2)");
    assertThat(applied("loligo_admin_secret one\n", "\nloligo_admin_secret one\n")).isEmpty();
    String peer = "cache_peer 10.0.0.1 parent 80 0 no-query login=";
    assertThat(applied(peer + "a:one\n", peer + "a:two\n"))
        .containsExactly("cache_peer: another value, which is not shown (squid.conf:2)");
    assertThat(load("loligo_admin_secret hidden\n").toString()).doesNotContain("hidden");
  }

  @Test
  void theAdminPortChangesAndTheTransportDoesNot() {
    Reconfiguration next =
        of(
            "loligo_admin_port 3129\nloligo_transport nio\n",
            "loligo_admin_port 3130\nloligo_transport epoll\n");
    assertThat(next.config().get(AdminDirectives.ADMIN_PORT).port()).isEqualTo(3130);
    assertThat(later(next))
        .singleElement()
        .asString()
        .startsWith("loligo_transport nio -> epoll (squid.conf:3): needs a restart: ");
  }
}
