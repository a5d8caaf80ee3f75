package io.loligo.server.shaping;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Directives that limit the rate of requests. Immutable. */
public final class RateDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Request rates");

  /** {@code loligo_request_rate}. */
  public static final Setting<List<RequestRate>> REQUEST_RATE =
      FEATURE
          .lines("loligo_request_rate", RequestRateLines.FORM, RequestRateLines::of)
          .text(
              "Limits the requests a second, minute or hour of each client address (of IPv6: the"
                  + " first 64 bits), network (first bits, of IPv6 48), user who has logged in, or"
                  + " value of a field. A request beyond it gets 429 with Retry-After. burst: the"
                  + " most requests at once; default: those of one second. Each request and each"
                  + " CONNECT that http_access allows counts. A request without a user or field"
                  + " has no limit. All rates that apply hold. In a loligo_cluster, the requests of"
                  + " all nodes count together, exact to a second; scope=node: each node limits"
                  + " its own.");

  /** {@code loligo_request_rate_access}. */
  public static final Setting<@Nullable Void> REQUEST_RATE_ACCESS =
      FEATURE
          .lines(
              "loligo_request_rate_access", "NAME allow|deny [!]ACL...", RequestRateLines::accessOf)
          .text("Which requests a rate limits. Without a line for a rate: all.");

  private RateDirectives() {}
}
