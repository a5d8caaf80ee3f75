package io.loligo.server.upstream.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.config.Configs;
import io.loligo.server.time.LoopTimer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a nameserver on loopback. */
class DnsNamesTest {
  private static EventLoopGroup group;

  private final EventLoop loop = group.next();
  private final FakeDnsServer server = new FakeDnsServer(group);
  @TempDir private Path folder;
  private volatile DnsSettings settings = load(config());
  private final LoopTimer timer = new LoopTimer(loop);
  private final DnsNames names =
      new DnsNames(loop, timer, NioDatagramChannel::new, NioSocketChannel::new, () -> settings);

  @BeforeAll
  static void start() {
    group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  }

  @AfterAll
  static void stop() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @AfterEach
  void close() throws Exception {
    onLoop(
        () -> {
          names.close();
          return null;
        });
    server.close();
  }

  @Test
  void findsAddressesOfBothFamilies() throws Exception {
    server.knows("both.example", "192.0.2.1", "2001:db8::1");
    assertThat(texts(resolve("both.example").addresses))
        .containsExactlyInAnyOrder("192.0.2.1", "2001:db8:0:0:0:0:0:1");
    assertThat(server.questions()).containsExactlyInAnyOrder("both.example A", "both.example AAAA");
  }

  @Test
  void findsANameWithOneFamilyOnly() throws Exception {
    server.knows("four.example", "192.0.2.1");
    assertThat(texts(resolve("four.example").addresses)).containsExactly("192.0.2.1");
  }

  @Test
  void keepsAnswers() throws Exception {
    server.knows("kept.example", "192.0.2.1");
    assertThat(known("kept.example")).isNull();
    resolve("kept.example");
    int asked = server.questions().size();
    assertThat(texts(known("kept.example"))).containsExactly("192.0.2.1");
    resolve("kept.example");
    assertThat(server.questions()).hasSize(asked);
  }

  @Test
  void asksAgainWhenSettingsChange() throws Exception {
    server.knows("kept.example", "192.0.2.1");
    resolve("kept.example");
    settings = load(config());
    assertThat(known("kept.example")).isNull();
    assertThat(texts(resolve("kept.example").addresses)).containsExactly("192.0.2.1");
  }

  @Test
  void keepsNothingWhereLifetimesAreZero() throws Exception {
    settings =
        load(
            config()
                .with(NameDirectives.POSITIVE_DNS_TTL, 0L)
                .with(NameDirectives.NEGATIVE_DNS_TTL, 0L));
    server.knows("short.example", "192.0.2.1");
    resolve("short.example");
    assertThat(known("short.example")).isNull();
  }

  @Test
  void remembersThatANameDoesNotExist() throws Exception {
    Found found = resolve("missing.example");
    assertThat(found.addresses).isEmpty();
    assertThat(found.failure).contains("missing.example");
    int asked = server.questions().size();
    assertThat(known("missing.example")).isEmpty();
    assertThat(resolve("missing.example").failure).isEqualTo(found.failure);
    assertThat(server.questions()).hasSize(asked);
  }

  @Test
  void asksOnceForAllWaiters() throws Exception {
    server.knows("busy.example", "192.0.2.1");
    CompletableFuture<Found> first = new CompletableFuture<>();
    CompletableFuture<Found> second = new CompletableFuture<>();
    onLoop(
        () -> {
          names.resolve("busy.example", (a, f) -> first.complete(new Found(a, f)));
          names.resolve("busy.example", (a, f) -> second.complete(new Found(a, f)));
          return null;
        });
    assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo(second.get(60, TimeUnit.SECONDS));
    assertThat(server.questions()).containsExactlyInAnyOrder("busy.example A", "busy.example AAAA");
  }

  @Test
  void givesUpOnASilentServer() throws Exception {
    settings =
        load(
            config()
                .with(NameDirectives.DNS_TIMEOUT, 100L)
                .with(NameDirectives.DNS_RETRANSMIT_INTERVAL, 100L));
    server.silent(true);
    Found found = resolve("silent.example");
    assertThat(found.addresses).isEmpty();
    assertThat(found.failure).contains("in time");
  }

  @Test
  void takesLiteralsAsTheyAre() throws Exception {
    assertThat(texts(known("192.0.2.7"))).containsExactly("192.0.2.7");
    assertThat(texts(known("2001:db8::7"))).containsExactly("2001:db8:0:0:0:0:0:7");
    assertThat(texts(known("::ffff:192.0.2.7"))).containsExactly("192.0.2.7");
    assertThat(server.questions()).isEmpty();
  }

  @Test
  void takesNoOtherNotationForALiteral() throws Exception {
    for (String odd : List.of("127.1", "0x7f.0.0.1", "2130706433", "0177.0.0.1")) {
      assertThat(known(odd)).as(odd).isNull();
    }
  }

  @Test
  void knowsLocalhost() throws Exception {
    assertThat(texts(known("localhost"))).containsExactly("127.0.0.1", "0:0:0:0:0:0:0:1");
    assertThat(texts(known("any.localhost"))).contains("127.0.0.1");
  }

