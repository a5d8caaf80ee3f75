package io.loligo.cluster.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressSourceTest {
  private final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
  @TempDir Path dir;

  private static InetAddress address(int last) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
  }

  private static InetSocketAddress place(int last, int port) throws UnknownHostException {
    return new InetSocketAddress(address(last), port);
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException {
    List<InetAddress> found = names.get(host);
    if (found == null) {
      throw new UnknownHostException(host);
    }
    return found;
  }

  @Test
  void aListHasTheFirstAddressOfEachNameThatIsKnown() throws Exception {
    names.put("a", List.of(address(1), address(2)));
    ListedMembers source =
        new ListedMembers(
            List.of(new HostAndPort("a", 7800), new HostAndPort("b", 7900)), this::resolve);
    assertThat(source.ask()).containsExactly(place(1, 7800));
    names.put("b", List.of(address(3)));
    assertThat(source.ask()).containsExactly(place(1, 7800), place(3, 7900));
    assertThat(source.fixed()).isEqualTo(2);
    names.clear();
    assertThatThrownBy(source::ask).isInstanceOf(IOException.class);
  }

  @Test
  void aNameHasAllItsAddresses() throws Exception {
    names.put("peers.svc", List.of(address(1), address(2)));
    NamedMembers source = new NamedMembers(new HostAndPort("peers.svc", 7800), this::resolve);
    assertThat(source.ask()).containsExactly(place(1, 7800), place(2, 7800));
    assertThat(source.fixed()).isZero();
    names.clear();
    assertThatThrownBy(source::ask).hasMessageContaining("peers.svc");
  }

  @Test
  void aFileIsReadEachTime() throws Exception {
    names.put("a", List.of(address(1)));
    names.put("b", List.of(address(2)));
    Path file = dir.resolve("members");
    FiledMembers source = new FiledMembers(file, this::resolve);
    assertThatThrownBy(source::ask).hasMessageContaining("there is no such file");
    Files.writeString(file, "# nodes\n\n  a:7800 # first\n");
    assertThat(source.ask()).containsExactly(place(1, 7800));
    Files.writeString(file, "a:7800\nb:7801\n");
    assertThat(source.ask()).containsExactly(place(1, 7800), place(2, 7801));
    Files.writeString(file, "a\n");
    assertThatThrownBy(source::ask).hasMessageContaining("\"a\" is not HOST:PORT");
  }

  @Test
  void anAnswerStaysUntilThereIsANewOne() throws Exception {
    BlockingQueue<Set<InetSocketAddress>> found = new LinkedBlockingQueue<>();
    names.put("a", List.of(address(1)));
    NamedMembers source = new NamedMembers(new HostAndPort("a", 7800), this::resolve);
    try (Discovery discovery = new Discovery(source)) {
      discovery.start(Duration.ofMillis(1), found::add);
      assertThat(found.poll(30, TimeUnit.SECONDS)).containsExactly(place(1, 7800));
      names.clear();
      names.put("a", List.of(address(2)));
      Set<InetSocketAddress> next = found.poll(30, TimeUnit.SECONDS);
      while (next != null && next.equals(Set.of(place(1, 7800)))) {
        next = found.poll(30, TimeUnit.SECONDS);
      }
      assertThat(next).containsExactly(place(2, 7800));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", ":1", "a:0", "a:65536", "a:x", "a b:1", "::1:1", "a/b:1", "[]:1", ""})
  void refusesWhatIsNoHostAndPort(String word) {
    assertThat(HostAndPort.of(word)).isNull();
  }

  @Test
  void readsHostsAndAddresses() {
    assertThat(HostAndPort.of("a.b:65535")).isEqualTo(new HostAndPort("a.b", 65_535));
    assertThat(HostAndPort.of("[::1]:1"))
        .isEqualTo(new HostAndPort("::1", 1))
        .hasToString("[::1]:1");
  }
}
