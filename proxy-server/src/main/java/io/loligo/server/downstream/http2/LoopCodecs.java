package io.loligo.server.downstream.http2;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.RequestComposer;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.LoopState;
import java.util.SplittableRandom;

/**
 * Objects that the HTTP/2 connections of one event loop share. Their content is valid only during
 * the call that used it. Confined to that loop.
 */
final class LoopCodecs implements LoopState {
  private static final int FIRST_SCRATCH_BYTES = 1_024;

  private final HpackDecoder.Room room = new HpackDecoder.Room();
  private final SplittableRandom random = new SplittableRandom();
  private byte[] scratch = new byte[FIRST_SCRATCH_BYTES];

  @SuppressWarnings("NullAway.Init") // set by use, the first call
  private RequestComposer composer;

  @SuppressWarnings("NullAway.Init") // set by use, the first call
  private ParseLimits limits;

  @Override
  public void use(ClientSettings settings) {
    if (limits == null || !settings.limits.equals(limits)) {
      composer = new RequestComposer(settings.limits, random);
    }
    limits = settings.limits;
  }

  /** Those of the connections in {@code clients}. */
  static LoopCodecs of(ClientConnections clients) {
    return clients.shared(LoopCodecs.class, LoopCodecs::new);
  }

  HpackDecoder.Room room() {
    return room;
  }

  /** Makes heads of requests. */
  RequestComposer composer() {
    return composer;
  }

  /** The limits of requests. */
  ParseLimits limits() {
    return limits;
  }

  /** An array of at least {@code length} bytes. */
  byte[] scratch(int length) {
    if (scratch.length < length) {
      scratch = new byte[Math.max(length, 2 * scratch.length)];
    }
    return scratch;
  }
}
