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

/** {@code loligo add HOST}: adds a host to an ACL for some minutes. */
@Command(
    name = "add",
    description =
        "Adds a host to an ACL of type loligo_added of a running proxy, for some minutes. A host is"
            + " a name, .example.com for a domain and all names below it, or an address; without"
            + " :PORT, any port matches. Adding it again prolongs it.",
    exitCodeList = {
      "0:added, removed or listed",
      "1:the proxy refuses: it has no such ACL, the ACL is full, or the host is not in it",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = {
      "  loligo add files.example.net:443 --acl opened --minutes 30 -f /etc/loligo/loligo.conf",
      "  loligo add files.example.net:443 --acl opened --remove -f /etc/loligo/loligo.conf",
      "  loligo add --list"
    })
final class Adding implements Callable<Integer> {
  private static final String PAGE = "/additions";

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private ChangeOptions change;

  @Parameters(paramLabel = "HOST[:PORT]", arity = "0..1", description = "the host")
  private @Nullable String host;

  @Option(names = "--acl", paramLabel = "NAME", description = "the ACL")
  private @Nullable String acl;

  @Option(
      names = "--minutes",
      paramLabel = "NUMBER",
      description = "1 to 10080; default: ${DEFAULT-VALUE}")
  private int minutes = 30;

  @Option(names = "--remove", description = "removes it")
  private boolean remove;

  @Option(names = "--list", description = "lists the hosts of all such ACLs")
  private boolean list;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    if (list ? host != null || acl != null : host == null || acl == null) {
      throw new CommandFailure(
          CommandFailure.USAGE, "either HOST[:PORT] with --acl, or --list is required");
    }
    String answer = answer();
    change.print(answer, () -> remove ? "removed" : text(answer));
    return 0;
  }

  private String answer() throws CommandFailure, InterruptedException {
    if (host == null || acl == null) {
      return change.proxy().get(PAGE);
    }
    String place = PAGE + "?acl=" + encoded(acl) + "&host=" + encoded(host);
    return remove
        ? change.proxy().delete(place)
        : change.proxy().post(place + "&minutes=" + minutes);
  }

  private String text(String answer) {
    return list ? listed(JsonValue.parse(answer)) : text(JsonValue.parse(answer));
  }

  private static String listed(JsonValue acls) {
    return acls.values().stream()
        .flatMap(
            one ->
                one.get("hosts").values().stream()
                    .map(added -> one.get("acl").text() + " " + text(added)))
        .collect(Collectors.joining("\n"));
  }

  private static String text(JsonValue added) {
    return added.get("host").text() + " until " + added.get("until").text();
  }
}
