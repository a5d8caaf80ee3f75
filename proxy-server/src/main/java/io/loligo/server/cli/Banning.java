package io.loligo.server.cli;

import static io.loligo.server.cli.RunningProxy.encoded;

import io.loligo.server.json.JsonValue;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
  @Mixin
  private ChangeOptions change;

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

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    if (list == (pattern != null)) {
      throw new CommandFailure(CommandFailure.USAGE, "either PATTERN or --list is required");
    }
    String answer =
        pattern == null
            ? change.proxy().get("/bans")
            : change.proxy().post("/purge?" + query(pattern));
    change.print(answer, () -> text(answer));
    return 0;
  }

  private String query(String regex) {
    return "pattern="
        + encoded(regex)
        + (host == null ? "" : "&host=" + encoded(host))
        + (soft ? "&soft=1" : "");
  }

  private String text(String answer) {
    JsonValue read = JsonValue.parse(answer);
    return pattern == null ? listed(read) : Purging.text(read);
  }

  private static String listed(JsonValue bans) {
    return bans.values().stream().map(Banning::text).collect(Collectors.joining("\n"));
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
