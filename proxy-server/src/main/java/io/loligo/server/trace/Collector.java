package io.loligo.server.trace;

import java.net.URI;

/**
 * A collector of OpenTelemetry. Immutable.
 *
 * @param place where spans are posted
 * @param host name of this proxy there
 */
public record Collector(URI place, String host) {}
