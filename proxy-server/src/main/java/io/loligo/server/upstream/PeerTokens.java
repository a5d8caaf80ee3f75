package io.loligo.server.upstream;

import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes the credentials of requests to peers with {@code login=NEGOTIATE}. Thread-safe. */
public interface PeerTokens {
  /** Makes none: for peers without {@code login=NEGOTIATE}. */
  PeerTokens NONE =
      (of, loop, then) -> then.accept(new Made(null, "no login by Kerberos is configured"));

  /**
   * Makes the credentials of one request. Does not block.
   *
   * @param loop runs {@code then}, once; called on it, perhaps before this returns
   */
  void next(PeerKerberos of, EventExecutor loop, Consumer<Made> then);

  /**
   * Credentials.
   *
   * @param credentials a value of Proxy-Authorization or Authorization; null: there are none
   * @param why there are none, for the operator
   */
  record Made(@Nullable String credentials, String why) {
    @Override
    public String toString() {
      return credentials == null ? why : "credentials";
    }
  }
}
