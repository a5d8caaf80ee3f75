package io.loligo.server.traffic;

import java.util.function.UnaryOperator;

/**
 * How clients and URLs are shown, as the configuration says for the access log. Immutable.
 *
 * @param mask gives the part of a client's address that is shown
 * @param stripQuery whether queries are left out
 */
public record TrafficView(UnaryOperator<String> mask, boolean stripQuery) {
  /** Everything as it is. */
  public static final TrafficView WHOLE = new TrafficView(UnaryOperator.identity(), false);

  /** The address of a client, as shown. */
  public String client(String address) {
    return mask.apply(address);
  }

  /** A URL, as shown. */
  public String url(String url) {
    int query = stripQuery ? url.indexOf('?') : -1;
    return query < 0 ? url : url.substring(0, query + 1);
  }
}
