package io.loligo.server.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The page generated from the declarations of the commands. Stateless. */
final class CommandPages {
  private static final String INTRODUCTION =
      """
      # Commands

      <!-- Generated from the declarations of the commands. -->

      `loligo` stands for `java -jar loligo.jar`. `loligo COMMAND --help` and `loligo help COMMAND` show the same texts.
      A terminal gets colours, unless `NO_COLOR` is set; a file or a program never does. Options come before or after parameters.
      [Output for programs](../running.md#output-for-programs) describes the JSON of `--json`.

      The commands that ask a running proxy, or change it, call its [admin port](../watching.md). Changes need `loligo_admin_secret`:
      the commands take it from the configuration that `-f` names, or from the environment variable `LOLIGO_ADMIN_SECRET`.

      ## Exit status

      """;

  /** What {@code .ci/docs} does before the examples of a command, or why it does not run them. */
  private static final Map<String, String> MARKS =
      Map.of(
          "loligo",
          """
          run: export LOLIGO_ADMIN_SECRET=changeit
          cd /var/log/squid
          for second in 1 2; do
            echo "179530560$second.000 5 10.1.2.3 TCP_HIT/200 99 GET http://www.example.com/ - HIER_NONE/- text/html"
          done >access.log
          gzip <access.log >access.log.1.gz
          mkdir -p ~/.config/fish/completions /usr/share/bash-completion/completions
          """,
          "loligo run",
          "not run: the proxy runs since the first example",
          "loligo explain",
          "run: curl -s -o page -x http://127.0.0.1:3128 http://www.example.com/logo.png",
          "loligo upgrade",
          "run: loligo run -f /etc/loligo/loligo.conf",
          "loligo cluster",
          "not run: this proxy is in no cluster; ClusterWireTest",
          "loligo cluster status",
          "not run: this proxy is in no cluster; ClusterWireTest",
          "loligo cluster owner",
          "not run: this proxy is in no cluster; ClusterWireTest",
          "loligo cluster drain",
          "not run: this proxy is in no cluster; ClusterWireTest",
          "loligo archive",
          "not run: takes ten seconds; ArchiveWireTest");

  private CommandPages() {}

  /** All commands with their subcommands; {@code loligo} is first. */
  static List<CommandSpec> commands() {
    List<CommandSpec> all = new ArrayList<>();
    add(all, Main.commandLine());
    return all;
  }

  private static void add(List<CommandSpec> all, CommandLine command) {
    all.add(command.getCommandSpec());
    command.getSubcommands().values().forEach(sub -> add(all, sub));
  }

  /** {@code docs/reference/commands.md}. */
  static String markdown() {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    List<CommandSpec> commands = commands();
    page.append("| status | meaning |\n| --- | --- |\n");
    commands.get(0).usageMessage().exitCodeList().forEach((code, text) -> row(page, code, text));
    page.append("\nBy command:\n\n| command | 0 | 1 | 2 | 3 |\n| --- | --- | --- | --- | --- |\n");
    for (CommandSpec command : commands.subList(1, commands.size())) {
      Map<String, String> statuses = command.usageMessage().exitCodeList();
      page.append("| `").append(command.qualifiedName()).append("` ");
      for (String code : List.of("0", "1", "2", "3")) {
        page.append("| ").append(statuses.getOrDefault(code, "")).append(' ');
      }
      page.append("|\n");
    }
    for (CommandSpec command : commands) {
      describe(page, command);
    }
    return page.toString();
  }

  private static void describe(StringBuilder page, CommandSpec command) {
    page.append("\n## ").append(command.qualifiedName());
    page.append("\n\n<!-- not run: the form -->\n\n    ");
    page.append(ManualPages.synopsis(command)).append("\n\n");
    page.append(String.join("\n\n", command.usageMessage().description())).append('\n');
    StringBuilder rows = new StringBuilder();
    command
        .positionalParameters()
        .forEach(one -> row(rows, "`" + ManualPages.form(one) + "`", text(one)));
    for (OptionSpec option : command.options()) {
      if (!option.hidden() && !option.inherited()) {
        row(rows, "`" + ManualPages.form(option) + "`", text(option));
      }
    }
    if (!rows.isEmpty()) {
      page.append("\n| option or parameter | meaning |\n| --- | --- |\n").append(rows);
    }
    page.append('\n');
    String mark = MARKS.get(command.qualifiedName());
    if (mark != null) {
      page.append("<!-- ").append(mark.strip()).append(" -->\n\n");
    }
    for (String example : command.usageMessage().footer()) {
      page.append("    ").append(example.strip()).append('\n');
    }
  }

  static String text(ArgSpec argument) {
    return String.join(" ", argument.description());
  }

  private static void row(StringBuilder page, String name, String text) {
    page.append("| ").append(name.replace("|", "\\|")).append(" | ");
    page.append(text.replace("|", "\\|")).append(" |\n");
  }
}
