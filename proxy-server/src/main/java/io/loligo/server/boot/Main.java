package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.launch.Relaunch;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line. */
@Command(
    name = "loligo",
    description = "A caching HTTP proxy.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      Main.Run.class,
      Checking.class,
      RuleCommands.class,
      Shadowing.class,
      Reporting.class,
      Asking.class,
      Helping.class
    })
public final class Main implements Callable<Integer> {
  @Option(names = "--check", paramLabel = "FILE", description = "the same as: check FILE")
  private @Nullable Path file;

  @Option(names = "--strict", description = "with --check: exits with 2 if a line has no effect")
  private boolean strict;

  private Main() {}

  @Override
  public Integer call() {
    if (file == null) {
      CommandLine.usage(this, System.err);
      return CommandLine.ExitCode.USAGE;
    }
    return Checking.check(file, strict, false, false);
  }

  /** Runs a command; the process ends with its status. */
  public static void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals("run")) {
      Relaunch.forRun(arguments);
    }
    // read when the first class of Chronicle Map is initialised: it must not report this process to
    // anybody
    System.setProperty("chronicle.analytics.disable", "true");
    // samples a stack for one buffer in 128: a developer's tool, which costs 2 % of a miss
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      System.setProperty("io.netty.leakDetection.level", "disabled");
    }
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main());
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
    @SuppressWarnings("NullAway.Init") // picocli sets it
    @Option(
        names = {"-f", "--file"},
        required = true,
        paramLabel = "FILE",
        description = "configuration in Squid's dialect")
    private Path file;

    @Override
    public Integer call() throws Exception {
      ConfigResult result = MemoryFit.check(read(), file.toString());
      for (ConfigProblem problem : result.problems()) {
        System.err.println(problem.text());
      }
      ProxyConfig config = result.config();
      if (config == null) {
        System.err.println("loligo: not started: " + file + " has errors");
        return 1;
      }
      return new Daemon(config, this::read).run();
    }

    private ConfigResult read() {
      return Features.reader(new FileConfigSource()).read(file.toString());
    }
  }
}
