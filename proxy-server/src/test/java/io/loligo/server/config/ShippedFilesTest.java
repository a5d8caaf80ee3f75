package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclVerdict.Kind;
import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.Feature;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.server.boot.Features;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.exchange.settings.AccessDirectives;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.names.NameDirectives;
import io.loligo.server.wire.acl.SampleRequest;
import io.loligo.store.MemorySettings;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the folder {@code config}. */
class ShippedFilesTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");

  private static ConfigResult load(String name) throws IOException {
    TextSource source = new TextSource();
    try (Stream<Path> lists = Files.list(FOLDER)) {
      for (Path list : lists.filter(path -> path.toString().endsWith(".txt")).toList()) {
        source.with("config/" + list.getFileName(), Files.readString(list));
      }
    }
    source.with("config/office-users", Files.readString(FOLDER.resolve("office-users")));
    return Features.reader(source).readText(name, Files.readString(FOLDER.resolve(name)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "loligo.conf",
        "container/loligo.conf",
        "minimal-forward.conf",
        "minimal-reverse.conf",
        "peek-and-splice.conf",
        "bump-packages.conf",
        "egress-firewall.conf",
        "office-proxy.conf",
        "two-sites.conf",
        "reference.conf"
      })
  void loadsWithoutAProblem(String name) throws IOException {
    ConfigResult result = load(name);
    assertThat(result.problems()).isEmpty();
    assertThat(result.isUsable()).isTrue();
  }

  @Test
  void thePackageCacheKeepsArtifactsLongerThanHttpAllows() throws IOException {
    ConfigResult result = load("package-cache.conf");
    assertThat(result.problems()).extracting(ConfigProblem::value).containsOnly("override-expire");
    assertThat(result.isUsable()).isTrue();
  }

  @Test
  void loadsTheReferenceWithEveryDefaultWrittenOut() throws IOException {
    String text = Files.readString(FOLDER.resolve("reference.conf")).replace("\n#: ", "\n");
    ConfigResult result = TextSource.load(text);
    assertThat(result.problems()).isEmpty();
    ProxyConfig given = result.config();
    ProxyConfig defaults = load("reference.conf").config();
    assertThat(MemorySettings.of(given)).isEqualTo(MemorySettings.of(defaults));
    assertThat(DiskSettings.of(given))
        .usingRecursiveComparison()
        .isEqualTo(DiskSettings.of(defaults));
    for (Feature feature :
        List.of(
            CachingDirectives.FEATURE,
            ClientDirectives.FEATURE,
            LimitDirectives.FEATURE,
            NameDirectives.FEATURE,
            OriginDirectives.FEATURE,
            TimeoutDirectives.FEATURE)) {
      for (Setting<?> setting : feature.settings()) {
        assertThat((Object) given.get(setting)).as(setting.name()).isEqualTo(defaults.get(setting));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, example.com, 80, 93.184.216.34, ALLOWED",
    "192.168.3.4, example.com, 80, 93.184.216.34, ALLOWED",
    "fd00::1, example.com, 443, 2606:2800::1, ALLOWED",
    "8.8.8.8, example.com, 80, 93.184.216.34, DENIED",
    "2606::1, example.com, 80, 93.184.216.34, DENIED",
    "127.0.0.1, evil.test, 80, 127.0.0.1, DENIED",
    "127.0.0.1, evil.test, 80, ::1, DENIED",
    "127.0.0.1, evil.test, 80, ::ffff:127.0.0.1, DENIED",
    "127.0.0.1, evil.test, 80, 169.254.169.254, DENIED",
    "127.0.0.1, evil.test, 80, fe80::1, DENIED",
    "127.0.0.1, evil.test, 80, 0.0.0.0, DENIED",
    "127.0.0.1, evil.test, 80, 224.0.0.1, DENIED",
    "127.0.0.1, example.com, 25, 93.184.216.34, DENIED",
    "127.0.0.1, intranet, 80, 10.1.2.3, ALLOWED",
  })
  void shippedForwardProxyIsNotOpen(
      String client, String host, int port, String destination, Kind verdict) throws IOException {
    AclInput request = SampleRequest.get(host).toPort(port).from(client).input();
    var rules = load("loligo.conf").config().get(AccessDirectives.HTTP_ACCESS);
    assertThat(rules.evaluate(request, SampleRequest.bytes(destination)).kind()).isEqualTo(verdict);
  }

  @Test
  void shippedForwardProxyTunnelsToPort443Only() throws IOException {
    var rules = load("loligo.conf").config().get(AccessDirectives.HTTP_ACCESS);
    SampleRequest request = SampleRequest.get("example.com").method("CONNECT").from("127.0.0.1");
    byte[] address = SampleRequest.bytes("93.184.216.34");
    assertThat(rules.evaluate(request.toPort(443).input(), address).allowed()).isTrue();
    assertThat(rules.evaluate(request.toPort(8443).input(), address).denied()).isTrue();
  }

  @Test
  void strangersAreDeniedWithoutAskingForTheDestination() throws IOException {
    var rules = load("loligo.conf").config().get(AccessDirectives.HTTP_ACCESS);
    SampleRequest request = SampleRequest.get("example.com");
    assertThat(rules.evaluate(request.from("8.8.8.8").input()).kind()).isEqualTo(Kind.DENIED);
    assertThat(rules.evaluate(request.from("10.0.0.1").input()).kind())
        .isEqualTo(Kind.NEEDS_DESTINATION);
  }
}
