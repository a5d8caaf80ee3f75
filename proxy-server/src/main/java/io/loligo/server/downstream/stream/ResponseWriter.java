package io.loligo.server.downstream.stream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes one response at a time in the syntax of a version of HTTP, except for its final head,
 * which the stream writes. Confined to the client's event loop. A method that writes may throw
 * {@link OutOfMemoryError}.
 */
public interface ResponseWriter {
  /** Whether the client understands interim responses. */
  boolean takesInterim();

  /** Writes 100 (Continue). */
  void writeContinue();

  /** Writes a 1xx head with {@code lines}, borrowed. */
  void writeInterim(int status, FieldLines lines);

  /** Writes 503 in place of a head for which there was no memory; uses none itself. */
  void writeOverloaded();

  /** Writes content. Takes it. */
  void writeContent(ByteBuf content);

  /** Writes the end of the content; {@code trailers} borrowed, may be null. */
  void end(@Nullable Fields trailers);

  /** Whether the final head was written. */
  boolean headSent();

  /** Whether the response is one to HEAD. */
  boolean headMethod();

  /** Whether {@code more} bytes of content exceed the announced length. */
  boolean exceeded(int more);

  /** Whether announced content is missing. */
  boolean incomplete();

  /** Bytes of heads written, interim ones included. */
  long headBytes();
}
