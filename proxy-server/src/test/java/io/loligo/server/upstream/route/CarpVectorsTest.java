package io.loligo.server.upstream.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.CarpKey;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerSpread;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The choices of a real Squid 5.7 among parents with carp, computed from its seen hashes. */
class CarpVectorsTest {
  private static Peer.Builder parent(String name, int weight) {
    return Peer.parent(name, name + ".example", 3128).spread(PeerSpread.CARP).weight(weight);
  }

  private static RoutedRequest request(String url) {
    URI uri = URI.create(url);
    return (RoutedRequest)
        Proxy.newProxyInstance(
            CarpVectorsTest.class.getClassLoader(),
            new Class<?>[] {RoutedRequest.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "url" -> url;
                  case "scheme" -> uri.getScheme();
                  case "host" -> uri.getHost();
                  case "port" -> 80;
                  case "urlPath" -> uri.getPath();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static String chosen(List<Peer> peers, String url) {
    ParentHash hash = Objects.requireNonNull(ParentHash.of(PeerSpread.CARP, peers));
    return Objects.requireNonNull(hash.choose(request(url), peer -> true)).name();
  }

  @Test
  void choosesAsSquidByTheUrl() {
    List<Peer> peers =
        List.of(
            parent("proxy-a", 1).build(),
            parent("proxy-b", 1).build(),
            parent("proxy-c", 2).build());
    assertThat(chosen(peers, "http://example.com/")).isEqualTo("proxy-b");
    assertThat(chosen(peers, "http://example.com/index.html")).isEqualTo("proxy-a");
    assertThat(chosen(peers, "http://www.example.org/a/b?x=1")).isEqualTo("proxy-c");
  }

  /** Of the three hashes, a's is the highest; with twice the weight c wins. */
  @Test
  void choosesAsSquidByItsKeys() {
    for (int weight : new int[] {1, 2}) {
      List<Peer> peers =
          List.of(
              parent("proxy-b", 1).carpKey(CarpKey.HOST).build(),
              parent("proxy-a", 1)
                  .carpKey(CarpKey.SCHEME)
                  .carpKey(CarpKey.HOST)
                  .carpKey(CarpKey.PORT)
                  .carpKey(CarpKey.PATH)
                  .build(),
              parent("proxy-c", weight).build());
      assertThat(chosen(peers, "http://example.com/"))
          .isEqualTo(weight == 1 ? "proxy-a" : "proxy-c");
    }
  }

  /** If the best one is down, the next best is used. */
  @Test
  void takesTheNextBestIfOneIsDown() {
    List<Peer> peers =
        List.of(
            parent("proxy-a", 1).build(),
            parent("proxy-b", 1).build(),
            parent("proxy-c", 2).build());
    ParentHash hash = Objects.requireNonNull(ParentHash.of(PeerSpread.CARP, peers));
    Peer next = hash.choose(request("http://example.com/"), peer -> !peer.name().equals("proxy-b"));
    assertThat(Objects.requireNonNull(next).name()).isEqualTo("proxy-a");
  }
}
