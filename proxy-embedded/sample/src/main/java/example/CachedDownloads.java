package example;

import io.loligo.Loligo;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Downloads through a proxy of its own, so that a second download comes from memory. */
public final class CachedDownloads implements AutoCloseable {
  private final Loligo proxy;
  private final HttpClient client;

  /** Starts the proxy. */
  public CachedDownloads() throws IOException {
    proxy =
        Loligo.start(
            config ->
                config
                    .eventLoops(1)
                    .cacheMemory(16 << 20)
                    .deny(request -> request.host().endsWith(".invalid"))
                    .onRequest((request, fields) -> fields.set("User-Agent", "sample")));
    client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
  }

  /** The content of {@code url}. */
  public String download(String url) throws IOException, InterruptedException {
    return client
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
        .body();
  }

  /** Downloads answered from memory so far. */
  public long hits() {
    return proxy.stats().hits();
  }

  @Override
  public void close() {
    proxy.close();
  }
}
