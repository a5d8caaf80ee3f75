package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line. */
@Command(
    name = "loligo",
    description = "A caching HTTP proxy.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {Main.Run.class})
public final class Main {
  private Main() {}

  /** Runs a command; the process ends with its status. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  /** Version of the jar. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Main.class.getPackage().getImplementationVersion();
      return new String[] {
        "loligo " + (version == null ? "(not from a jar)" : version), "Java " + Runtime.version()
      };
    }
  }

  /** {@code loligo run -f FILE}: the proxy, in the foreground, until SIGTERM. */
  @Command(
      name = "run",
      description = "Runs the proxy in the foreground until SIGTERM.",
      mixinStandardHelpOptions = true)
  static final class Run implements Callable<Integer> {
    @Option(
        names = {"-f", "--file"},
        required = true,
        paramLabel = "FILE",
        description = "configuration in Squid's dialect")
    private Path file;

    @Override
    public Integer call() throws Exception {
      ConfigResult result = new ConfigReader(new FileConfigSource()).read(file.toString());
      for (ConfigProblem problem : result.problems()) {
        System.err.println(problem.text());
      }
      ProxyConfig config = result.config();
      if (config == null) {
        System.err.println("loligo: not started: " + file + " has errors");
        return 1;
      }
      return new Daemon(config).run();
    }
  }
}
