package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of {@link RewriteDirectives} in one configuration. Immutable. */
public final class RewriteSettings {
  /** The helper. */
  public final HelperProgram program;

  /** Which requests it is asked about. */
  public final AclList access;

  /** Whether requests continue without it. */
  public final boolean bypass;

  /** The text behind the URL. */
  public final LogFormat extras;

  /** What follows without an answer in time. */
  public final RewriteTimeout timeout;

  /** Whether Host is that of the new URL. */
  public final boolean rewritesHost;

  private RewriteSettings(ProxyConfig config, List<String> command) {
    access = config.get(RewriteDirectives.URL_REWRITE_ACCESS);
    bypass = config.get(RewriteDirectives.URL_REWRITE_BYPASS);
    extras = config.get(RewriteDirectives.URL_REWRITE_EXTRAS);
    timeout = config.get(RewriteDirectives.URL_REWRITE_TIMEOUT);
    rewritesHost = config.get(RewriteDirectives.URL_REWRITE_HOST_HEADER);
    HelperChildren children = config.get(RewriteDirectives.URL_REWRITE_CHILDREN);
    program =
        new HelperProgram(
            RewriteDirectives.URL_REWRITE_PROGRAM.name(),
            command,
            bypass ? children.bypassed() : children,
            timeout.millis() > 0 ? timeout.millis() : config.get(HelperDirectives.HELPER_TIMEOUT),
            timeout.action() == RewriteTimeout.Action.RETRY);
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable RewriteSettings of(ProxyConfig config) {
    List<String> command = config.get(RewriteDirectives.URL_REWRITE_PROGRAM);
    return command.isEmpty() ? null : new RewriteSettings(config, command);
  }
}
