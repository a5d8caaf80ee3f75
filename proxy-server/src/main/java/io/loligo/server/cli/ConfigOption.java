package io.loligo.server.cli;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code -f FILE} of commands that ask the rules of a file. */
final class ConfigOption {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "configuration in Squid's dialect")
  private Path file;

  /** A file without errors: its lines, and the configuration that they give. */
  record Read(ExaminedConfig examined, ProxyConfig config) {}

  /** Reads the file; null: it has errors, which are printed. */
  @Nullable Read read() {
    ExaminedConfig examined = Features.reader(new FileConfigSource()).examine(file.toString());
    ProxyConfig config = examined.result().config();
    if (config == null) {
      examined.result().errors().stream().map(ConfigProblem::text).forEach(System.err::println);
      return null;
    }
    return new Read(examined, config);
  }
}
