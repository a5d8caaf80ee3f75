package io.loligo.server.cli;

import io.loligo.core.config.Directive;
import io.loligo.core.config.Feature;
import io.loligo.server.boot.Features;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Man pages made from the declarations of commands and directives. Stateless. */
final class ManualPages {
  private ManualPages() {}

  /** The pages by their path, such as {@code man1/loligo.1}. */
  static Map<String, String> all(CommandSpec loligo) {
    Map<String, String> pages = new TreeMap<>();
    add(pages, loligo);
    pages.put("man5/loligo.conf.5", configuration());
    return pages;
  }

  private static void add(Map<String, String> pages, CommandSpec command) {
    String name = name(command);
    pages.put("man1/" + name + ".1", page(command, name));
    command.subcommands().values().forEach(sub -> add(pages, sub.getCommandSpec()));
  }

  private static String name(CommandSpec command) {
    return command.qualifiedName("-");
  }

  private static String page(CommandSpec command, String name) {
    String text = String.join(" ", command.usageMessage().description());
    Roff page = new Roff(name, 1);
    page.section("NAME").paragraph(name + " - " + firstSentence(text));
    page.section("SYNOPSIS").bold(synopsis(command));
    page.section("DESCRIPTION").paragraph(text);
    if (!command.positionalParameters().isEmpty() || !command.options().isEmpty()) {
      page.section("OPTIONS");
      for (PositionalParamSpec one : command.positionalParameters()) {
        page.entry(form(one), String.join(" ", one.description()));
      }
      for (OptionSpec option : command.options()) {
        page.entry(form(option), String.join(" ", option.description()));
      }
    }
    if (!command.subcommands().isEmpty()) {
      page.section("COMMANDS");
      for (CommandLine sub : command.subcommands().values()) {
        CommandSpec spec = sub.getCommandSpec();
        page.entry(spec.name(), String.join(" ", spec.usageMessage().description()));
      }
    }
    page.section("EXIT STATUS");
    command.usageMessage().exitCodeList().forEach(page::entry);
    page.section("EXAMPLES").verbatim(command.usageMessage().footer());
    page.section("SEE ALSO");
    return page.paragraph("loligo(1), loligo.conf(5)").toString();
  }

  private static String firstSentence(String text) {
    String first = text.split("\\. ", 2)[0];
    return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
  }

  /** The command line in one line. */
  static String synopsis(CommandSpec command) {
    StringBuilder text = new StringBuilder(command.qualifiedName());
    if (!command.subcommands().isEmpty()) {
      return text.append(" COMMAND").toString();
    }
    text.append(" [OPTIONS]");
    for (PositionalParamSpec one : command.positionalParameters()) {
      String more = one.arity().max() > 1 ? "..." : "";
      String label = one.paramLabel() + more;
      text.append(' ').append(one.required() ? label : "[" + label + "]");
    }
    for (OptionSpec option : command.options()) {
      if (option.required()) {
        text.append(' ').append(form(option));
      }
    }
    return text.toString();
  }

  /** Names and parameter of an option, or the label of a parameter. */
  static String form(ArgSpec argument) {
    if (argument instanceof OptionSpec option) {
      String names = String.join(", ", option.names());
      return option.arity().max() > 0 ? names + " " + option.paramLabel() : names;
    }
    return argument.paramLabel();
  }

  private static String configuration() {
    Roff page = new Roff("loligo.conf", 5);
    page.section("NAME").paragraph("loligo.conf - configuration of the proxy Loligo");
    page.section("DESCRIPTION")
        .paragraph(
            "A file in the dialect of squid.conf: a directive with its values in each line. #"
                + " begins a comment. loligo check judges a file; loligo help NAME shows one"
                + " directive.");
    for (Feature feature : Features.directives().features()) {
      page.section(feature.title().toUpperCase(Locale.ROOT));
      feature.settings().forEach(setting -> describe(page, setting.directive()));
    }
    page.section("SEE ALSO");
    return page.paragraph("loligo(1), loligo-check(1)").toString();
  }

  private static void describe(Roff page, Directive directive) {
    String text = directive.text().replace("`", "");
    page.entry(
        directive.name() + " " + directive.form(),
        directive.defaultText().isEmpty() ? text : text + " Default: " + directive.defaultText());
  }
}
