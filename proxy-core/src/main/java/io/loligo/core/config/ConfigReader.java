package io.loligo.core.config;

/**
 * Reads Squid's dialect of configuration into a {@link ProxyConfig}. Immutable; any thread.
 *
 * <p>Never throws on bad input: every problem of every line is reported at once. A line that
 * restricts, inspects or identifies and has no effect is an error; {@code # loligo: waive} at its
 * end or on the line above makes it a warning.
 */
public final class ConfigReader {
  private final Directives directives;
  private final ConfigSource source;

  /** Reads lines of {@code directives} through {@code source}. */
  public ConfigReader(Directives directives, ConfigSource source) {
    this.directives = directives;
    this.source = source;
  }

  /** Reads the file at {@code path} and all files it includes. */
  public ConfigResult read(String path) {
    return examine(path).result();
  }

  /** Reads {@code text} as if it were the file {@code name}. */
  public ConfigResult readText(String name, String text) {
    return examineText(name, text).result();
  }

  /** As {@link #read}, with the rules. */
  public ExaminedConfig examine(String path) {
    NotedFiles files = new NotedFiles(source);
    String text = files.read(path);
    if (text == null) {
      Report report = new Report(new Secrets(directives));
      report.error(path, "configuration", "a file that can be read", "check path and permissions");
      Reading nothing = new Reading(directives, files, report, path);
      ConfigResult result = new ConfigResult(null, report.problems(), report.lines());
      return new ExaminedConfig(result, nothing.rules().book());
    }
    return examine(files, path, text);
  }

  /** As {@link #readText}, with the rules. */
  public ExaminedConfig examineText(String name, String text) {
    return examine(new NotedFiles(source), name, text);
  }

  private ExaminedConfig examine(NotedFiles files, String name, String text) {
    Report report = new Report(new Secrets(directives));
    Reading reading = new Reading(directives, files, report, name);
    new LineFeed(files, report, reading::line).read(name, text);
    ProxyConfig config = reading.finish();
    report.endWaivers();
    ConfigResult result =
        new ConfigResult(
            config == null || report.hasErrors()
                ? null
                : reading.withWarnings(config).readFrom(files.paths()),
            report.problems(),
            report.lines());
    return new ExaminedConfig(result, reading.rules().book());
  }
}
