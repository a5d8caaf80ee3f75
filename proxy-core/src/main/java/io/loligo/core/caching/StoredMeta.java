package io.loligo.core.caching;

import io.loligo.core.message.Fields;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a stored response that decisions need, in primitives, so that a hit or a 304
 * reads nothing else. Immutable. A builder makes one on the heap. The memory tier has others, which
 * read the block of a stored response: such a one is valid while its reader holds a reference to
 * that response, and {@link #kept} copies it for longer.
 *
 * <p>Times are milliseconds since the epoch, {@link #NO_TIME} if the response had none; ages and
 * lifetimes are seconds.
 *
 * <p>A property that few responses have becomes one nullable field at the end, like {@link #part}.
 * The builder and {@link StoredForm} know all fields; on disk, the property follows the others. A
 * boolean takes a flag: bits 21 to 31 are free.
 */
public abstract class StoredMeta {
  public static final long NO_TIME = Long.MIN_VALUE;

  /** must-revalidate, proxy-revalidate or s-maxage: never served stale (RFC 9111 section 4.2.4). */
  public static final int MUST_REVALIDATE = 1;

  /** no-cache without field names: validated before every reuse. */
  public static final int NO_CACHE = 1 << 1;

  /** The lifetime is heuristic (RFC 9111 section 4.2.2). */
  public static final int HEURISTIC = 1 << 2;

  /** Stored for negative_ttl: an error without explicit lifetime. */
  public static final int NEGATIVE = 1 << 3;

  /** immutable (RFC 8246). */
  public static final int IMMUTABLE = 1 << 4;

  /** The origin sent no Date. */
  public static final int NO_DATE = 1 << 5;

  /** The origin's fields hold Via or Cache-Status, to which this cache adds at the end. */
  public static final int EXTENDS_LISTS = 1 << 8;

  /** The stored lines begin with some that clients do not get, see {@link HiddenFields}. */
  public static final int HIDES_FIELDS = 1 << 9;

  /** It came by HTTP/1.0, which the Via line of this proxy has to say (RFC 9110 section 7.6.3). */
  public static final int FROM_HTTP_1_0 = 1 << 10;

  /** Its fields may contain Set-Cookie, which not every port replays. */
  public static final int SETS_COOKIE = 1 << 11;

  /** The end of the connection ended its content: it may be incomplete. */
  public static final int UNFRAMED = 1 << 12;

  /** It is whole, and its fields contain a Content-Range, which has no meaning there. */
  public static final int HAS_CONTENT_RANGE = 1 << 13;

  /** It is stored, or has its lifetime, because of the configuration. */
  public static final int VIOLATES = 1 << 14;

  /** A field for gateways determined it (RFC 9213 section 3.1), which other ports do not obey. */
  public static final int TARGETED = 1 << 15;

  /** It has such a field, and was stored through a port that does not obey it. */
  public static final int UNTARGETED = 1 << 16;

  /** Beside one of these: ports of the other kind would not have stored it, or no longer. */
  public static final int FOR_ONE_KIND = 1 << 17;

  /**
   * The origin gave its lifetime (max-age, s-maxage or Expires), whether or not a refresh_pattern
   * changed it.
   */
  public static final int EXPLICIT = 1 << 18;

  /** Another node of a cluster stores it; see {@link #copied}. */
  public static final int COPY = 1 << 19;

  /** It is kept while it arrives, for the requests that came meanwhile, and then not stored. */
  public static final int PASSING = 1 << 20;

  /** For the few forms that it has. */
  protected StoredMeta() {}

  /** A response with whole content of unknown length, and without the other properties. */
  public static Builder builder(int status) {
    return new Builder(status);
  }

  /** A response that is not stored: status and length, without validators. */
  public static StoredMeta undated(int status, long contentLength) {
    return builder(status).flags(NO_DATE).contentLength(contentLength).build();
  }

  /** Status code as stored. */
  public abstract int status();

  /** When the request that fetched (or last validated) it was sent. */
  public abstract long requestTimeMillis();

  /** When its head arrived. */
  public abstract long responseTimeMillis();

  /** Date (RFC 9110 section 6.6.1); the response time if the origin sent none. */
  public abstract long dateMillis();

  /** Last-Modified, or {@link #NO_TIME}. */
  public abstract long lastModifiedMillis();

  /** corrected_initial_age (RFC 9111 section 4.2.3). */
  public abstract long initialAgeSeconds();

  /** Freshness lifetime (RFC 9111 section 4.2.1); 0 and less: born stale. */
  public abstract long lifetimeSeconds();

  /** RFC 5861 section 3; 0: none. */
  public abstract long staleWhileRevalidateSeconds();

  /** RFC 5861 section 4; -1: not given. */
  public abstract long staleIfErrorSeconds();

  /** {@link #MUST_REVALIDATE} and its siblings. */
  public abstract int flags();

  /** Opaque bytes with quotes and weakness prefix as received, or null; not to be changed. */
  public abstract byte @Nullable [] etag();

  /** The selecting fields, or null if the response does not vary. */
  public abstract @Nullable VarySelection vary();

  /** Bytes of the whole content; -1 while it is still arriving with its length unknown. */
  public abstract long contentLength();

  /** The stored part of the content; null: all of it. */
  public abstract @Nullable ContentPart part();

  public boolean has(int flag) {
    return (flags() & flag) != 0;
  }

  /**
   * Whether a port may use it at all.
   *
   * @param gateway whether the port stands for the origin
   */
  public boolean isFor(boolean gateway) {
    return !has(FOR_ONE_KIND) || !isOfOtherKind(gateway);
  }

  /** Whether it was stored by other directives than a port of this kind obeys. */
  public boolean isOfOtherKind(boolean gateway) {
    return has(gateway ? UNTARGETED : TARGETED);
  }

  /** Whether {@code request} selects it (RFC 9111 section 4.1). No allocation. */
  public boolean isSelectedBy(Fields request) {
    VarySelection selection = vary();
    return selection == null || selection.matches(request);
  }

  /** Whether it is fresh and needs no validation at the age of {@code ageSeconds}. */
  public boolean isFreshAt(long ageSeconds) {
    return ageSeconds < lifetimeSeconds() && !has(NO_CACHE);
  }

  /** current_age (RFC 9111 section 4.2.3), at least 0 even if the clock was set back. */
  public long ageSeconds(long nowMillis) {
    long arrived = responseTimeMillis();
    return nowMillis <= arrived
        ? initialAgeSeconds()
        : initialAgeSeconds() + (nowMillis - arrived) / 1000;
  }

  /** Whether it has an {@link #etag}. */
  public boolean hasEtag() {
    return etag() != null;
  }

  /** Whether the origin can validate it (RFC 9110 section 8.8). */
  public boolean hasValidator() {
    return hasEtag() || lastModifiedMillis() != NO_TIME;
  }

  /**
   * Whether Last-Modified is a strong validator: Date is later by a second or more (RFC 9110
   * section 8.8.2.2).
   */
  public boolean hasStrongDate() {
    long modified = lastModifiedMillis();
    return modified != NO_TIME && !has(NO_DATE) && dateMillis() - modified >= 1000;
  }

  /**
   * Whether a part of its content may be joined with another: only if a strong entity tag proves
   * that they belong together (RFC 9110 section 15.3.7.3).
   */
  public boolean canBeContinued() {
    byte[] tag = status() == 200 ? etag() : null;
    return tag != null && !EntityTag.isWeak(tag) && EntityTag.isWellFormed(tag);
  }

  /** Offset of the first stored byte of content. */
  public long contentStart() {
    ContentPart stored = part();
    return stored == null ? 0 : stored.first();
  }

  /** Offset after the last stored byte of content. */
  public long contentEnd() {
    ContentPart stored = part();
    return stored == null ? contentLength() : stored.end();
  }

  /** Stored bytes of content; of a part with gaps, as if there were none. */
  public long storedLength() {
    return contentEnd() - contentStart();
  }

  /** The same response after all {@code bytes} of content, or of its part, have arrived. */
  public StoredMeta arrived(long bytes) {
    ContentPart some = part();
    return some == null
        ? withContentLength(bytes)
        : withPart(new ContentPart(some.first(), some.first() + bytes));
  }

  /** The same response with {@code part} of its content; null: all of it. */
  public StoredMeta withPart(@Nullable ContentPart part) {
    return toBuilder().part(part).build();
  }

  /** The same response with its content length known. */
  public StoredMeta withContentLength(long bytes) {
    return bytes == contentLength() ? this : toBuilder().contentLength(bytes).build();
  }

  /** The same response, which purges judge as one requested at {@code millis}. */
  public StoredMeta askedForAt(long millis) {
    return toBuilder().requestTimeMillis(millis).build();
  }

  /** The same response, stale from {@code millis} on at the latest, and for its kind of port. */
  public StoredMeta staleSince(long millis) {
    long age = ageSeconds(millis);
    return lifetimeSeconds() <= age && flags() == flagsOfItsKind()
        ? this
        : toBuilder()
            .lifetimeSeconds(Math.min(lifetimeSeconds(), age))
            .flags(flagsOfItsKind())
            .build();
  }

  /** Ports of the other kind decide by the fields, which do not include facts learnt since. */
  private int flagsOfItsKind() {
    return has(TARGETED | UNTARGETED) ? flags() | FOR_ONE_KIND : flags();
  }

  /** The same response with {@code flag} set. */
  public StoredMeta withFlag(int flag) {
    return toBuilder().flags(flags() | flag).build();
  }

  /** The same response, validated before every use, and for its kind of port. */
  public StoredMeta validatedFirst() {
    int wanted = flagsOfItsKind() | NO_CACHE;
    return flags() == wanted ? this : toBuilder().flags(wanted).build();
  }

  /** The same response, not to be served stale while it is validated. */
  public StoredMeta withoutStaleWhileRevalidate() {
    return toBuilder().staleWhileRevalidateSeconds(0).flags(flagsOfItsKind()).build();
  }

  /**
   * The same response as a copy of one that another node of a cluster stores. It is fresh for
   * {@code seconds} at most; after that, it serves only as a response to a failure.
   *
   * @param nowMillis when it arrived
   */
  public StoredMeta copied(long nowMillis, long seconds) {
    return toBuilder()
        .lifetimeSeconds(Math.min(lifetimeSeconds(), ageSeconds(nowMillis) + seconds))
        .staleWhileRevalidateSeconds(0)
        .flags(flags() | COPY)
        .build();
  }

  /** The same on the heap, independent of the stored response. */
  public StoredMeta kept() {
    return toBuilder().build();
  }

  /** A builder with all properties of this response. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Collects the properties. Confined to one thread. */
  public static final class Builder {
    private final int status;
    private long requestTimeMillis;
    private long responseTimeMillis;
    private long dateMillis;
    private long lastModifiedMillis = NO_TIME;
    private long initialAgeSeconds;
    private long lifetimeSeconds;
    private long staleWhileRevalidateSeconds;
    private long staleIfErrorSeconds = -1;
    private int flags;
    private byte @Nullable [] etag;
    private @Nullable VarySelection vary;
    private long contentLength = -1;
    private @Nullable ContentPart part;

    private Builder(int status) {
      this.status = status;
    }

    private Builder(StoredMeta from) {
      status = from.status();
      requestTimeMillis = from.requestTimeMillis();
      responseTimeMillis = from.responseTimeMillis();
      dateMillis = from.dateMillis();
      lastModifiedMillis = from.lastModifiedMillis();
      initialAgeSeconds = from.initialAgeSeconds();
      lifetimeSeconds = from.lifetimeSeconds();
      staleWhileRevalidateSeconds = from.staleWhileRevalidateSeconds();
      staleIfErrorSeconds = from.staleIfErrorSeconds();
      flags = from.flags();
      etag = from.etag();
      vary = from.vary();
      contentLength = from.contentLength();
      part = from.part();
    }

    /** See {@link StoredMeta#requestTimeMillis}. */
    public Builder requestTimeMillis(long requestTimeMillis) {
      this.requestTimeMillis = requestTimeMillis;
      return this;
    }

    /** See {@link StoredMeta#responseTimeMillis}. */
    public Builder responseTimeMillis(long responseTimeMillis) {
      this.responseTimeMillis = responseTimeMillis;
      return this;
    }

    /** See {@link StoredMeta#dateMillis}. */
    public Builder dateMillis(long dateMillis) {
      this.dateMillis = dateMillis;
      return this;
    }

    /** See {@link StoredMeta#lastModifiedMillis}. */
    public Builder lastModifiedMillis(long lastModifiedMillis) {
      this.lastModifiedMillis = lastModifiedMillis;
      return this;
    }

    /** See {@link StoredMeta#initialAgeSeconds}. */
    public Builder initialAgeSeconds(long initialAgeSeconds) {
      this.initialAgeSeconds = initialAgeSeconds;
      return this;
    }

    /** See {@link StoredMeta#lifetimeSeconds}. */
    public Builder lifetimeSeconds(long lifetimeSeconds) {
      this.lifetimeSeconds = lifetimeSeconds;
      return this;
    }

    /** See {@link StoredMeta#staleWhileRevalidateSeconds}. */
    public Builder staleWhileRevalidateSeconds(long staleWhileRevalidateSeconds) {
      this.staleWhileRevalidateSeconds = staleWhileRevalidateSeconds;
      return this;
    }

    /** See {@link StoredMeta#staleIfErrorSeconds}. */
    public Builder staleIfErrorSeconds(long staleIfErrorSeconds) {
      this.staleIfErrorSeconds = staleIfErrorSeconds;
      return this;
    }

    /** See {@link StoredMeta#flags}. */
    public Builder flags(int flags) {
      this.flags = flags;
      return this;
    }

    /** See {@link StoredMeta#etag}. */
    public Builder etag(byte @Nullable [] etag) {
      this.etag = etag;
      return this;
    }

    /** See {@link StoredMeta#vary}. */
    public Builder vary(@Nullable VarySelection vary) {
      this.vary = vary;
      return this;
    }

    /** See {@link StoredMeta#contentLength}. */
    public Builder contentLength(long contentLength) {
      this.contentLength = contentLength;
      return this;
    }

    /** See {@link StoredMeta#part}. */
    public Builder part(@Nullable ContentPart part) {
      this.part = part;
      return this;
    }

    /** The properties set so far. */
    public StoredMeta build() {
      return new Built(this);
    }
  }

  /** One on the heap. */
  private static final class Built extends StoredMeta {
    private final int status;
    private final long requestTimeMillis;
    private final long responseTimeMillis;
    private final long dateMillis;
    private final long lastModifiedMillis;
    private final long initialAgeSeconds;
    private final long lifetimeSeconds;
    private final long staleWhileRevalidateSeconds;
    private final long staleIfErrorSeconds;
    private final int flags;
    private final byte @Nullable [] etag;
    private final @Nullable VarySelection vary;
    private final long contentLength;
    private final @Nullable ContentPart part;

    private Built(Builder from) {
      status = from.status;
      requestTimeMillis = from.requestTimeMillis;
      responseTimeMillis = from.responseTimeMillis;
      dateMillis = from.dateMillis;
      lastModifiedMillis = from.lastModifiedMillis;
      initialAgeSeconds = from.initialAgeSeconds;
      lifetimeSeconds = from.lifetimeSeconds;
      staleWhileRevalidateSeconds = from.staleWhileRevalidateSeconds;
      staleIfErrorSeconds = from.staleIfErrorSeconds;
      flags = from.flags;
      etag = from.etag;
      vary = from.vary;
      contentLength = from.contentLength;
      part = from.part;
    }

    @Override
    public int status() {
      return status;
    }

    @Override
    public long requestTimeMillis() {
      return requestTimeMillis;
    }

    @Override
    public long responseTimeMillis() {
      return responseTimeMillis;
    }

    @Override
    public long dateMillis() {
      return dateMillis;
    }

    @Override
    public long lastModifiedMillis() {
      return lastModifiedMillis;
    }

    @Override
    public long initialAgeSeconds() {
      return initialAgeSeconds;
    }

    @Override
    public long lifetimeSeconds() {
      return lifetimeSeconds;
    }

    @Override
    public long staleWhileRevalidateSeconds() {
      return staleWhileRevalidateSeconds;
    }

    @Override
    public long staleIfErrorSeconds() {
      return staleIfErrorSeconds;
    }

    @Override
    public int flags() {
      return flags;
    }

    @Override
    public byte @Nullable [] etag() {
      return etag;
    }

    @Override
    public @Nullable VarySelection vary() {
      return vary;
    }

    @Override
    public long contentLength() {
      return contentLength;
    }

    @Override
    public @Nullable ContentPart part() {
      return part;
    }

    @Override
    public StoredMeta kept() {
      return this;
    }
  }
}
