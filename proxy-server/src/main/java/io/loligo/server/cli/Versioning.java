package io.loligo.server.cli;

import io.loligo.server.json.JsonWriter;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo version}: the versions of the jar and of the JVM. */
@Command(
    name = "version",
    description = "Shows the versions of Loligo and of Java.",
    exitCodeList = {"0:shown", "2:the command line is wrong"},
    footer = {"  loligo version", "  loligo version --json"})
final class Versioning implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      JsonWriter object = JsonWriter.compact().beginObject();
      object.member("version", ofJar()).member("java", Runtime.version().toString());
      out.println(object.endObject());
    } else {
      for (String line : new OfOption().getVersion()) {
        out.println(line);
      }
    }
    out.flush();
    return 0;
  }

  /** Null: the classes are not from a jar. */
  private static @Nullable String ofJar() {
    return Main.class.getPackage().getImplementationVersion();
  }

  /** The same for the option {@code --version}. */
  static final class OfOption implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = ofJar();
      return new String[] {
        "loligo " + (version == null ? "(not from a jar)" : version), "Java " + Runtime.version()
      };
    }
  }
}
