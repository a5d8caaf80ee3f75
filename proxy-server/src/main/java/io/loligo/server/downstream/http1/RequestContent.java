package io.loligo.server.downstream.http1;

import io.loligo.core.http1.ChunkedDecoder;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.time.Pace;
import io.netty.buffer.ByteBuf;

/** The content of one request as its framing delimits it. Confined to the client's event loop. */
final class RequestContent {
  /** What {@link #next} found. */
  enum Step {
    NEED_MORE,
    DATA,
    END,
    FAILED
  }

  private final ChunkedDecoder chunks;
  private final Pace pace;
  private long remainingBytes;
  private boolean begun;
  private boolean ended;
  private int dataLength;

  /**
   * Content delimited by a length or chunked.
   *
   * @param pace at which it has to come while it is waited for; null: any
   */
  RequestContent(Framing framing, ParseLimits limits, Pace pace) {
    this.pace = pace;
    this.chunks = framing.kind() == Framing.Kind.CHUNKED ? new ChunkedDecoder(limits) : null;
    this.remainingBytes = framing.length();
    this.ended = chunks == null && remainingBytes == 0;
  }

  /**
   * What is wrong with what is at hand of it, {@code in}, borrowed, whose indices stay; null:
   * nothing. Before {@link #next}.
   */
  ParseFailure preview(ByteBuf in) {
    return chunks == null ? null : chunks.preview(in);
  }

  /** At which it has to come; null: any. */
  Pace pace() {
    return pace;
  }

  /** Consumes framing from {@code in}, borrowed; leaves content for the caller to take. */
  Step next(ByteBuf in) {
    if (ended) {
      return Step.END;
    }
    begun |= in.isReadable();
    return chunks == null ? nextOfLength(in) : nextChunk(in);
  }

  private Step nextOfLength(ByteBuf in) {
    if (!in.isReadable()) {
      return Step.NEED_MORE;
    }
    dataLength = (int) Math.min(remainingBytes, in.readableBytes());
    remainingBytes -= dataLength;
    ended = remainingBytes == 0;
    return Step.DATA;
  }

  private Step nextChunk(ByteBuf in) {
    return switch (chunks.next(in)) {
      case NEED_MORE -> Step.NEED_MORE;
      case DATA -> {
        dataLength = chunks.dataLength();
        yield Step.DATA;
      }
      case END -> {
        ended = true;
        yield Step.END;
      }
      case FAILED -> Step.FAILED;
    };
  }

  /** After {@link Step#DATA}: octets to take. */
  int dataLength() {
    return dataLength;
  }

  /** Whether nothing of it is missing. */
  boolean ended() {
    return ended;
  }

  /** Whether the client has begun to send it. */
  boolean begun() {
    return begun;
  }

  /** Whether what is missing may turn out to be {@code bytes} octets or fewer. */
  boolean mayEndWithin(long bytes) {
    return chunks != null || remainingBytes <= bytes;
  }

  /** Trailers, null where the framing has none. */
  Fields trailers() {
    return chunks == null ? null : chunks.trailers();
  }

  ParseFailure failure() {
    return chunks.failure();
  }
}
