package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.cluster.ClusterTlsLine;
import io.loligo.server.cluster.ShareMode;
import io.loligo.server.tls.TestAuthority;
import io.loligo.server.tls.TlsOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Requests whose key is not their URL, and those that only a stored response may answer, in proxies
 * with one cache.
 */
class SharedNamesWireTest extends HelperWireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String STORED = "Cache-Control: only-if-cached";

  /** A URL by its looks, of another origin. */
  private static final String ID = "http://cdn.test/object";

  private static final TestAuthority OURS = TestAuthority.root("Cluster");

  private final SharedNodes nodes = new SharedNodes();
  private final List<ProxyUnderTest> proxies = new ArrayList<>();

  private void secure() throws IOException {
    Path pair = OURS.issue(TestAuthority.named("node")).write(dir, "node.pem");
    Path ca = OURS.write(dir, "ca.pem");
    TlsOptions tls =
        ShareMode.tls(new ClusterTlsLine(pair.toString(), pair.toString(), ca.toString(), "test"));
    assertThat(tls).isNotNull();
    nodes.secure(tls);
  }

  private void startNodes(int count, String... lines) throws Exception {
    for (int i = 0; i < count; i++) {
      startNode(lines);
    }
  }

  private void startNode(String... lines) throws Exception {
    int i = proxies.size();
    String[] all = Arrays.copyOf(lines, lines.length + 1);
    all[lines.length] = "visible_hostname node" + i + ".test";
    ProxyUnderTest node = closing(ProxyUnderTest.start(configuration(all), nodes.of(i)));
    proxies.add(node);
    nodes.at(i, node.port(1));
  }

  private String program() throws Exception {
    writeHelper("namer", "*/shared*) echo 'OK store-id=" + ID + "' ;;", "*) echo OK ;;");
    origin.otherwise(request -> request.ok(request.whole().startLine(), FRESH));
    return "store_id_program " + helper.path();
  }

  private WireMessage getFrom(int node, String url, String... lines) throws IOException {
    try (RawClient client = RawClient.connect(proxies.get(node).port())) {
      return client.get(url, lines).response();
    }
  }

  private static String key(String id) {
    byte[] text = id.getBytes(StandardCharsets.ISO_8859_1);
    return "Peer-Key: " + Base64.getEncoder().encodeToString(text);
  }

  @Test
  void theOwnerStoresUnderTheIdThatTheHelperOfAnotherNodeGave() throws Exception {
    nodes.ranking(0, 1, 2);
    secure();
    startNodes(3, program());
    String first = getFrom(1, origin.url("/shared1")).text();
    assertThat(first).contains("/shared1");
    assertThat(getFrom(2, origin.url("/shared2")).text()).isEqualTo(first);
    assertThat(getFrom(0, origin.url("/shared3")).text()).isEqualTo(first);
    assertThat(getFrom(2, ID).text()).isEqualTo(first);
    assertThat(origin.requests()).hasSize(1);
    assertThat(origin.lastRequest().fields("Peer-Key")).isEmpty();
    assertThat(proxies.get(0).storedResponses()).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).isZero();
  }

  /** Another program of this machine could name a response as it likes. */
  @Test
  void inClearTextEachNodeFetchesWhatHasAnId() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2, program());
    getFrom(1, origin.url("/shared1"));
    assertThat(nodes.acknowledged).hasValue(0);
    assertThat(proxies.get(1).storedResponses()).isEqualTo(1);
    String[] request = {"Peer-Hop: 1", "Peer-Port: 0/forward", key(ID)};
    try (RawClient client = RawClient.connect(proxies.get(0).port(1))) {
      assertThat(client.get(origin.url("/other"), request).response().status()).isEqualTo(421);
    }
    assertThat(proxies.get(0).storedResponses()).isZero();
  }

  @Test
  void aClientGivesNoId() throws Exception {
    nodes.ranking(0, 1);
    secure();
    startNodes(2, program());
    getFrom(1, origin.url("/other"), "Peer-Hop: 1", key(ID));
    String good = getFrom(1, origin.url("/shared")).text();
    assertThat(good).contains("/shared");
    assertThat(getFrom(0, ID).text()).isEqualTo(good);
  }

  @Test
  void aNodeWithoutTheProgramTakesNoIds() throws Exception {
    nodes.ranking(0, 1);
    secure();
    String program = program();
    startNode();
    startNode(program);
    assertThat(getFrom(1, origin.url("/shared1")).text()).contains("/shared1");
    assertThat(proxies.get(0).storedResponses()).isZero();
    assertThat(nodes.fallBacks).hasValue(1);
  }

  /** This node has learnt the rule when it owned the responses of the path. */
  @Test
  void aKeyWithoutPartsOfTheQueryHasAnOwner() throws Exception {
    startNodes(2);
    origin.otherwise(request -> request.ok("content", FRESH, "No-Vary-Search: params=(\"utm\")"));
    nodes.ranking(1, 0);
    getFrom(1, origin.url("/a?utm=0"));
    nodes.ranking(0, 1);
    for (int i = 1; i < 4; i++) {
      assertThat(getFrom(1, origin.url("/a?x=1&utm=" + i)).text()).isEqualTo("content");
    }
    assertThat(nodes.acknowledged).hasValue(3);
    assertThat(proxies.get(0).storedResponses()).isEqualTo(1);
    assertThat(proxies.get(1).storedResponses()).isEqualTo(1);
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  void onlyIfCachedAsksTheOwnerWhichAsksNobody() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    String url = origin.url("/a");
    assertThat(getFrom(1, url, STORED).status()).isEqualTo(504);
    assertThat(nodes.acknowledged).as("the owner was asked").hasValue(1);
    getFrom(0, url);
    WireMessage stored = getFrom(1, url, STORED);
    assertThat(stored.status()).isEqualTo(200);
    assertThat(stored.text()).isEqualTo("content");
    assertThat(getFrom(1, url, STORED, "Range: bytes=1-2").text()).isEqualTo("on");
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void onlyIfCachedGetsNothingBesideAnOwnerThatFails() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2);
    origin.onOk("/a", "content", FRESH);
    proxies.get(0).close();
    WireMessage none = getFrom(1, origin.url("/a"), STORED);
    assertThat(none.status()).isEqualTo(504);
    assertThat(nodes.failures).hasValue(1);
    assertThat(nodes.fallBacks).as("no request to an origin").hasValue(0);
    assertThat(origin.fetches("/a")).isZero();
  }

  /** Neither for range_offset_limit, nor because the owner is out of routing. */
  @Test
  void onlyIfCachedFetchesNothing() throws Exception {
    nodes.ranking(0, 1);
    startNodes(2, "range_offset_limit none");
    origin.onOk("/a", "content", FRESH);
    assertThat(getFrom(1, origin.url("/a"), STORED, "Range: bytes=1-2").status()).isEqualTo(504);
    nodes.out = 0;
    assertThat(getFrom(1, origin.url("/a"), STORED).status()).isEqualTo(504);
    assertThat(origin.fetches("/a")).isZero();
  }

  /** The 504 of an owner is its own, not one of the origin that negative_ttl keeps. */
  @Test
  void theRefusalOfAnOwnerIsNeitherSharedNorCopied() throws Exception {
    nodes.ranking(0, 1);
    nodes.hot = true;
    nodes.applied(0, "p1");
    nodes.applied(1, "p1");
    startNodes(2, "negative_ttl 1 minute");
    origin.onOk("/a", "content", FRESH);
    assertThat(getFrom(1, origin.url("/a"), STORED).status()).isEqualTo(504);
    assertThat(proxies.get(1).storedResponses()).isZero();
    assertThat(getFrom(1, origin.url("/a")).text()).isEqualTo("content");
  }
}
