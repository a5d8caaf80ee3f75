/**
 * Distributed traces: {@code traceparent} (W3C Trace Context), and spans for a collector of
 * OpenTelemetry (OTLP over HTTP, JSON). {@link io.loligo.server.trace.TraceParent} is for the
 * exchange, which continues it; a fetch in the background has a {@link
 * io.loligo.server.trace.CausedTrace}. {@link io.loligo.server.trace.SpanSink} takes finished
 * exchanges and such fetches on their event loops, and {@link io.loligo.server.trace.SpanSender}
 * sends on a thread of its own.
 */
@NullMarked
package io.loligo.server.trace;

import org.jspecify.annotations.NullMarked;
