package io.loligo.server.cli;

import io.loligo.server.check.RuleQuestions;
import io.loligo.server.explain.Question;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo acl test URL}: asks the rules of a file, without a running proxy. */
@Command(
    name = "acl",
    description = "Asks the rules of a configuration.",
    exitCodeList = {"0:see: loligo acl test --help", "2:the command line is wrong"},
    footer = "  loligo acl test http://www.example.com/ -f /etc/loligo/loligo.conf",
    subcommands = RuleCommands.Test.class)
final class RuleCommands implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().usage(spec.commandLine().getErr());
    return CommandLine.ExitCode.USAGE;
  }

  /** {@code loligo acl test URL}. */
  @Command(
      name = "test",
      description =
          "Shows which line of each list decides about a request, and why. Nothing is sent, looked"
              + " up or started.",
      exitCodeList = {
        "0:http_access allows the request",
        "1:it does not",
        "2:that is not known; or the command line is wrong"
      },
      footer = {
        "  loligo acl test http://www.example.com/ --client 10.1.2.3 -f /etc/loligo/loligo.conf",
        "  loligo acl test www.example.com:443 --user alice -f /etc/loligo/loligo.conf"
      })
  static final class Test implements Callable<Integer> {
    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Parameters(paramLabel = "URL", description = "absolute; for CONNECT HOST:PORT")
    private String url;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Mixin
    private ConfigOption file;

    @Option(
        names = "--client",
        paramLabel = "ADDRESS",
        description = "address of the client; default: ${DEFAULT-VALUE}")
    private String client = "127.0.0.1";

    @Option(
        names = "--user",
        paramLabel = "NAME",
        description = "name of the user who has logged in; '' for nobody; default: unknown")
    private @Nullable String user;

    @Option(
        names = {"-X", "--method"},
        paramLabel = "METHOD",
        description = "default: GET, or CONNECT for HOST:PORT")
    private @Nullable String method;

    @Option(
        names = {"-H", "--header"},
        paramLabel = "'NAME: VALUE'",
        description = "a field of the request; may be repeated")
    private List<String> fieldLines = List.of();

    @Option(
        names = "--time",
        paramLabel = "YYYY-MM-DDTHH:MM",
        description = "local time of the request; default: now")
    private @Nullable String time;

    @Option(
        names = "--port-name",
        paramLabel = "NAME",
        description = "name of the http_port; default: the first forward port")
    private @Nullable String portName;

    @Option(
        names = "--dns",
        paramLabel = "NAME=ADDRESS",
        description = "an address of a name, also for the name of an address; may be repeated")
    private List<String> dns = List.of();

    @Option(
        names = "--answer",
        paramLabel = "ACL=OK|ERR",
        description = "the answer of a helper to an external ACL; may be repeated")
    private List<String> answers = List.of();

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    @Override
    public Integer call() {
      ConfigOption.Read read = file.read();
      if (read == null) {
        return UNKNOWN;
      }
      boolean tunnel = method == null && !url.contains("/");
      String verb = method == null ? (tunnel ? "CONNECT" : "GET") : method;
      try {
        RuleQuestions asked =
            RuleQuestions.ask(
                read.examined(),
                read.config(),
                new Question(url, verb, fieldLines, "", client, portName),
                address(client),
                user,
                addresses(),
                helpers(),
                millis());
        System.out.print(json ? asked.json() : asked.text());
        return asked.exitStatus();
      } catch (IllegalArgumentException | DateTimeException e) {
        System.err.println("loligo: " + e.getMessage());
        return UNKNOWN;
      }
    }

    private static final int UNKNOWN = 2;

    private long millis() {
      return time == null
          ? System.currentTimeMillis()
          : LocalDateTime.parse(time).atZone(ZoneId.systemDefault()).toInstant().toEpochMilli();
    }

    private Map<String, List<byte[]>> addresses() {
      Map<String, List<byte[]>> all = new HashMap<>();
      for (String one : dns) {
        String[] parts = parts(one, "NAME=ADDRESS");
        all.computeIfAbsent(parts[0].toLowerCase(Locale.ROOT), name -> new ArrayList<>())
            .add(address(parts[1]).getAddress());
      }
      return all;
    }

    private Map<String, Boolean> helpers() {
      Map<String, Boolean> all = new HashMap<>();
      for (String one : answers) {
        String[] parts = parts(one, "ACL=OK or ACL=ERR");
        if (!parts[1].equals("OK") && !parts[1].equals("ERR")) {
          throw new IllegalArgumentException(one + " (expected: ACL=OK or ACL=ERR)");
        }
        all.put(parts[0], parts[1].equals("OK"));
      }
      return all;
    }

    private static String[] parts(String option, String form) {
      String[] parts = option.split("=", 2);
      if (parts.length != 2) {
        throw new IllegalArgumentException(option + " (expected: " + form + ")");
      }
      return parts;
    }

    private static InetAddress address(String text) {
      byte[] bytes = NetUtil.createByteArrayFromIpAddressString(text);
      try {
        if (bytes != null) {
          return InetAddress.getByAddress(bytes);
        }
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException(text, e);
      }
      throw new IllegalArgumentException(text + " (expected: an address)");
    }
  }
}
