package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.PinnedServer;
import java.io.IOException;
import java.net.ConnectException;
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
 * @param elsewhere where else it may be if nothing accepts connections at {@code authority}; null:
 *     nowhere
 */
record AdminCall(
    String authority, @Nullable PortTls tls, @Nullable String secret, @Nullable String elsewhere) {
  /** Where the port is if no line names another place. */
  static final String USUAL = "127.0.0.1:3129";

  /** Where the proxy opens it on a machine without that address. */
  private static final String WITHOUT_IPV4 = "[::1]:3129";

  private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(30);

  /** A page takes less; a reload may resolve names and open logs. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The port of a configuration, with its certificate and secret; null: it has none. */
  static @Nullable AdminCall of(ProxyConfig config) {
    HttpPort port = config.get(AdminDirectives.ADMIN_PORT);
    if (port == null) {
      return null;
    }
    String secret = config.get(AdminDirectives.ADMIN_SECRET);
    return config.isGiven(AdminDirectives.ADMIN_PORT)
        ? new AdminCall(AdminServer.reachedAt(port).text(), port.tls(), secret, null)
        : usual(secret);
  }

  /** The port at {@code authority}, with the certificate and the secret of {@code config}. */
  static AdminCall at(String authority, ProxyConfig config) {
    HttpPort port = config.get(AdminDirectives.ADMIN_PORT);
    String secret = config.get(AdminDirectives.ADMIN_SECRET);
    return new AdminCall(authority, port == null ? null : port.tls(), secret, null);
  }

  /** The port of a proxy whose configuration names none. */
  static AdminCall usual(@Nullable String secret) {
    return new AdminCall(USUAL, null, secret, WITHOUT_IPV4);
  }

  /** The same with another secret, if it has none. */
  AdminCall orSecret(@Nullable String other) {
    return secret == null || secret.isEmpty()
        ? new AdminCall(authority, tls, other, elsewhere)
        : this;
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
      HttpClient.Builder builder =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT_PATIENCE)
              .proxy(HttpClient.Builder.NO_PROXY);
      if (tls != null) {
        builder.sslContext(PinnedServer.context(tls.options().certificates()));
      }
      HttpClient client = builder.build();
      try {
        return client.send(request(authority, method, page), HttpResponse.BodyHandlers.ofString());
      } catch (ConnectException e) {
        if (elsewhere == null) {
          throw e;
        }
        return client.send(request(elsewhere, method, page), HttpResponse.BodyHandlers.ofString());
      }
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException("no answer from " + authority + ": " + why(e), e);
    }
  }

  private static String why(Exception failure) {
    if (failure.getMessage() != null) {
      return failure.getMessage();
    }
    // the client of the JDK does not say why
    return failure instanceof ConnectException ? "the connection is refused" : failure.toString();
  }

  private HttpRequest request(String place, String method, String page) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create((tls == null ? "http://" : "https://") + place + page))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .timeout(PATIENCE);
    if (secret != null && !secret.isEmpty()) {
      request.header("Authorization", "Bearer " + secret);
    }
    return request.build();
  }
}
