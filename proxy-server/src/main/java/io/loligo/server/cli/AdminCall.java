package io.loligo.server.cli;

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
  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(30);

  /** A page takes less; a reload may resolve names and open logs. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

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

  /** The same with another secret, if it has none. */
  AdminCall orSecret(@Nullable String other) {
    return secret == null || secret.isEmpty() ? new AdminCall(authority, tls, other) : this;
  }

  /**
   * Gets a page.
   *
   * @param page path and query, encoded
   * @throws IOException if there is no answer; says why
   */
  HttpResponse<String> get(String page) throws IOException, InterruptedException {
    return send("GET", page);
  }

  /** Sends a change: the same with POST. */
  HttpResponse<String> post(String page) throws IOException, InterruptedException {
    return send("POST", page);
  }

  /** The answer to a DELETE of {@code page}, a path with its query. */
  HttpResponse<String> delete(String page) throws IOException, InterruptedException {
    return send("DELETE", page);
  }

  private HttpResponse<String> send(String method, String page)
      throws IOException, InterruptedException {
    try {
      HttpClient.Builder client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT_PATIENCE)
              .proxy(HttpClient.Builder.NO_PROXY);
      if (tls != null) {
        client.sslContext(PinnedServer.context(tls.options().certificates()));
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(
                  URI.create((tls == null ? "http://" : "https://") + authority + page))
              .method(method, HttpRequest.BodyPublishers.noBody())
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
