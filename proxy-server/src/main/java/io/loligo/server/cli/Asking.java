package io.loligo.server.cli;

import static io.loligo.server.cli.RunningProxy.encoded;

import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo explain URL}: asks the running proxy. */
@Command(
    name = "explain",
    description =
        "Shows the stored responses for a URL, the decision for a request now with its reason, and"
            + " the last decisions. Fetches, changes and counts nothing.",
    exitCodeList = {
      "0:explained",
      "1:the proxy refuses or fails",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = {
      "  loligo explain http://www.example.com/logo.png -f /etc/loligo/loligo.conf",
      "  loligo explain http://www.example.com/ -H 'Accept-Language: de' --json"
    })
final class Asking implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

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

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    String answer = proxy.getText("/explain?" + query());
    spec.commandLine().getOut().print(answer);
    spec.commandLine().getOut().flush();
    return 0;
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
}
