package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.HelperDirectives;
import org.jspecify.annotations.Nullable;

/** The values of {@link RewriteDirectives} in one configuration. Immutable. */
public final class RewriteSettings {
  private static final UrlProgramDirectives DIRECTIVES =
      new UrlProgramDirectives(
          RewriteDirectives.URL_REWRITE_PROGRAM,
          RewriteDirectives.URL_REWRITE_CHILDREN,
          RewriteDirectives.URL_REWRITE_ACCESS,
          RewriteDirectives.URL_REWRITE_BYPASS,
          RewriteDirectives.URL_REWRITE_EXTRAS);

  /** The program, which requests continue without if they bypass it. */
  public final UrlProgram program;

  /** What follows without an answer in time. */
  public final RewriteTimeout timeout;

  /** Whether Host is that of the new URL. */
  public final boolean rewritesHost;

  private RewriteSettings(ProxyConfig config) {
    timeout = config.get(RewriteDirectives.URL_REWRITE_TIMEOUT);
    rewritesHost = config.get(RewriteDirectives.URL_REWRITE_HOST_HEADER);
    long usualMillis = config.get(HelperDirectives.HELPER_TIMEOUT);
    program =
        DIRECTIVES.in(
            config,
            timeout.millis() > 0 ? timeout.millis() : usualMillis,
            timeout.action() == RewriteTimeout.Action.RETRY);
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable RewriteSettings of(ProxyConfig config) {
    return DIRECTIVES.areUsed(config) ? new RewriteSettings(config) : null;
  }
}
