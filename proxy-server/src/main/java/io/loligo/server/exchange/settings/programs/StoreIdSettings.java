package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.HelperDirectives;
import org.jspecify.annotations.Nullable;

/** The values of {@link StoreIdDirectives} in one configuration. Immutable. */
public final class StoreIdSettings {
  private static final UrlProgramDirectives DIRECTIVES =
      new UrlProgramDirectives(
          StoreIdDirectives.STORE_ID_PROGRAM,
          StoreIdDirectives.STORE_ID_CHILDREN,
          StoreIdDirectives.STORE_ID_ACCESS,
          StoreIdDirectives.STORE_ID_BYPASS,
          StoreIdDirectives.STORE_ID_EXTRAS);

  /** The program. */
  public final UrlProgram program;

  private StoreIdSettings(ProxyConfig config) {
    program =
        DIRECTIVES.in(config, config.get(HelperDirectives.HELPER_TIMEOUT), /* asksAgain= */ false);
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable StoreIdSettings of(ProxyConfig config) {
    return DIRECTIVES.areUsed(config) ? new StoreIdSettings(config) : null;
  }
}
