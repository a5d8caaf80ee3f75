package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.PinnedServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks the admin port of a running proxy, for the commands. Immutable.
 *
 * @param authority host and port
 * @param tls null: without TLS; else the certificates that the port may have
 * @param secret null: none is sent
 */
record AdminCall(String authority, @Nullable PortTls tls, @Nullable String secret) {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The port of a configuration, with its certificate and secret; null: it has none. */
  static @Nullable AdminCall of(ProxyConfig config) {
    HttpPort port = config.get(AdminDirectives.ADMIN_PORT);
    return port == null
        ? null
        : new AdminCall(
            AdminServer.reachedAt(port).text(),
            port.tls(),
            config.get(AdminDirectives.ADMIN_SECRET));
  }

  /**
   * Gets a page.
   *
   * @param page path and query, encoded
   * @throws IOException if there is no answer; says why
   */
  HttpResponse<String> get(String page) throws IOException, InterruptedException {
    try {
      HttpClient.Builder client =
          HttpClient.newBuilder().connectTimeout(PATIENCE).proxy(HttpClient.Builder.NO_PROXY);
      if (tls != null) {
        client.sslContext(PinnedServer.context(tls.options().certificates()));
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(
                  URI.create((tls == null ? "http://" : "https://") + authority + page))
              .timeout(PATIENCE);
      if (secret != null && !secret.isEmpty()) {
        request.header("Authorization", "Bearer " + secret);
      }
      return client.build().send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException | IllegalArgumentException e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      throw new IOException("no answer from " + authority + ": " + why, e);
    }
  }
}
