package io.loligo.server.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo completion SHELL}: a script that completes command lines. */
@Command(
    name = "completion",
    description =
        "Prints a script with which a shell completes commands, options, files and the names of"
            + " directives.",
    exitCodeList = {"0:printed", "2:the command line is wrong"},
    footer = {
      "  loligo completion bash > /usr/share/bash-completion/completions/loligo",
      "  loligo completion zsh > ~/.loligo.zsh && echo 'source ~/.loligo.zsh' >> ~/.zshrc",
      "  loligo completion fish > ~/.config/fish/completions/loligo.fish"
    })
final class CompletionScript implements Callable<Integer> {
  /** The shells. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Parameters(paramLabel = "SHELL", description = "one of ${COMPLETION-CANDIDATES}")
  private Shell shell;

  @Override
  public Integer call() {
    CommandLine loligo = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    // the script for bash begins with a part that prepares zsh for it; nobody runs it as a program
    out.print(
        shell == Shell.fish
            ? FishCompletion.of(loligo)
            : AutoComplete.bash("loligo", loligo).replaceFirst("^#!.*\n", ""));
    out.flush();
    return 0;
  }
}
