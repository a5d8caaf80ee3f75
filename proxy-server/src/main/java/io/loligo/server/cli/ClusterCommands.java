package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo cluster}: asks a running proxy about its cluster. */
@Command(
    name = "cluster",
    description = "Shows or changes the part of the running proxy in its cluster.",
    exitCodeList = {"0:see: loligo cluster status --help", "2:the command line is wrong"},
    footer = "  loligo cluster status -f /etc/loligo/loligo.conf",
    subcommands = {
      ClusterCommands.Status.class,
      ClusterCommands.Owner.class,
      ClusterCommands.Drain.class
    })
final class ClusterCommands implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return CommandLine.ExitCode.USAGE;
  }

  /** {@code loligo cluster owner}. */
  @Command(
      name = "owner",
      description = {
        "Shows the node that owns the response to a GET of the URL.",
        "For mode=share."
      },
      exitCodeList = {
        "0:shown",
        "1:the proxy shares no cache, refuses or fails; or it is no URL",
        "2:the command line is wrong",
        "3:no proxy answers"
      },
      footer = "  loligo cluster owner -f /etc/loligo/loligo.conf http://example.com/a")
  static final class Owner implements Callable<Integer> {
    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Mixin
    private RunningProxy proxy;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Parameters(paramLabel = "URL", description = "with scheme and host")
    private String url;

    @Option(names = "--json", description = "as JSON: key, owner (null: no node)")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
      String answer = proxy.get("/cluster/owner?url=" + RunningProxy.encoded(url));
      JsonValue owner = JsonValue.parse(answer).get("owner");
      PrintWriter out = spec.commandLine().getOut();
      String text = owner.isPresent() ? owner.text() : "no node: all drain";
      out.println(json ? answer.strip() : text);
      out.flush();
      return 0;
    }
  }

  /** {@code loligo cluster drain}. */
  @Command(
      name = "drain",
      description = {
        "Takes the running proxy out of the ranking of owners: other nodes then own its keys, and"
            + " take what it has stored from it. It answers on.",
        "For mode=share."
      },
      exitCodeList = {
        "0:the other nodes are told",
        "1:the proxy shares no cache, refuses or fails",
        "2:the command line is wrong",
        "3:no proxy answers"
      },
      footer = "  loligo cluster drain -f /etc/loligo/loligo.conf")
  static final class Drain implements Callable<Integer> {
    private static final String PAGE = "/cluster/drain";

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Mixin
    private RunningProxy proxy;

    @Option(names = "--end", description = "puts it back into the ranking")
    private boolean end;

    @Option(names = "--json", description = "as JSON: draining")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
      String answer = end ? proxy.delete(PAGE) : proxy.post(PAGE);
      PrintWriter out = spec.commandLine().getOut();
      String text = end ? "back in the ranking" : "draining";
      out.println(json ? answer.strip() : text);
      out.flush();
      return 0;
    }
  }

  /** {@code loligo cluster status}. */
  @Command(
      name = "status",
      description = "Shows the members that the running proxy sees, and how many there should be.",
      exitCodeList = {
        "0:all configured nodes are members, with the same configuration",
        "1:some are not, or some differ in their configuration for a minute; or the proxy is in no"
            + " cluster, refuses or fails",
        "2:the command line is wrong",
        "3:no proxy answers"
      },
      footer = {
        "  loligo cluster status -f /etc/loligo/loligo.conf",
        "  loligo cluster status --json | jq .members"
      })
  static final class Status implements Callable<Integer> {
    private static final int WRONG = 1;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Mixin
    private RunningProxy proxy;

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Override
    public Integer call() throws CommandFailure, InterruptedException {
      String page = proxy.get("/cluster");
      JsonValue state = JsonValue.parse(page);
      if (!state.get("nodes").isPresent()) {
        throw new CommandFailure(
            CommandFailure.FAILED, "the proxy is in no cluster; next: see loligo_cluster");
      }
      PrintWriter out = spec.commandLine().getOut();
      out.print(json ? page.strip() + "\n" : text(state));
      out.flush();
      boolean incomplete = state.get("members").whole() < state.get("configured").whole();
      return incomplete || state.get("configuration_alarm").isTrue() ? WRONG : 0;
    }

    private static String text(JsonValue state) {
      StringBuilder text = new StringBuilder();
      text.append("cluster ").append(state.get("cluster").text());
      text.append(", mode ").append(state.get("mode").text());
      text.append(": ").append(state.get("members").whole());
      text.append(" of ").append(state.get("configured").whole()).append(" nodes\n\n");
      boolean shares = state.get("share").isPresent();
      text.append(String.format(Locale.ROOT, "%-24s %8s", "node", "weight"));
      text.append(shares ? "   keys %  state\n" : "  state\n");
      for (JsonValue node : state.get("nodes").values()) {
        text.append(
            String.format(
                Locale.ROOT, "%-24s %8d", node.get("address").text(), node.get("weight").whole()));
        if (shares) {
          text.append(String.format(Locale.ROOT, " %8.1f", node.get("keys_percent").number()));
        }
        text.append("  ").append(state(node)).append('\n');
      }
      return text.append(self(state)).toString();
    }

    private static String state(JsonValue node) {
      boolean isOut = node.get("asked").isPresent() && !node.get("asked").isTrue();
      String state =
          node.get("draining").isTrue() ? "draining" : isOut ? "out of routing" : "member";
      return (node.get("self").isTrue() ? state + ", this one" : state) + differences(node);
    }

    private static String self(JsonValue state) {
      StringBuilder text = new StringBuilder();
      if (state.get("drained").isTrue()) {
        text.append("\nan operator drains this node\n");
      }
      if (state.get("behind").isTrue()) {
        text.append("\nthis node is behind with purges, and owns no keys until it has caught up\n");
      }
      return text.toString();
    }

    private static String differences(JsonValue node) {
      String names =
          node.get("differs_in").values().stream()
              .map(JsonValue::text)
              .collect(Collectors.joining(", "));
      return names.isEmpty() ? "" : ", differs in: " + names;
    }
  }
}
