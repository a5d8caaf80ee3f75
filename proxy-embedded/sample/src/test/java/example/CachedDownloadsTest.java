package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.loligo.junit.LoligoProxy;
import io.loligo.junit.TestOrigin;
import io.loligo.junit.TestProxy;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** The artifacts as an application has them: no flag of the JVM, no binding of SLF4J. */
@LoligoProxy
class CachedDownloadsTest {
  @Test
  void theSecondDownloadComesFromMemory(TestOrigin origin) throws Exception {
    origin.respond("/file", "content");
    try (CachedDownloads downloads = new CachedDownloads()) {
      assertEquals("content", downloads.download(origin.url("/file")));
      assertEquals("content", downloads.download(origin.url("/file")));
    }
    origin.assertRequests("/file", 1);
    assertEquals("sample", origin.requests().get(0).field("User-Agent"));
  }

  @Test
  void theExtensionWorks(TestProxy proxy, TestOrigin origin) throws Exception {
    origin.respond("/file", "content");
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    HttpRequest request = HttpRequest.newBuilder(URI.create(origin.url("/file"))).build();
    for (int i = 0; i < 2; i++) {
      assertEquals("content", client.send(request, BodyHandlers.ofString()).body());
    }
    proxy.assertMisses(1);
    proxy.assertHits(1);
  }

  @Test
  void nothingIsForcedOnAnApplication() {
    for (String absent :
        new String[] {
          "ch.qos.logback.classic.Logger",
          "picocli.CommandLine",
          "org.jline.terminal.Terminal",
          "org.assertj.core.api.Assertions"
        }) {
      assertThrows(ClassNotFoundException.class, () -> Class.forName(absent));
    }
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      assertFalse(flag.startsWith("--add-"), flag);
    }
  }
}
