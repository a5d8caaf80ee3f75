package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.helper.HelperChildren;
import io.loligo.server.helper.HelperDirectives;
import io.loligo.server.helper.HelperProgram;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of {@link StoreIdDirectives} in one configuration. Immutable. */
public final class StoreIdSettings {
  /** The program. */
  public final UrlProgram program;

  private StoreIdSettings(ProxyConfig config, List<String> command) {
    boolean bypass = config.get(StoreIdDirectives.STORE_ID_BYPASS);
    HelperChildren children = config.get(StoreIdDirectives.STORE_ID_CHILDREN);
    HelperProgram helper =
        new HelperProgram(
            StoreIdDirectives.STORE_ID_PROGRAM.name(),
            command,
            bypass ? children.bypassed() : children,
            config.get(HelperDirectives.HELPER_TIMEOUT),
            /* asksAgain= */ false);
    program =
        new UrlProgram(
            helper,
            config.get(StoreIdDirectives.STORE_ID_ACCESS),
            bypass,
            config.get(StoreIdDirectives.STORE_ID_EXTRAS));
  }

  /** The settings in {@code config}; null: it names no program. */
  public static @Nullable StoreIdSettings of(ProxyConfig config) {
    List<String> command = config.get(StoreIdDirectives.STORE_ID_PROGRAM);
    return command.isEmpty() ? null : new StoreIdSettings(config, command);
  }
}
