package io.loligo.server.cli;

import io.loligo.server.boot.AppLog;
import io.loligo.server.boot.AppLogProvider;
import io.loligo.server.launch.Relaunch;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
    name = "loligo",
    description = "A caching HTTP proxy.",
    versionProvider = Versioning.OfOption.class,
    exitCodeList = {
      "0:done, or the answer is yes",
      "1:failed, or the answer is no",
      "2:the command line is wrong, or the command cannot tell",
      "3:no proxy answers at the admin port",
      "75:a proxy that served has failed: a log that may lose no line, or a process that took over"
    },
    footer = {
      "  loligo check /etc/loligo/loligo.conf",
      "  loligo run -f /etc/loligo/loligo.conf",
      "  loligo help cache_mem"
    },
    subcommands = {
      Running.class,
      Checking.class,
      RuleCommands.class,
      Shadowing.class,
      Asking.class,
      Purging.class,
      Banning.class,
      Adding.class,
      Statistics.class,
      Health.class,
      ClusterCommands.class,
      Top.class,
      Reporting.class,
      Reloading.class,
      Rotating.class,
      Draining.class,
      Upgrading.class,
      Archiving.class,
      Versioning.class,
      Helping.class,
      CompletionScript.class,
      Manual.class
    })
public final class Main implements Callable<Integer> {
  /** The name of the program, where a script starts it as {@code squid}. */
  private static final String NAME = "loligo.name";

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // picocli acts on it
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "shows this help")
  private boolean help;

  @SuppressWarnings("UnusedVariable") // picocli acts on it
  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "the same as: version")
  private boolean version;

  @Option(names = "--check", paramLabel = "FILE", description = "the same as: check FILE")
  private @Nullable Path file;

  @Option(names = "--strict", description = "with --check: exits with 2 if a line has no effect")
  private boolean strict;

  private Main() {}

  @Override
  public Integer call() {
    if (file == null) {
      spec.commandLine().usage(spec.commandLine().getErr());
      return CommandLine.ExitCode.USAGE;
    }
    return Checking.check(file, strict, false, false);
  }

  /** Runs a command; the process ends with its status. */
  public static void main(String[] arguments) {
    String name = System.getProperty(NAME, "loligo");
    SquidArguments squid =
        SquidArguments.isMeant(name, arguments) ? SquidArguments.parse(arguments) : null;
    Path configuration = StartedFile.of(name, arguments);
    if (configuration != null) {
      Relaunch.forRun(configuration);
    } else if (arguments.length > 0 && arguments[0].equals("report")) {
      Relaunch.with(() -> Reporting.JVM_FLAGS);
    }
    AppLogProvider.choose();
    // read when the first class of Chronicle Map is initialised: it must not report this process to
    // anybody
    System.setProperty("chronicle.analytics.disable", "true");
    // samples a stack for one buffer in 128: a developer's tool, which costs 2 % of a miss
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      System.setProperty("io.netty.leakDetection.level", "disabled");
    }
    if (squid != null) {
      PrintWriter out = new PrintWriter(System.out, false, Charset.defaultCharset());
      PrintWriter err = new PrintWriter(System.err, false, Charset.defaultCharset());
      System.exit(new SquidCommandLine(squid, name, out, err).run());
    }
    if (configuration == null) {
      System.setProperty(AppLog.CONSOLE, "System.err");
    }
    Path plain = StartedFile.ofPlainRun(arguments);
    if (plain != null) {
      System.exit(run(plain));
    }
    // a wrong command line shows its help on the standard error
    boolean terminals =
        TerminalOutput.isTerminal(TerminalOutput.OUTPUT)
            && TerminalOutput.isTerminal(TerminalOutput.ERRORS);
    boolean colours = TerminalOutput.hasColours(terminals, System.getenv());
    CommandLine loligo = commandLine();
    loligo.setColorScheme(CommandLine.Help.defaultColorScheme(colours ? Ansi.ON : Ansi.OFF));
    int status = loligo.execute(arguments);
    // a proxy that ran has an outcome of its own
    System.exit(configuration == null ? TerminalOutput.statusOf(System.out, status) : status);
  }

  /** Without the model of all commands, which takes a fifth of the time until a port is open. */
  private static int run(Path configuration) {
    try {
      return Running.run(configuration, -1, false);
    } catch (RuntimeException defect) {
      defect.printStackTrace();
      return CommandFailure.FAILED;
    }
  }

  /** All commands; without colours. */
  public static CommandLine commandLine() {
    CommandLine loligo = new CommandLine(new Main());
    loligo.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    loligo.setExecutionExceptionHandler(CommandFailure::handle);
    style(loligo);
    return loligo;
  }

  /** The headings of all help texts. */
  private static void style(CommandLine command) {
    UsageMessageSpec usage = command.getCommandSpec().usageMessage();
    usage.parameterListHeading("%nParameters:%n");
    usage.optionListHeading("%nOptions:%n");
    usage.commandListHeading("%nCommands:%n");
    usage.exitCodeListHeading("%nExit status:%n");
    usage.footerHeading("%nExamples:%n");
    usage.sortOptions(false);
    command.getSubcommands().values().forEach(Main::style);
  }
}
