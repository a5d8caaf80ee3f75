package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.cli.Main;
import io.loligo.server.metrics.Counter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code config/package-cache.conf} and {@code docs/uses-packages.md}. */
class PackageCacheWireTest extends PackageCacheTest {
  private static final String SITE = "http://packages.example.net";
  private static final int BUILDS = 100;
  private static final String LARGE = "0123456789".repeat(80_000);
  private static final Pattern RANGE = Pattern.compile("Range: bytes=(\\d+)-(\\d*)\r\n");

  private final CountDownLatch release = new CountDownLatch(1);

  /** On the port of the group. */
  private RawClient build(String path, String... fieldLines) throws IOException {
    StringBuilder head = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: cache\r\n");
    for (String line : fieldLines) {
      head.append(line).append("\r\n");
    }
    return client(1).send(head + "\r\n");
  }

  private WireMessage fetch(String path, String... fieldLines) throws IOException {
    return build(path, fieldLines).response();
  }

  /** Heeds ranges of {@code content}, and breaks off in the middle {@code broken} times. */
  private void serve(
      ScriptedOrigin from, String path, String content, int broken, String... lines) {
    from.on(
        path,
        call -> {
          Matcher range = RANGE.matcher(call.head() + "\r\n");
          boolean ranged = range.find();
          int first = ranged ? Integer.parseInt(range.group(1)) : 0;
          int end = content.length();
          String place = "Content-Range: bytes " + first + "-" + (end - 1) + "/" + end + "\r\n";
          String fields = lines.length == 0 ? "" : String.join("\r\n", lines) + "\r\n";
          call.send(
              (ranged ? "HTTP/1.1 206 Part\r\n" + place : "HTTP/1.1 200 OK\r\n")
                  + fields
                  + "Content-Length: "
                  + (end - first)
                  + "\r\n\r\n");
          if (call.number() > broken) {
            call.send(content.substring(first));
          } else {
            call.send(content.substring(first, first + (end - first + 1) / 2));
            call.close();
          }
        });
  }

  // ---- how long packages are fresh

  private static long lifetime(WireMessage hit) {
    assertHit(hit);
    Matcher ttl = Pattern.compile("ttl=(\\d+)").matcher(hit.field("Cache-Status"));
    assertThat(ttl.find()).isTrue();
    return Long.parseLong(ttl.group(1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/org/a/1.0/a-1.0.jar",
        "/org/a/1.0/a-1.0.pom",
        "/org/a/1.0/a-1.0.jar.sha1",
        "/org/a/1.0/a-1.0.module",
        "/debian/pool/main/a/a_1.0_amd64.deb",
        "/debian/dists/stable/main/by-hash/SHA256/abc",
        "/packages/ab/cd/a-1.0-py3-none-any.whl",
        "/packages/ab/cd/a-1.0-py3-none-any.whl.metadata",
        "/packages/ab/cd/a-1.0.tar.gz",
        "/a/-/a-1.0.0.tgz",
        "/v2/a/blobs/sha256:0123",
      })
  void artifactsAreFreshForAYear(String path) throws Exception {
    for (String fields : List.of("Cache-Control: max-age=60", "ETag: \"1\"")) {
      central.onOk(path, "package", fields);
      fetch(path);
      assertThat(lifetime(fetch(path))).isBetween(364 * 86_400L, 365 * 86_400L);
      run("purge", SITE + path);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/org/a/maven-metadata.xml",
        "/org/a/maven-metadata.xml.sha1",
        "/org/a/1.1-SNAPSHOT/a-1.1-SNAPSHOT.jar",
        "/debian/dists/stable/InRelease",
        "/debian/dists/stable/main/binary-amd64/Packages.xz",
        "/simple/a/",
        "/a",
        "/v2/a/manifests/latest",
      })
  void indexesAreFreshForAMinute(String path) throws Exception {
    central.onOk(path, "index", "ETag: \"1\"");
    fetch(path);
    assertThat(lifetime(fetch(path))).isBetween(0L, 60L);
  }

  @Test
  void anOriginMayGiveAnIndexAnotherLifetime() throws Exception {
    central.onOk("/simple/a/", "index", "Cache-Control: max-age=600");
    fetch("/simple/a/");
    assertThat(lifetime(fetch("/simple/a/"))).isBetween(500L, 600L);
  }

  // ---- one fetch

  @Test
  void aHundredBuildsCauseOneFetch() throws Exception {
    releases.on(
        "/a.jar",
        call -> {
          await(release);
          call.ok(LARGE);
        });
    List<RawClient> builds = new ArrayList<>(List.of(build("/a.jar")));
    releases.awaitRequest("/a.jar");
    while (builds.size() < BUILDS) {
      builds.add(build("/a.jar"));
    }
    assertThat(fetch("/barrier").status()).as("all others were read before").isEqualTo(404);
    release.countDown();
    for (RawClient build : builds) {
      assertThat(build.response().text()).isEqualTo(LARGE);
    }
    assertHit(fetch("/a.jar"));
    assertThat(releases.fetches("/a.jar")).isEqualTo(1);
    assertThat(central.fetches("/a.jar")).isZero();
  }

  @Test
  void aFetchGoesOnWhenItsBuildLeaves() throws Exception {
    releases.on(
        "/a.jar",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: " + LARGE.length() + "\r\n\r\n");
          call.send(LARGE.substring(0, 1000));
          await(release);
          call.send(LARGE.substring(1000));
        });
    RawClient build = build("/a.jar");
    build.read(500);
    build.reset();
    release.countDown();
    assertThat(fetch("/a.jar").text()).isEqualTo(LARGE);
    assertThat(releases.fetches("/a.jar")).isEqualTo(1);
  }

