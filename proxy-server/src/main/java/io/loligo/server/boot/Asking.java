package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.PinnedServer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loligo explain URL}: asks the running proxy. */
@Command(
    name = "explain",
    description =
        "Shows the stored responses for a URL, the decision for a request now with its reason, and"
            + " the last decisions. Fetches, changes and counts nothing.",
    mixinStandardHelpOptions = true)
final class Asking implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Parameters(paramLabel = "URL", description = "absolute, as in the access log")
  private String url;

  @Option(
      names = {"-H", "--header"},
      paramLabel = "'NAME: VALUE'",
      description = "a field of the request; may be repeated")
  private List<String> fieldLines = List.of();

  @Option(
      names = {"-X", "--method"},
      paramLabel = "METHOD",
      description = "default: ${DEFAULT-VALUE}")
  private String method = "GET";

  @Option(
      names = {"-d", "--data"},
      paramLabel = "CONTENT",
      description = "content of the request; part of the key of a QUERY")
  private String content = "";

  @Option(
      names = "--client",
      paramLabel = "ADDRESS",
      description = "address of the client, for the rules; default: 127.0.0.1")
  private @Nullable String client;

  @Option(
      names = "--port-name",
      paramLabel = "NAME",
      description = "name of the http_port that gets the request; default: the first forward port")
  private @Nullable String portName;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description = "the proxy's loligo_admin_port; default: ${DEFAULT-VALUE}")
  private String admin = "127.0.0.1:3129";

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "takes the admin port, its certificate and the secret from this configuration")
  private @Nullable Path file;

  @Override
  public Integer call() throws InterruptedException {
    ProxyConfig config = file == null ? null : config(file);
    HttpPort port = config == null ? null : config.get(AdminDirectives.ADMIN_PORT);
    if (file != null && port == null) {
      System.err.println("loligo: " + file + " has no loligo_admin_port");
      return 1;
    }
    String authority = port == null ? admin : AdminServer.reachedAt(port).text();
    PortTls tls = port == null ? null : port.tls();
    try {
      HttpClient.Builder client =
          HttpClient.newBuilder().connectTimeout(PATIENCE).proxy(HttpClient.Builder.NO_PROXY);
      if (tls != null) {
        client.sslContext(PinnedServer.context(tls.options().certificates()));
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(
                  URI.create(
                      (tls == null ? "http://" : "https://") + authority + "/explain?" + query()))
              .timeout(PATIENCE);
      String secret = config == null ? null : config.get(AdminDirectives.ADMIN_SECRET);
      if (secret != null && !secret.isEmpty()) {
        request.header("Authorization", "Bearer " + secret);
      }
      HttpResponse<String> answer =
          client.build().send(request.build(), HttpResponse.BodyHandlers.ofString());
      boolean explained = answer.statusCode() == 200;
      (explained ? System.out : System.err).print(answer.body());
      return explained ? 0 : 1;
    } catch (IOException | IllegalArgumentException e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      System.err.println("loligo: no answer from " + authority + ": " + why);
      return 1;
    }
  }

  private String query() {
    StringBuilder query = new StringBuilder("url=").append(encoded(url));
    query.append("&method=").append(encoded(method));
    fieldLines.forEach(line -> query.append("&header=").append(encoded(line)));
    if (!content.isEmpty()) {
      query.append("&content=").append(encoded(content));
    }
    if (client != null) {
      query.append("&client=").append(encoded(client));
    }
    if (portName != null) {
      query.append("&port=").append(encoded(portName));
    }
    return query.append(json ? "&format=json" : "").toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static @Nullable ProxyConfig config(Path file) {
    return Features.reader(new FileConfigSource()).read(file.toString()).config();
  }
}
