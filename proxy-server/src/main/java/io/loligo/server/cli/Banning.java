package io.loligo.server.cli;

import static io.loligo.server.cli.RunningProxy.encoded;

import io.loligo.server.json.JsonValue;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo ban PATTERN}: purges by pattern. */
@Command(
    name = "ban",
    description =
        "Removes the stored responses whose URL a pattern matches. The pattern is a POSIX extended"
            + " expression, found anywhere in the URL. Responses on disk are compared in the"
            + " background; until then the ban is pending.",
    exitCodeList = {
      "0:banned, or listed",
      "1:the proxy refuses: the pattern is wrong, or too many bans are pending",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = {
      "  loligo ban '\\.png(\\?|$)' --host www.example.com -f /etc/loligo/loligo.conf",
      "  loligo ban --list"
    })
final class Banning implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Parameters(paramLabel = "PATTERN", arity = "0..1", description = "a regular expression")
  private @Nullable String pattern;

  @Option(names = "--host", paramLabel = "HOST", description = "only URLs of this host")
  private @Nullable String host;

  @Option(
      names = "--soft",
      description = "makes them stale: they are validated before their next use")
  private boolean soft;

  @Option(names = "--list", description = "lists the pending bans")
  private boolean list;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    if (list == (pattern != null)) {
      throw new CommandFailure(CommandFailure.USAGE, "either PATTERN or --list is required");
    }
    PrintWriter out = spec.commandLine().getOut();
    String answer = pattern == null ? proxy.get("/bans") : proxy.post("/purge?" + query(pattern));
    if (json) {
      out.print(answer.strip() + "\n");
    } else if (pattern == null) {
      JsonValue.parse(answer).values().forEach(ban -> out.println(text(ban)));
    } else {
      out.println(Purging.text(JsonValue.parse(answer)));
    }
    out.flush();
    return 0;
  }

  private String query(String regex) {
    return "pattern="
        + encoded(regex)
        + (host == null ? "" : "&host=" + encoded(host))
        + (soft ? "&soft=1" : "");
  }

  private static String text(JsonValue ban) {
    String name = ban.get("host").text();
    return ban.get("since").text()
        + " "
        + (name.isEmpty() ? "all hosts" : name)
        + " "
        + ban.get("pattern").text()
        + (ban.get("soft").isTrue() ? " (soft)" : "");
  }
}
