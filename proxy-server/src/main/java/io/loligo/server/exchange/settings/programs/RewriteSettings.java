package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of {@link RewriteDirectives} in one configuration. Immutable. */
public final class RewriteSettings {
  /** The program, which requests continue without if they bypass it. */
  public final UrlProgram program;

  /** What follows without an answer in time. */
  public final RewriteTimeout timeout;

  /** Whether Host is that of the new URL. */
  public final boolean rewritesHost;

  private RewriteSettings(ProxyConfig config, List<String> command) {
    boolean bypass = config.get(RewriteDirectives.URL_REWRITE_BYPASS);
    timeout = config.get(RewriteDirectives.URL_REWRITE_TIMEOUT);
    rewritesHost = config.get(RewriteDirectives.URL_REWRITE_HOST_HEADER);
    HelperChildren children = config.get(RewriteDirectives.URL_REWRITE_CHILDREN);
    HelperProgram helper =
        new HelperProgram(
            RewriteDirectives.URL_REWRITE_PROGRAM.name(),
            command,
            bypass ? children.bypassed() : children,
            timeout.millis() > 0 ? timeout.millis() : config.get(HelperDirectives.HELPER_TIMEOUT),
            timeout.action() == RewriteTimeout.Action.RETRY);
    program =
        new UrlProgram(
            helper,
            config.get(RewriteDirectives.URL_REWRITE_ACCESS),
            bypass,
            config.get(RewriteDirectives.URL_REWRITE_EXTRAS));
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable RewriteSettings of(ProxyConfig config) {
    List<String> command = config.get(RewriteDirectives.URL_REWRITE_PROGRAM);
    return command.isEmpty() ? null : new RewriteSettings(config, command);
  }
}
