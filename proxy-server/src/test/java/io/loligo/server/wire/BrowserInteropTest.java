package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.tls.TestAuthority;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Chromium without a window, before a site and behind a proxy that it reaches over TLS. Skipped,
 * visibly, where it is absent.
 */
class BrowserInteropTest extends PeersTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final int IMAGES = 10;
  private static final String FRESH = "Cache-Control: max-age=1000";

  private final TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));

  /** A page of ten images; when they are there, it writes their widths and protocols. */
  private static void page(ScriptedOrigin server) {
    StringBuilder page =
        new StringBuilder(
            """
            <!DOCTYPE html>
            <title>images</title>
            <link rel="icon" href="data:,">
            <script>
              onload = () => {
                const widths = [...document.images].map(image => image.naturalWidth);
                const protocols = performance.getEntriesByType('resource')
                    .filter(entry => entry.initiatorType == 'img').map(entry => entry.nextHopProtocol);
                document.body.append('loaded ' + widths.join() + ' by ' + protocols.join() + ';');
              };
            </script>
            <body>
            """);
    for (int i = 1; i <= IMAGES; i++) {
      page.append("<img src='/" + i + ".svg'>\n");
      server.onOk(
          "/" + i + ".svg",
          "<svg xmlns='http://www.w3.org/2000/svg' width='WIDTH' height='5'/>"
              .replace("WIDTH", Integer.toString(100 + i)),
          "Content-Type: image/svg+xml",
          FRESH);
    }
    server.onOk("/page", page.toString(), "Content-Type: text/html", FRESH);
  }

  private static String loaded(String protocol) {
    List<String> widths = new ArrayList<>();
    List<String> protocols = new ArrayList<>();
    for (int i = 1; i <= IMAGES; i++) {
      widths.add(Integer.toString(100 + i));
      protocols.add(protocol);
    }
    return "loaded " + String.join(",", widths) + " by " + String.join(",", protocols) + ";";
  }

  /** The document behind {@code url} after all of it was loaded. */
  private String browse(String url, String... options) throws Exception {
    byte[] key = issued.certificate().getPublicKey().getEncoded();
    String trusted =
        Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
    List<String> all =
        new ArrayList<>(
            List.of(
                "--headless",
                "--no-sandbox", // root may not use it; the pages are our own
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--user-data-dir=" + dir.resolve("browser"),
                "--ignore-certificate-errors-spki-list=" + trusted,
                "--dump-dom"));
    all.addAll(List.of(options));
    all.add(url);
    return run(List.of("chromium-headless-shell", "chromium"), all);
  }

  @Test
  void aPageWithTenImagesComesOverHttp2() throws Exception {
    startProxy(
        "https_port 127.0.0.1:0 accel tls-cert=" + issued.write(dir, "server.pem"),
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "logformat versions %rv %ru",
        "access_log stdio:" + dir.resolve("access.log") + " versions");
    page(origin);
    String site = "https://127.0.0.1:" + proxy.port(1);
    assertThat(browse(site + "/page")).contains(loaded("h2"));
    assertThat(origin.connections()).isPositive();
    assertThat(stopAndReadLog())
        .hasSize(1 + IMAGES)
        .startsWith("2.0 " + site + "/page")
        .allMatch(line -> line.startsWith("2.0 " + site));
  }

  @Test
  void aPageComesThroughAProxyReachedOverTls() throws Exception {
    startProxy(
        "https_port 127.0.0.1:0 tls-cert=" + issued.write(dir, "server.pem"),
        "logformat versions %rm %rv %ru",
        "access_log stdio:" + dir.resolve("access.log") + " versions");
    page(origin);
    ScriptedOrigin secure = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
    page(secure);
    String[] options = {
      "--proxy-server=https://127.0.0.1:" + proxy.port(1), "--proxy-bypass-list=<-loopback>"
    };
    assertThat(browse(origin.url("/page"), options)).containsPattern(loaded("[^,;]+"));
    assertThat(browse(secure.url("/page"), options)).contains(loaded("http/1.1"));
    List<String> log = stopAndReadLog();
    assertThat(log).filteredOn(line -> line.startsWith("GET 2.0 " + origin.url("/"))).hasSize(11);
    assertThat(log).contains("CONNECT 2.0 " + secure.authority());
  }
}
