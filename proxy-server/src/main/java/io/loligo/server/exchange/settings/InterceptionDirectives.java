package io.loligo.server.exchange.settings;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives for requests of intercepted clients. Immutable. */
public final class InterceptionDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Interception");

  /** {@code host_verify_strict}: whether a conflict about the host is an error. Default: off. */
  public static final Setting<Boolean> HOST_VERIFY_STRICT =
      FEATURE
          .flag("host_verify_strict", "off")
          .text(
              "What becomes of a request of an intercepted client whose Host does not lead to the"
                  + " address that the client connected to, or names another port. off: the"
                  + " request goes to that address, past the cache and all cache_peer. on: it gets"
                  + " 409 (ERR_CONFLICT_HOST). With on, a request with an absolute-form target, or"
                  + " a CONNECT, gets 409 too if its Host names another host or port than the"
                  + " target.");

  /** {@code client_dst_passthru}: whether direct requests keep the client's choice. Default: on. */
  public static final Setting<Boolean> CLIENT_DST_PASSTHRU =
      FEATURE
          .flag("client_dst_passthru", "on")
          .text(
              "Whether a request of an intercepted client that goes to the origin directly goes to"
                  + " the address that the client connected to (ORIGINAL_DST in the log), and"
                  + " whether dst ACLs test that address. off: it goes to any address of the host"
                  + " that its URL names. A request whose Host does not lead to the client's"
                  + " address is treated as with on.");

  private InterceptionDirectives() {}
}
