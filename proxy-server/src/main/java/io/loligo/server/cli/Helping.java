package io.loligo.server.cli;

import io.loligo.core.config.DirectiveHelp;
import io.loligo.server.boot.Features;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo help NAME}: the use of a command, or the meaning of a directive. */
@Command(
    name = "help",
    description = "Explains a command or a directive of the configuration.",
    exitCodeList = {"0:explained", "2:the name is unknown; or the command line is wrong"},
    footer = {
      "  loligo help cache_dir",
      "  loligo help purge",
      "  loligo help --directives",
      "  loligo help --directives --json | jq -r '.[] | select(.restart) | .directive'"
    })
final class Helping implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      completionCandidates = HelpNames.class,
      description = "a command or a directive")
  private @Nullable String name;

  @Option(names = "--directives", description = "all directives that take effect")
  private boolean all;

  @Option(
      names = "--json",
      description =
          "as JSON: an object for NAME, an array for --directives, and all commands without both")
  private boolean json;

  @Override
  public Integer call() {
    CommandLine loligo = spec.commandLine().getParent();
    DirectiveHelp help = new DirectiveHelp(Features.directives());
    if (all) {
      loligo.getOut().print(json ? HelpJson.ofDirectives(Features.directives()) : help.ofAll());
    } else if (name == null && json) {
      loligo.getOut().print(HelpJson.ofCommands(loligo));
    } else if (name == null) {
      loligo.usage(loligo.getOut());
    } else {
      CommandLine command = loligo.getSubcommands().get(name);
      String directive = help.of(name);
      if (command != null && json) {
        loligo.getOut().print(HelpJson.of(command));
      } else if (command != null) {
        command.usage(loligo.getOut());
      } else if (directive != null) {
        loligo.getOut().print(json ? HelpJson.of(Features.directives(), name) : directive);
      } else {
        String near = help.nearest(name, List.copyOf(loligo.getSubcommands().keySet()));
        loligo
            .getErr()
            .println(
                "loligo: "
                    + name
                    + " is neither a command nor a directive"
                    + (near == null ? "" : "; did you mean " + near + "?"));
        return CommandLine.ExitCode.USAGE;
      }
    }
    loligo.getOut().flush();
    return CommandLine.ExitCode.OK;
  }
}
