package io.loligo.server.downstream.stream;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.time.Pace;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The content of one request, delimited by a version of HTTP. Confined to the client's event loop.
 */
public interface ContentSource {
  /** The results of {@link #next}. */
  enum Step {
    NEED_MORE,
    DATA,
    END,
    FAILED
  }

  /** Looks for the next piece of content at hand. */
  Step next();

  /** After {@link Step#DATA}: that piece; returned owned. Small pieces at hand are joined. */
  ByteBuf take();

  /** Whether nothing of it is missing. */
  boolean ended();

  /** Bytes of it received and read so far, with its framing. */
  long bytesIn();

  /** The pace at which it has to come; null: any. */
  @Nullable Pace pace();

  /** Trailers; null if there are none. */
  @Nullable Fields trailers();

  /** After {@link Step#FAILED}: why. */
  ParseFailure failure();
}
