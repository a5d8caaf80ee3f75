package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/**
 * A request to be sent, without the parts that belong to one connection (form of the request line,
 * Connection, framing). Immutable; outlives attempts.
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
    @Nullable String upgrade) {}
