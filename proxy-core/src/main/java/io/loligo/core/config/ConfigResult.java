package io.loligo.core.config;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading a configuration. Immutable.
 *
 * @param config null if a problem is an error
 * @param problems all of them, in the order of the lines
 * @param lines one report per line with a directive
 */
public record ConfigResult(
    @Nullable ProxyConfig config, List<ConfigProblem> problems, List<LineReport> lines) {
  /** Whether the configuration can be started. */
  public boolean isUsable() {
    return config != null;
  }

  public List<ConfigProblem> errors() {
    return problems.stream().filter(ConfigProblem::isError).toList();
  }

  public List<ConfigProblem> warnings() {
    return problems.stream().filter(problem -> !problem.isError()).toList();
  }
}
