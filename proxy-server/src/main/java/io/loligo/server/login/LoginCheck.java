package io.loligo.server.login;

import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/** A check that decides who the user of a request is. Immutable; any thread. */
public interface LoginCheck {
  /**
   * Begins the check. Does not block.
   *
   * @param loop runs {@code then}, once; called on it, perhaps before this returns
   * @param then takes the result: its state is unchecked only if the check was impossible
   */
  void begin(EventExecutor loop, Consumer<RequestLogin> then);
}
