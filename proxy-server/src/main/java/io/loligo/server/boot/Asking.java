package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
    AdminCall call = file == null ? new AdminCall(admin, null, null) : null;
    if (config != null) {
      call = AdminCall.of(config);
    }
    if (call == null) {
      System.err.println("loligo: " + file + " has no loligo_admin_port");
      return 1;
    }
    try {
      HttpResponse<String> answer = call.get("/explain?" + query());
      boolean explained = answer.statusCode() == 200;
      (explained ? System.out : System.err).print(answer.body());
      return explained ? 0 : 1;
    } catch (IOException e) {
      System.err.println("loligo: " + e.getMessage());
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
