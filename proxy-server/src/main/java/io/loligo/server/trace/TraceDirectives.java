package io.loligo.server.trace;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;

/** Directives of distributed traces. */
public final class TraceDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Traces");

  private static final String PATH = "/v1/traces";

  /** {@code loligo_otlp}: where spans are sent; null: nowhere. */
  public static final Setting<@Nullable URI> OTLP =
      FEATURE
          .text("loligo_otlp", "off")
          .form("URL|off")
          .mustBe(
              "http://HOST:PORT, https://HOST:PORT or off",
              word -> word.equals("off") || parsed(word) != null,
              word -> "")
          .as(word -> word == null || word.equals("off") ? null : parsed(word))
          .text(
              "The collector of OpenTelemetry that gets spans of exchanges, fetches and reads from"
                  + " disk, by OTLP over HTTP with JSON. Without a path, "
                  + PATH
                  + " is added. Only requests whose traceparent says that they are sampled have"
                  + " spans; their next hop gets a traceparent with the span of the fetch. A"
                  + " validation in the background has a trace of its own, linked to that of the"
                  + " request that caused it. off: traceparent passes unchanged.");

  private TraceDirectives() {}

  /** The place for spans; null: {@code word} names none. */
  private static @Nullable URI parsed(String word) {
    try {
      URI uri = new URI(word);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (!web || uri.getHost() == null || uri.getUserInfo() != null) {
        return null;
      }
      boolean bare = uri.getRawPath().isEmpty() || uri.getRawPath().equals("/");
      return bare && uri.getRawQuery() == null ? uri.resolve(PATH) : uri;
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
