package io.loligo.core.http1;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;

/**
 * Takes the chunked transfer coding apart (RFC 9112 section 7.1), strictly: sizes in hexadecimal
 * without sign or space, CRLF everywhere, extensions and trailers bounded. Confined to one thread;
 * reusable.
 */
public final class ChunkedDecoder {
  /** What {@link #next} found. */
  public enum Event {
    /** Nothing more to be had from these octets. */
    NEED_MORE,
    /** {@link #dataLength()} octets of content stand at the reader index: take them, call again. */
    DATA,
    /** The last chunk and the trailer section are over; octets behind belong to what follows. */
    END,
    FAILED
  }

  /** A decoder with these limits. */
  public ChunkedDecoder(ParseLimits limits) {
    throw new AssertionError("http1 work package: " + limits);
  }

  /** Starts over for the next message. */
  public void reset() {
    throw new AssertionError("http1 work package");
  }

  /** Consumes what is not content from {@code in}, borrowed; leaves content for the caller. */
  public Event next(ByteBuf in) {
    throw new AssertionError("http1 work package");
  }

  /** After {@link Event#DATA}: octets of content at the reader index, all readable, at least 1. */
  public int dataLength() {
    throw new AssertionError("http1 work package");
  }

  /** After {@link Event#END}: the trailer section, empty where there was none. */
  public Fields trailers() {
    throw new AssertionError("http1 work package");
  }

  /** After {@link Event#FAILED}. */
  public ParseFailure failure() {
    throw new AssertionError("http1 work package");
  }
}
