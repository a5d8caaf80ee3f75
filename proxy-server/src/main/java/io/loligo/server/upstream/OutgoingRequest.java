package io.loligo.server.upstream;

import io.loligo.core.message.Method;
import org.jspecify.annotations.Nullable;

/**
 * A request to be sent, without the parts that belong to one connection (form of the request line,
 * Connection, framing); {@link #of} begins one. Immutable; outlives attempts.
 *
 * @param method as sent
 * @param methodId {@code Method} id
 * @param scheme of the effective URI, {@code http} for now
 * @param authority for absolute-form; Host is among the lines
 * @param path path and query, not empty; {@code *} for OPTIONS
 * @param fieldLines field lines, Host included, without hop-by-hop fields and without the empty
 *     line; not to be changed
 * @param contentLength 0 without content, -1 for chunked
 * @param hasContent whether content follows, possibly empty
 * @param expectContinue whether the client waits for 100
 * @param upgrade value of Upgrade to forward with {@code Connection: upgrade}, or null
 * @param nextOn the statuses after which the next hop is asked; null: none
 */
public record OutgoingRequest(
    String method,
    int methodId,
    String scheme,
    String authority,
    byte[] path,
    byte[] fieldLines,
    long contentLength,
    boolean hasContent,
    boolean expectContinue,
    @Nullable String upgrade,
    @Nullable StatusSet nextOn) {
  /** Begins a request for {@code /} without field lines and content. */
  public static Builder of(String method, int methodId) {
    return new Builder(method, methodId);
  }

  /** The same request, which has no content, with the method HEAD. */
  public OutgoingRequest asHead() {
    return new OutgoingRequest(
        "HEAD", Method.HEAD, scheme, authority, path, fieldLines, 0, false, false, null, nextOn);
  }

  /** Collects the parts of a request. Confined to one thread. */
  public static final class Builder {
    private final String method;
    private final int methodId;
    private String scheme = "http";
    private String authority = "";
    private byte[] path = {'/'};
    private byte[] fieldLines = {};
    private long contentLength;
    private boolean hasContent;
    private boolean expectContinue;
    private @Nullable String upgrade;
    private @Nullable StatusSet nextOn;

    private Builder(String method, int methodId) {
      this.method = method;
      this.methodId = methodId;
    }

    /** See {@link OutgoingRequest#scheme}. */
    public Builder scheme(String scheme) {
      this.scheme = scheme;
      return this;
    }

    /** See {@link OutgoingRequest#authority}. */
    public Builder authority(String authority) {
      this.authority = authority;
      return this;
    }

    /** See {@link OutgoingRequest#path}. */
    public Builder path(byte[] path) {
      this.path = path;
      return this;
    }

    /** See {@link OutgoingRequest#fieldLines}. */
    public Builder fieldLines(byte[] fieldLines) {
      this.fieldLines = fieldLines;
      return this;
    }

    /** Content follows, possibly empty; see {@link OutgoingRequest#contentLength}. */
    public Builder content(long contentLength) {
      this.contentLength = contentLength;
      hasContent = true;
      return this;
    }

    /** See {@link OutgoingRequest#expectContinue}. */
    public Builder expectContinue(boolean expectContinue) {
      this.expectContinue = expectContinue;
      return this;
    }

    /** See {@link OutgoingRequest#upgrade}. */
    public Builder upgrade(@Nullable String upgrade) {
      this.upgrade = upgrade;
      return this;
    }

    /** See {@link OutgoingRequest#nextOn}. */
    public Builder nextOn(@Nullable StatusSet statuses) {
      this.nextOn = statuses;
      return this;
    }

    /** The request with the parts set so far. */
    public OutgoingRequest build() {
      return new OutgoingRequest(
          method,
          methodId,
          scheme,
          authority,
          path,
          fieldLines,
          contentLength,
          hasContent,
          expectContinue,
          upgrade,
          nextOn);
    }
  }
}
