package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of {@link StoreIdDirectives} in one configuration. Immutable. */
public final class StoreIdSettings {
  /** The helper. */
  public final HelperProgram program;

  /** Which requests it is asked about. */
  public final AclList access;

  /** Whether requests do not wait for a busy helper. */
  public final boolean bypass;

  /** The text behind the URL. */
  public final LogFormat extras;

  private StoreIdSettings(ProxyConfig config, List<String> command) {
    access = config.get(StoreIdDirectives.STORE_ID_ACCESS);
    bypass = config.get(StoreIdDirectives.STORE_ID_BYPASS);
    extras = config.get(StoreIdDirectives.STORE_ID_EXTRAS);
    HelperChildren children = config.get(StoreIdDirectives.STORE_ID_CHILDREN);
    program =
        new HelperProgram(
            StoreIdDirectives.STORE_ID_PROGRAM.name(),
            command,
            bypass ? children.bypassed() : children,
            config.get(HelperDirectives.HELPER_TIMEOUT),
            /* asksAgain= */ false);
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable StoreIdSettings of(ProxyConfig config) {
    List<String> command = config.get(StoreIdDirectives.STORE_ID_PROGRAM);
    return command.isEmpty() ? null : new StoreIdSettings(config, command);
  }
}