  @Test
  void prefersTheHostsFile() throws Exception {
    Path hosts = Files.writeString(folder.resolve("hosts"), "192.0.2.9 Listed.example short\n");
    settings = load(config().with(NameDirectives.HOSTS_FILE, hosts.toString()));
    assertThat(texts(known("listed.example"))).containsExactly("192.0.2.9");
    assertThat(texts(known("short"))).containsExactly("192.0.2.9");
    assertThat(server.questions()).isEmpty();
  }

  @Test
  void appendsTheDomainToNamesWithoutDot() throws Exception {
    settings = load(config().with(NameDirectives.APPEND_DOMAIN, ".corp.example"));
    server.knows("intranet.corp.example", "192.0.2.3");
    assertThat(texts(resolve("intranet").addresses)).containsExactly("192.0.2.3");
  }

  @Test
  void refusesTextThatIsNotAName() throws Exception {
    String host = "a".repeat(64) + ".example";
    Found found = resolve(host);
    assertThat(found.addresses).isEmpty();
    assertThat(found.failure).startsWith(host + ": ").doesNotContain("in time");
    assertThat(server.questions()).isEmpty();
  }

  @Test
  void readsNameserversWithAndWithoutPort() {
    assertThatThrownBy(() -> load(servers("dns.example")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dns.example");
    assertThat(firstServer("192.0.2.1")).isEqualTo(new InetSocketAddress("192.0.2.1", 53));
    assertThat(firstServer("192.0.2.1:5353")).isEqualTo(new InetSocketAddress("192.0.2.1", 5353));
    assertThat(firstServer("2001:db8::1")).isEqualTo(new InetSocketAddress("2001:db8::1", 53));
    assertThat(firstServer("[2001:db8::1]:54")).isEqualTo(new InetSocketAddress("2001:db8::1", 54));
    assertThat(firstServer("192.0.2.1", "192.0.2.2").getHostString()).isEqualTo("192.0.2.1");
    assertThat(firstServer().getPort()).as("of the system's settings").isEqualTo(53);
  }

  @Test
  void aReloadKeepsSettingsOnlyIfNoDirectiveOfNamesHasChanged() throws Exception {
    Path hosts = Files.writeString(folder.resolve("hosts"), "");
    ProxyConfig base = config();
    DnsSettings running = load(base);
    assertThat(load(config()).orSame(running)).isSameAs(running);
    List<ProxyConfig> others =
        List.of(
            base.with(NameDirectives.DNS_NAMESERVERS, List.of("192.0.2.1")),
            base.with(NameDirectives.DNS_TIMEOUT, 1L),
            base.with(NameDirectives.DNS_RETRANSMIT_INTERVAL, 1L),
            base.with(NameDirectives.POSITIVE_DNS_TTL, 1L),
            base.with(NameDirectives.NEGATIVE_DNS_TTL, 1L),
            base.with(NameDirectives.HOSTS_FILE, hosts.toString()),
            base.with(NameDirectives.APPEND_DOMAIN, ".corp.example"),
            base.with(NameDirectives.DNS_V4_FIRST, true));
    assertThat(others).hasSameSizeAs(NameDirectives.FEATURE.settings());
    for (ProxyConfig other : others) {
      DnsSettings changed = load(other);
      assertThat(changed.orSame(running)).isSameAs(changed);
    }
  }

  private static InetSocketAddress firstServer(String... nameservers) {
    DnsSettings settings = load(servers(nameservers));
    return settings.servers().nameServerAddressStream("x.example").next();
  }

  private static ProxyConfig servers(String... nameservers) {
    return Configs.of("").with(NameDirectives.DNS_NAMESERVERS, List.of(nameservers));
  }

  private record Found(List<InetAddress> addresses, String failure) {}

  private Found resolve(String host) throws Exception {
    CompletableFuture<Found> found = new CompletableFuture<>();
    onLoop(
        () -> {
          names.resolve(host, (a, f) -> found.complete(new Found(a, f)));
          return null;
        });
    return found.get(60, TimeUnit.SECONDS);
  }

  private List<InetAddress> known(String host) throws Exception {
    return onLoop(() -> names.known(host));
  }

  private <T> T onLoop(Callable<T> call) throws Exception {
    return loop.submit(call).get(60, TimeUnit.SECONDS);
  }

  private static List<String> texts(List<InetAddress> addresses) {
    return addresses.stream().map(InetAddress::getHostAddress).toList();
  }

  private ProxyConfig config() {
    return Configs.of("")
        .with(NameDirectives.DNS_NAMESERVERS, List.of(server.address()))
        .with(NameDirectives.DNS_TIMEOUT, 5_000L)
        .with(NameDirectives.HOSTS_FILE, null);
  }

  private static DnsSettings load(ProxyConfig config) {
    return DnsSettings.load(new NameSettings(config));
  }
}
