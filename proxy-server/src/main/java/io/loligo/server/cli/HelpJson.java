package io.loligo.server.cli;

import io.loligo.core.config.Directive;
import io.loligo.core.config.Directives;
import io.loligo.server.json.JsonWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The texts of {@code loligo help} for programs. Stateless. */
final class HelpJson {
  private HelpJson() {}

  /** An array of all directives that take effect, one on each line. */
  static String ofDirectives(Directives directives) {
    JsonWriter json = JsonWriter.compact().beginArray();
    for (Directive directive : directives.all()) {
      if (directive.isUsed()) {
        directive(json.row(), directive);
      }
    }
    return json.endRows().endArray() + "\n";
  }

  /** An object for the directive of this name or alias, which exists. */
  static String of(Directives directives, String name) {
    Directive directive = directives.named(name);
    assert directive != null : "the caller knows its text";
    return directive(JsonWriter.compact(), directive) + "\n";
  }

  private static JsonWriter directive(JsonWriter json, Directive directive) {
    json.beginObject().member("directive", directive.name()).name("aliases").beginArray();
    directive.aliases().forEach(json::value);
    json.endArray().member("form", directive.form());
    json.member("default", directive.defaultText()).member("text", directive.text());
    json.member("note", directive.note()).member("takesEffect", directive.isUsed());
    if (directive.isUsed()) {
      boolean restart = directive.reload() == Directive.Reload.RESTART;
      json.member("restart", restart ? directive.restartReason() : null);
    } else {
      json.member("status", directive.status().words());
    }
    return json.endObject();
  }

  /** An array of all commands of {@code loligo}, with those of commands, one on each line. */
  static String ofCommands(CommandLine loligo) {
    JsonWriter json = JsonWriter.compact().beginArray();
    loligo.getSubcommands().values().forEach(each -> commands(json, each));
    return json.endRows().endArray() + "\n";
  }

  private static void commands(JsonWriter json, CommandLine command) {
    command(json.row(), command.getCommandSpec());
    command.getSubcommands().values().forEach(each -> commands(json, each));
  }

  /** An object for one command. */
  static String of(CommandLine command) {
    return command(JsonWriter.compact(), command.getCommandSpec()) + "\n";
  }

  private static JsonWriter command(JsonWriter json, CommandSpec command) {
    json.beginObject().member("command", command.qualifiedName());
    json.member("text", String.join(" ", command.usageMessage().description()));
    json.name("parameters").beginArray();
    command.positionalParameters().forEach(one -> argument(json, ManualPages.form(one), one));
    json.endArray().name("options").beginArray();
    for (OptionSpec option : command.options()) {
      if (!option.hidden() && !option.inherited()) {
        argument(json, ManualPages.form(option), option);
      }
    }
    json.endArray().name("exitStatus").beginObject();
    command.usageMessage().exitCodeList().forEach(json::member);
    json.endObject().name("examples").beginArray();
    for (String example : command.usageMessage().footer()) {
      json.value(example.strip());
    }
    return json.endArray().endObject();
  }

  private static void argument(JsonWriter json, String form, ArgSpec argument) {
    json.beginObject().member("form", form);
    json.member("text", String.join(" ", argument.description())).endObject();
  }
}
