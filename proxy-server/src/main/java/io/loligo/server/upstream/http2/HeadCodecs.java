package io.loligo.server.upstream.http2;

import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.ResponseComposer;
import org.jspecify.annotations.Nullable;

/** The arrays in which heads of one event loop are decoded and encoded. Confined to that loop. */
public final class HeadCodecs {
  private static final int FIRST_SCRATCH_BYTES = 1_024;

  private final HpackDecoder.Room room = new HpackDecoder.Room();
  private byte[] scratch = {};
  private @Nullable ResponseComposer composer;
  private boolean lent;

  /** Arrays for decoded strings. */
  HpackDecoder.Room room() {
    return room;
  }

  /** A composer, to be given back; a new one while a caller further up the stack uses it. */
  ResponseComposer borrow() {
    if (lent) {
      return new ResponseComposer();
    }
    lent = true;
    ResponseComposer shared = composer;
    if (shared == null) {
      shared = new ResponseComposer();
      composer = shared;
    }
    return shared;
  }

  /** Ends a loan. */
  void giveBack(ResponseComposer used) {
    if (used == composer) {
      lent = false;
    }
  }

  /** An array of at least {@code length} bytes; its content is valid only during the call. */
  byte[] scratch(int length) {
    if (scratch.length < length) {
      scratch = new byte[Math.max(FIRST_SCRATCH_BYTES, Math.max(length, 2 * scratch.length))];
    }
    return scratch;
  }
}
