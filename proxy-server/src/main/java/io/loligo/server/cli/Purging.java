package io.loligo.server.cli;

import static io.loligo.server.cli.RunningProxy.encoded;

import io.loligo.server.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loligo purge URL…}: removes stored responses from the running proxy. */
@Command(
    name = "purge",
    description = {
      "Removes stored responses from the running proxy: those of URLs, with surrogate keys, or of"
          + " cache groups. When the command ends with 0, no client gets them as before, and no"
          + " crash brings them back."
    },
    exitCodeList = {
      "0:purged; also if nothing was stored",
      "1:the proxy refuses, or a disk did not confirm",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = {
      "  loligo purge http://www.example.com/logo.png -f /etc/loligo/loligo.conf",
      "  loligo purge --soft --key product-17 --key product-18",
      "  loligo purge --group news --origin http://www.example.com/"
    })
final class Purging implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private ChangeOptions change;

  @Parameters(paramLabel = "URL", arity = "0..*", description = "absolute; all its variants")
  private List<String> urls = List.of();

  @Option(
      names = {"--key", "--tag"},
      paramLabel = "KEY",
      description = "a surrogate key; may be repeated")
  private List<String> keys = List.of();

  @Option(
      names = "--group",
      paramLabel = "GROUP",
      description = "a cache group of --origin; may be repeated")
  private List<String> groups = List.of();

  @Option(names = "--origin", paramLabel = "URL", description = "any URL of the origin of --group")
  private @Nullable String origin;

  @Option(
      names = "--soft",
      description = "makes them stale: they are validated before their next use")
  private boolean soft;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    List<String> queries = queries();
    if (queries.isEmpty() || groups.isEmpty() != (origin == null)) {
      throw new CommandFailure(
          CommandFailure.USAGE, "a URL, --key, or --group with --origin is required");
    }
    for (String query : queries) {
      String answer = change.proxy().post("/purge?" + query + (soft ? "&soft=1" : ""));
      change.print(answer, () -> text(JsonValue.parse(answer)));
    }
    return 0;
  }

  private List<String> queries() {
    List<String> queries = new ArrayList<>();
    urls.forEach(url -> queries.add("url=" + encoded(url)));
    if (!keys.isEmpty()) {
      queries.add(all("key", keys));
    }
    if (!groups.isEmpty() && origin != null) {
      queries.add(all("group", groups) + "&origin=" + encoded(origin));
    }
    return queries;
  }

  private static String all(String name, List<String> values) {
    return String.join("&", values.stream().map(value -> name + "=" + encoded(value)).toList());
  }

  /** The answer of the proxy for people. */
  static String text(JsonValue purged) {
    JsonValue disk = purged.get("disk");
    return "purged: "
        + purged.get("memory").whole()
        + " in memory, "
        + (disk.isPresent() ? disk.whole() + " on disk" : "those on disk at their next use")
        + nodes(purged.get("nodes"));
  }

  private static String nodes(JsonValue nodes) {
    return nodes.isPresent()
        ? "; on "
            + nodes.get("acknowledged").whole()
            + "/"
            + nodes.get("configured").whole()
            + " nodes"
        : "";
  }
}
