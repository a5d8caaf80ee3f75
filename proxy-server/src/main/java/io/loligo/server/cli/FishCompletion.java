package io.loligo.server.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Makes the completion script for fish from the declarations of the commands. Stateless. */
final class FishCompletion {
  private static final String NO_COMMAND = "__fish_use_subcommand";

  private FishCompletion() {}

  /** The whole script. */
  static String of(CommandLine loligo) {
    StringBuilder script = new StringBuilder("complete -c loligo -f\n");
    options(script, loligo.getCommandSpec(), NO_COMMAND);
    loligo
        .getSubcommands()
        .forEach(
            (name, command) -> {
              CommandSpec spec = command.getCommandSpec();
              line(script, NO_COMMAND).append(" -a ").append(name);
              described(script, String.join(" ", spec.usageMessage().description()));
              command(script, spec, "__fish_seen_subcommand_from " + name);
            });
    return script.toString();
  }

  private static void command(StringBuilder script, CommandSpec command, String condition) {
    options(script, command, condition);
    for (PositionalParamSpec one : command.positionalParameters()) {
      if (isFile(one)) {
        line(script, condition).append(" -F\n");
      }
      words(script, one, condition);
    }
    command
        .subcommands()
        .forEach(
            (name, deeper) -> {
              line(script, condition + "; and not __fish_seen_subcommand_from " + name);
              script.append(" -a ").append(name).append('\n');
              command(
                  script,
                  deeper.getCommandSpec(),
                  condition + "; and __fish_seen_subcommand_from " + name);
            });
  }

  private static void words(StringBuilder script, PositionalParamSpec one, String condition) {
    if (one.completionCandidates() == null) {
      return;
    }
    List<String> words =
        StreamSupport.stream(one.completionCandidates().spliterator(), false).toList();
    if (!words.isEmpty()) {
      line(script, condition).append(" -a ").append(quoted(String.join(" ", words))).append('\n');
    }
  }

  private static void options(StringBuilder script, CommandSpec command, String condition) {
    for (OptionSpec option : command.options()) {
      line(script, condition);
      for (String name : option.names()) {
        script.append(name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.charAt(1));
      }
      if (option.arity().max() > 0) {
        script.append(isFile(option) ? " -r -F" : " -x");
      }
      described(script, String.join(" ", option.description()));
    }
  }

  private static boolean isFile(ArgSpec argument) {
    Class<?> type = argument.auxiliaryTypes()[0];
    return type == Path.class
        || type == File.class
        || argument.paramLabel().matches("FILE|ACCESS\\.LOG|FOLDER");
  }

  private static StringBuilder line(StringBuilder script, String condition) {
    return script.append("complete -c loligo -n ").append(quoted(condition));
  }

  /** Ends a line with the first sentence of {@code text}. */
  private static void described(StringBuilder script, String text) {
    String first = text.split("(?<=[a-z])[.:;] ", 2)[0];
    script.append(" -d ").append(quoted(first)).append('\n');
  }

  private static String quoted(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
