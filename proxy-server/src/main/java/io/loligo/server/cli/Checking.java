package io.loligo.server.cli;

import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.MemoryFit;
import io.loligo.server.boot.PortCertificates;
import io.loligo.server.boot.StartProblems;
import io.loligo.server.check.ConfigCheck;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loligo check FILE}: judges a configuration without starting. */
@Command(
    name = "check",
    description =
        "Judges a configuration without starting: wrong lines, rules that can never decide, traps"
            + " in their order, open access, missing files, unused ACLs.",
    exitCodeList = {
      "0:the proxy would start",
      "1:it would not",
      "2:it would, but --strict is given and there is a warning or a line without effect; or the"
          + " command line is wrong"
    },
    footer = {
      "  loligo check /etc/loligo/loligo.conf",
      "  loligo check --strict --json /etc/loligo/loligo.conf"
    })
final class Checking implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", arity = "0..1", description = "configuration in Squid's dialect")
  private @Nullable Path given;

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "the same")
  private @Nullable Path file;

  @Option(
      names = "--strict",
      description = "exits with 2 if there is a warning or a line without effect")
  private boolean strict;

  @Option(names = "--lines", description = "shows every line with its verdict too")
  private boolean lines;

  @Option(names = "--json", description = "as JSON, with every line")
  private boolean json;

  @Override
  public Integer call() {
    Path path = file == null ? given : file;
    if (path == null) {
      CommandLine.usage(this, System.err);
      return CommandLine.ExitCode.USAGE;
    }
    return check(path, strict, lines, json);
  }

  static int check(Path path, boolean strict, boolean lines, boolean json) {
    String name = path.toString();
    ExaminedConfig examined = Features.reader(new FileConfigSource()).examine(name);
    ConfigResult result = StartProblems.checkCluster(MemoryFit.checkRun(examined.result(), name));
    ProxyConfig config = result.config();
    ConfigCheck check =
        new ConfigCheck(
            name,
            examined,
            result,
            config == null ? Map.of() : unreadable(config),
            System.currentTimeMillis());
    if (json) {
      System.out.print(check.json());
      return check.exitStatus(strict);
    }
    System.out.print(check.text(lines));
    MemoryFit memory = config == null ? null : MemoryFit.ofRun(config);
    if (memory != null && memory.isLowered()) {
      System.out.println("\n" + memory.report());
    }
    return check.exitStatus(strict);
  }

  /** The files of certificates and keys that this user cannot read, with the reason. */
  private static Map<String, String> unreadable(ProxyConfig config) {
    Map<String, String> reasons = new TreeMap<>();
    for (String path : PortCertificates.paths(config)) {
      Path file = Path.of(path);
      if (!Files.exists(file)) {
        reasons.put(path, "this file of a port's certificate does not exist");
      } else if (!Files.isReadable(file)) {
        reasons.put(path, "this user cannot read this file of a port's certificate");
      }
    }
    return reasons;
  }
}
