package io.loligo.server.wire;

import io.loligo.server.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/**
 * {@code config/package-cache.conf}: the file itself, on ports of the test's, with repositories at
 * 127.0.0.1.
 */
abstract class PackageCacheTest extends WireTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");

  /** Signs the certificates of the repositories. */
  static final TestAuthority ROOT = TestAuthority.root("Test Root");

  /** Signs the certificates of decrypted tunnels. */
  static final TestAuthority OFFICE = TestAuthority.root("Office Authority");

  /** The first repository of the group. */
  ScriptedOrigin releases;

  /** The second one. */
  ScriptedOrigin central;

  /** A server of packages, {@code files.test}. */
  ScriptedOrigin files;

  LyingDns dns;
  String config;

  /** The certificate of {@link #OFFICE}. */
  Path authority;

  private ScriptedOrigin repository(String name) throws Exception {
    ScriptedOrigin repository =
        closing(
            ScriptedOrigin.startSecure(SecureServer.of(ROOT.issue(TestAuthority.server(name)))));
    repository.otherwise(call -> call.send(ScriptedOrigin.response("404 Not Found", "none")));
    return repository;
  }

  @BeforeEach
  final void startCache() throws Exception {
    releases = repository("releases.test");
    central = repository("central.test");
    files = repository("files.test");
    dns = closing(new LyingDns());
    for (String name : List.of("releases.test", "central.test", "files.test")) {
      dns.on(name, asked -> asked.send(asked.message(0, 0, LyingDns.Entry.a(name, 127, 0, 0, 1))));
    }
    Path root = ROOT.write(dir, "root.pem");
    OFFICE.writePair(dir, "packages-ca.pem");
    authority = OFFICE.write(dir, "packages-ca.crt");
    Path hosts = Files.writeString(dir.resolve("hosts"), "# PyPI\nfiles.test\n");
    config =
        Files.readString(FOLDER.resolve("package-cache.conf"))
                .replaceAll("http_port (3128|8081)", "http_port 127.0.0.1:0")
                .replace("./var/packages-ca.pem", dir.resolve("packages-ca.pem").toString())
                .replace("config/packages-hosts.txt", hosts.toString())
                .replace(
                    "releases.example.net parent 443", "releases.test parent " + releases.port())
                .replace(
                    "repo.maven.apache.org parent 443", "central.test parent " + central.port())
                .replace("forceddomain=releases.example.net", "forceddomain=releases.test")
                .replace("forceddomain=repo.maven.apache.org", "forceddomain=central.test")
                .replace("originserver tls ", "originserver tls tls-cafile=" + root + " ")
                .replace(
                    "port 80 443",
                    "port 80 443 " + files.port() + " " + central.port() + " " + origin.port())
                .replace("http_access deny to_localhost\n", "")
                .replace("rock ./var/cache 20000", "rock " + dir.resolve("cache") + " 64")
                .replace("config/docker-layer-ids", FOLDER.resolve("docker-layer-ids").toString())
                .replace("production.cloudflare.docker.com", "files.test")
                .replace("auth.docker.io", "central.test")
                .replace("./var/log", dir.toString())
                .replace("loligo_admin_port 127.0.0.1:3129", "loligo_admin_port 127.0.0.1:0")
            + "loligo_admin_secret s3cret\ncache_mem 32 MB\nloligo_event_loops 1\n"
            + "hosts_file none\nvisible_hostname proxy.test\n"
            + ("tls_outgoing_options cafile=" + root + "\n");
    proxy = ProxyUnderTest.startAsking(dns.address(), config);
    proxy.diskOpened().join();
  }
}
