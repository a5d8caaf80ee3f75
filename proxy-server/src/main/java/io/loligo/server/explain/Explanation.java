package io.loligo.server.explain;

import io.loligo.core.caching.CacheKey;
import io.loligo.server.record.RouteSurvey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses for a URL, the decision for a request now with its reason, and the last
 * decisions. Immutable; contains nothing secret, except for the key, which is not shown.
 */
public final class Explanation {
  private final @Nullable String url;
  private final @Nullable String storeId;
  private final String method;
  private final long nowMillis;
  private final @Nullable String refusal;
  private final @Nullable Forecast forecast;
  private final @Nullable RouteSurvey route;
  private final List<StoredVariant> stored;
  private final @Nullable StoredSlices slices;
  private final @Nullable String disk;
  private final boolean fetching;
  private final List<PastDecision> recent;
  private final @Nullable CacheKey key;

  private Explanation(Builder from) {
    url = from.url;
    storeId = from.storeId;
    method = from.method;
    nowMillis = from.nowMillis;
    refusal = from.refusal;
    forecast = from.forecast;
    route = from.route;
    stored = List.copyOf(from.stored);
    slices = from.slices;
    disk = from.disk;
    fetching = from.fetching;
    recent = List.copyOf(from.recent);
    key = from.key;
  }

  /** An explanation for a request with this method at this time, without the other parts. */
  public static Builder of(String method, long nowMillis) {
    return new Builder(method, nowMillis);
  }

  /**
   * Effective URI, without its query if {@code strip_query_terms} is on; null if there is no key.
   */
  public @Nullable String url() {
    return url;
  }

  /** The name under which it is stored in place of the URL, shown like the URL; null: none. */
  public @Nullable String storeId() {
    return storeId;
  }

  /** Of the request asked about. */
  public String method() {
    return method;
  }

  /** Wall clock to which all ages refer. */
  public long nowMillis() {
    return nowMillis;
  }

  /** Why such a request would not reach the cache; null if it would. */
  public @Nullable String refusal() {
    return refusal;
  }

  /** Its treatment; null if there is a refusal. */
  public @Nullable Forecast forecast() {
    return forecast;
  }

  /** Where it would be sent; null if it would not be sent, or if no parents are configured. */
  public @Nullable RouteSurvey route() {
    return route;
  }

  /** All variants, memory first, in each tier in the order in which they are tried. */
  public List<StoredVariant> stored() {
    return stored;
  }

  /** The slices of the response; null if it is not sliced. */
  public @Nullable StoredSlices slices() {
    return slices;
  }

  /** The outcome of the look on disk, or null if there was nothing to look for. */
  public @Nullable String disk() {
    return disk;
  }

  /** Whether a fetch is in progress that equal requests may join. */
  public boolean fetching() {
    return fetching;
  }

  /** Past decisions for this URL, the newest first. */
  public List<PastDecision> recent() {
    return recent;
  }

  /** The key under which it is stored; null if there is none. */
  public @Nullable CacheKey key() {
    return key;
  }

  /** The same with past decisions. */
  public Explanation withRecent(List<PastDecision> decisions) {
    return toBuilder().recent(decisions).build();
  }

  /** The same, answered in {@code slices}. */
  public Explanation withSlices(StoredSlices slices) {
    return toBuilder().slices(slices).build();
  }

  /** The same, sent along {@code route}. */
  public Explanation withRoute(RouteSurvey route) {
    return toBuilder().route(route).build();
  }

  /** The same, where the proxy may connect to no address of the origin, for this reason. */
  public Explanation withoutWay(String why) {
    List<RouteSurvey.Unused> unused = route == null ? List.of() : route.unused();
    return toBuilder()
        .route(new RouteSurvey(List.of(), unused, why))
        .forecast(forecast == null ? null : forecast.withoutWay())
        .build();
  }

  private Builder toBuilder() {
    return new Builder(this);
  }

  /** Collects the parts. Confined to one thread. */
  public static final class Builder {
    private @Nullable String url;
    private @Nullable String storeId;
    private final String method;
    private final long nowMillis;
    private @Nullable String refusal;
    private @Nullable Forecast forecast;
    private @Nullable RouteSurvey route;
    private List<StoredVariant> stored = List.of();
    private @Nullable StoredSlices slices;
    private @Nullable String disk;
    private boolean fetching;
    private List<PastDecision> recent = List.of();
    private @Nullable CacheKey key;

    private Builder(String method, long nowMillis) {
      this.method = method;
      this.nowMillis = nowMillis;
    }

    private Builder(Explanation from) {
      url = from.url;
      storeId = from.storeId;
      method = from.method;
      nowMillis = from.nowMillis;
      refusal = from.refusal;
      forecast = from.forecast;
      route = from.route;
      stored = from.stored;
      slices = from.slices;
      disk = from.disk;
      fetching = from.fetching;
      recent = from.recent;
      key = from.key;
    }

    /** See {@link Explanation#url}. */
    public Builder url(@Nullable String url) {
      this.url = url;
      return this;
    }

    /** See {@link Explanation#storeId}. */
    public Builder storeId(@Nullable String storeId) {
      this.storeId = storeId;
      return this;
    }

    /** See {@link Explanation#refusal}. */
    public Builder refusal(@Nullable String refusal) {
      this.refusal = refusal;
      return this;
    }

    /** See {@link Explanation#forecast}. */
    public Builder forecast(@Nullable Forecast forecast) {
      this.forecast = forecast;
      return this;
    }

    /** See {@link Explanation#route}. */
    public Builder route(@Nullable RouteSurvey route) {
      this.route = route;
      return this;
    }

    /** See {@link Explanation#stored}. */
    public Builder stored(List<StoredVariant> stored) {
      this.stored = stored;
      return this;
    }

    /** See {@link Explanation#slices}. */
    public Builder slices(@Nullable StoredSlices slices) {
      this.slices = slices;
      return this;
    }

    /** See {@link Explanation#disk}. */
    public Builder disk(@Nullable String disk) {
      this.disk = disk;
      return this;
    }

    /** See {@link Explanation#fetching}. */
    public Builder fetching(boolean fetching) {
      this.fetching = fetching;
      return this;
    }

    /** See {@link Explanation#recent}. */
    public Builder recent(List<PastDecision> recent) {
      this.recent = recent;
      return this;
    }

    /** See {@link Explanation#key}. */
    public Builder key(@Nullable CacheKey key) {
      this.key = key;
      return this;
    }

    /** The values set so far. */
    public Explanation build() {
      return new Explanation(this);
    }
  }
}
