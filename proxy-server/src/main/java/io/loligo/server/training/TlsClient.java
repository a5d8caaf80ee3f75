package io.loligo.server.training;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;

/**
 * Clients of an {@code https_port} with {@code accel}: HTTP/2 and HTTP/1.1. Confined to its thread.
 */
final class TlsClient {
  private static final Duration PATIENCE = Duration.ofMillis(TrainingClient.PATIENCE_MILLIS);
  private static final int AT_ONCE = 20;

  private final SSLContext trusting;
  private final int port;
  private int objects;

  TlsClient(SSLContext trusting, int port) {
    this.trusting = trusting;
    this.port = port;
  }

  /** Some requests with a new connection: each object twice, {@value #AT_ONCE} of them at once. */
  void connection(HttpClient.Version version) throws IOException {
    HttpClient client =
        HttpClient.newBuilder()
            .version(version)
            .sslContext(trusting)
            .connectTimeout(PATIENCE)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();
    List<CompletableFuture<?>> responses = new ArrayList<>();
    for (int i = 0; i < 2 * AT_ONCE; i++) {
      String path = TrainingOrigin.FRESH + "0/" + (objects + i / 2);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
              .timeout(PATIENCE)
              .build();
      responses.add(client.sendAsync(request, HttpResponse.BodyHandlers.discarding()));
      if (responses.size() == AT_ONCE) {
        await(responses);
      }
    }
    objects += AT_ONCE;
  }

  private static void await(List<CompletableFuture<?>> responses) throws IOException {
    try {
      responses.forEach(CompletableFuture::join);
    } catch (RuntimeException failed) {
      throw new IOException(failed);
    }
    responses.clear();
  }
}