  // ---- broken downloads

  @Test
  void aFetchThatBreaksOffIsContinuedForAllBuilds() throws Exception {
    serve(releases, "/a.jar", LARGE, 2, "ETag: \"1\"");
    List<RawClient> builds = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      builds.add(build("/a.jar"));
    }
    for (RawClient build : builds) {
      WireMessage whole = build.response();
      assertThat(whole.status()).isEqualTo(200);
      assertThat(whole.text()).isEqualTo(LARGE);
    }
    assertThat(releases.fetches("/a.jar")).isEqualTo(3);
    assertThat(proxy.counted(Counter.SERVER_RESUMED)).isEqualTo(2);
    assertThat(releases.lastRequest().field("Range"))
        .isEqualTo("bytes=" + LARGE.length() * 3 / 4 + "-" + (LARGE.length() - 1));
    assertThat(releases.lastRequest().field("If-Range")).isEqualTo("\"1\"");
    assertHit(fetch("/a.jar"));
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void aFetchIsContinuedNoMoreThanEightTimes() throws Exception {
    serve(releases, "/a.jar", LARGE, 1000, "ETag: \"1\"");
    assertThat(contentUntilClose("/a.jar")).isLessThan(LARGE.length());
    assertThat(releases.fetches("/a.jar")).isEqualTo(9);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void withoutTheDirectiveItIsNotContinued() throws Exception {
    assertThat(
            proxy
                .reloadAsking(
                    dns.address(),
                    config.replace("loligo_resume_fetches 8", "loligo_resume_fetches 0"))
                .done())
        .isTrue();
    serve(releases, "/a.jar", LARGE, 1, "ETag: \"1\"");
    assertThat(contentUntilClose("/a.jar")).isLessThan(LARGE.length());
    assertThat(releases.fetches("/a.jar")).isEqualTo(1);
  }

  private int contentUntilClose(String path) throws IOException {
    RawClient build = build(path);
    assertThat(build.responseHead()).contains("Content-Length: ");
    return build.untilClose().length();
  }

  @ParameterizedTest
  @CsvSource({
    "206, '\"2\"', 5-9/10", // another artifact
    "206, '\"1\"', 4-9/10", // not the rest
    "206, '\"1\"', 5-8/10",
    "206, '\"1\"', 5-10/11",
    "200, '\"2\"', ",
    "416, '\"1\"', */10",
    "503, , ",
  })
  void onlyTheRestOfTheSameArtifactContinuesIt(int status, String tag, String place)
      throws Exception {
    releases.on(
        "/a.jar",
        call -> {
          if (call.field("Range") == null) {
            call.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\n01234");
          } else {
            String range = place == null ? "" : "Content-Range: bytes " + place + "\r\n";
            String etag = tag == null ? "" : "ETag: " + tag + "\r\n";
            int length = place == null || status == 416 ? 3 : place.startsWith("4") ? 6 : 5;
            call.send("HTTP/1.1 " + status + " X\r\n" + etag + range + "Content-Length: ");
            call.send(length + "\r\n\r\n" + "x".repeat(length));
          }
          call.close();
        });
    assertThat(contentUntilClose("/a.jar")).isEqualTo(5);
    assertThat(releases.fetches("/a.jar")).isEqualTo(2);
    awaitCount(proxy::transitBytes, 0);
  }

  @Test
  void anArtifactThatIsShorterThanAnnouncedIsRefused() throws Exception {
    serve(releases, "/a.jar", "0123456789", 1);
    assertThat(contentUntilClose("/a.jar")).isEqualTo(5);
    assertThat(fetch("/a.jar").text()).as("the part was not stored").isEqualTo("0123456789");
    assertThat(releases.requests()).noneMatch(request -> request.field("Range") != null);
    assertThat(proxy.refusals().get(ParseFailure.TRUNCATED)).isEqualTo(1);
  }

  @Test
  void aBuildResumesItsOwnDownload() throws Exception {
    serve(releases, "/a.jar", LARGE, 0, "ETag: \"1\"");
    WireMessage rest = fetch("/a.jar", "Range: bytes=799990-");
    assertThat(rest.status()).isEqualTo(206);
    assertThat(rest.text()).isEqualTo("0123456789");
    assertThat(fetch("/a.jar").text()).isEqualTo(LARGE);
    assertThat(releases.requests()).hasSize(1).noneMatch(one -> one.field("Range") != null);
  }

  // ---- several repositories

  @Test
  void theNextRepositoryIsAskedAfterA404() throws Exception {
    central.onOk("/a.jar", "from central");
    assertThat(fetch("/a.jar").text()).isEqualTo("from central");
    assertHit(fetch("/a.jar"));
    assertThat(releases.fetches("/a.jar")).isEqualTo(1);
    assertThat(central.fetches("/a.jar")).isEqualTo(1);
    assertThat(releases.lastRequest().field("Host")).startsWith("releases.test");
    assertThat(central.lastRequest().field("Host")).startsWith("central.test");
  }

  @Test
  void anArtifactThatNoRepositoryHasIsNotAskedForAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(fetch("/none.jar").status()).isEqualTo(404);
    }
    assertThat(releases.fetches("/none.jar")).isEqualTo(1);
    assertThat(central.fetches("/none.jar")).isEqualTo(1);
  }

  @Test
  void aRepositoryThatIsDownIsLeftOut() throws Exception {
    releases.stop();
    central.onOk("/a.jar", "from central");
    assertThat(fetch("/a.jar").text()).isEqualTo("from central");
  }

  /** A 404 of one repository is no answer while another cannot be asked. */
  @Test
  void whileTheLastRepositoryIsDownNothingIsSaidToBeMissing() throws Exception {
    central.stop();
    assertThat(fetch("/a.jar").status()).isEqualTo(503);
    releases.onOk("/a.jar", "from releases");
    assertThat(fetch("/a.jar").text()).as("nothing is remembered").isEqualTo("from releases");
  }

  @Test
  void aStaleFileServesWhileItsRepositoryFails() throws Exception {
    central.onOk("/org/a/maven-metadata.xml", "index", "ETag: \"1\"");
    fetch("/org/a/maven-metadata.xml");
    run("purge", "--soft", SITE + "/org/a/maven-metadata.xml");
    central.stop();
    WireMessage stale = fetch("/org/a/maven-metadata.xml");
    assertThat(stale.status()).isEqualTo(200);
    assertThat(stale.text()).isEqualTo("index");
    assertThat(stale.field("Cache-Status")).contains("stale-if-error");
  }

  // ---- removal

  private String run(String... words) throws IOException {
    Path file =
        Files.writeString(
            dir.resolve("command.conf"),
            "http_port 3128\nloligo_admin_port 127.0.0.1:"
                + proxy.adminPort()
                + "\nloligo_admin_secret s3cret\n");
    List<String> line = new ArrayList<>(List.of(words));
    line.addAll(List.of("-f", file.toString()));
    StringWriter out = new StringWriter();
    int status =
        Main.commandLine()
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(line.toArray(String[]::new));
    assertThat(status).as("%s", out).isZero();
    return out.toString();
  }

  @Test
  void oneArtifactIsRemovedByCommand() throws Exception {
    central.onOk("/a.jar", "a");
    central.onOk("/b.jar", "b");
    fetch("/a.jar");
    fetch("/b.jar");
    assertThat(run("purge", SITE + "/a.jar")).startsWith("purged: 1 in memory");
    fetch("/a.jar");
    assertThat(central.fetches("/a.jar")).isEqualTo(2);
    assertHit(fetch("/b.jar"));
  }

  // ---- the forward proxy

  private Socket tunnel(String authority) throws IOException {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(socket, authority);
    return socket;
  }

  private WireMessage inside(String path) throws Exception {
    TlsClient client = TlsClient.trusting(OFFICE).name("files.test");
    Socket inside = closing(client.over(tunnel("files.test:" + files.port()), files.port()));
    String head = "GET " + path + " HTTP/1.1\r\nHost: files.test:" + files.port();
    return RawClient.over(inside).send(head + "\r\n\r\n").response();
  }

  @Test
  void packagesOverHttpsAreHits() throws Exception {
    files.onOk("/packages/a.whl", "wheel", "Cache-Control: max-age=60");
    assertThat(inside("/packages/a.whl").text()).isEqualTo("wheel");
    assertHit(inside("/packages/a.whl"));
    assertThat(files.fetches("/packages/a.whl")).isEqualTo(1);
  }

  private static String layer(String digest, int pull) {
    return "/registry-v2/docker/registry/v2/blobs/sha256/"
        + digest.substring(0, 2)
        + "/"
        + digest
        + "/data?verify="
        + pull;
  }

  @Test
  void aLayerIsAHitUnderAnotherSignedUrl() throws Exception {
    files.otherwise(call -> call.ok("layer of " + call.head().lines().findFirst().orElseThrow()));
    String digest = "0123456789abcdef".repeat(4);
    String first = inside(layer(digest, 1)).text();
    WireMessage second = inside(layer(digest, 2));
    assertThat(second.text()).isEqualTo(first);
    assertThat(lifetime(second)).isBetween(364 * 86_400L, 365 * 86_400L);
    String other = digest.replace('f', '0');
    assertThat(inside(layer(other, 1)).text()).contains(other);
    String none = digest.replace('f', 'x');
    inside(layer(none, 1));
    assertThat(inside(layer(none, 2)).text()).as("no digest").contains("verify=2");
  }

  @Test
  void theTokensOfDockerHubStayInTheirTunnels() throws Exception {
    central.onOk("/token", "token");
    TlsClient client = TlsClient.trusting(ROOT).name("central.test");
    Socket inside = closing(client.over(tunnel("central.test:" + central.port()), central.port()));
    String head = "GET /token HTTP/1.1\r\nHost: central.test\r\n\r\n";
    assertThat(RawClient.over(inside).send(head).response().text()).isEqualTo("token");
  }

  @Test
  void noOtherSiteIsReached() throws Exception {
    String head = "CONNECT www.example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n";
    assertThat(client().send(head).responseTo("CONNECT").status()).isEqualTo(403);
    assertThat(dns.asked()).doesNotContain("www.example.org");
    Socket socket = tunnel("files.test:" + files.port());
    assertThatThrownBy(
            () -> TlsClient.trusting(OFFICE).name("www.example.org").over(socket, files.port()))
        .isInstanceOf(IOException.class);
    assertThat(files.connections()).isZero();
  }
}
