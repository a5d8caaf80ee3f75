package io.loligo.server.exchange.request;

import io.loligo.server.adapt.IcapService;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What services that have adapted a request leave for later ones. Immutable.
 *
 * @param shared the value of the field that services share; null: none
 * @param planned the services that adapt the response, in place of those that rules choose; empty:
 *     those of the rules
 */
public record AdaptationFacts(@Nullable String shared, List<IcapService> planned) {
  /** Nothing. */
  public static final AdaptationFacts NONE = new AdaptationFacts(null, List.of());

  /** The same with another {@link #shared}. */
  public AdaptationFacts sharing(String value) {
    return new AdaptationFacts(value, planned);
  }

  /** The same with another {@link #planned}. */
  public AdaptationFacts planning(List<IcapService> services) {
    return new AdaptationFacts(shared, List.copyOf(services));
  }
}
