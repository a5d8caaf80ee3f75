package io.loligo.server.downstream.http2;

import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.RequestComposer;
import io.loligo.core.http2.TrailerComposer;
import io.loligo.server.downstream.http2.FloodGuard.Kind;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of a client (RFC 9113 section 6): which of them are allowed when, and the connection
 * or the stream that each one is for. Confined to the channel's event loop.
 */
final class ClientFrames implements FrameReader.Events {
  private final Http2Connection connection;
  private final LoopCodecs codecs;
  private final HpackDecoder decoder;
  private final FloodGuard floods;
  private final List<Http2Stream> all = new ArrayList<>();

  /** The frames for {@code connection}; {@code ofNode}: it is at the port for nodes. */
  ClientFrames(Http2Connection connection, LoopCodecs codecs, TimeSource time, boolean ofNode) {
    this.connection = connection;
    this.codecs = codecs;
    this.decoder = new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES, codecs.room());
    this.floods = new FloodGuard(time, ofNode);
  }

  /** Decodes the field block of a head into {@code composer}; false: the connection ends. */
  boolean decode(byte[] block, int length, RequestComposer composer) {
    if (decoder.decode(block, 0, length, composer)) {
      return true;
    }
    malformedBlock();
    return false;
  }

  private void malformedBlock() {
    connectionError(ErrorCode.COMPRESSION_ERROR, "a field block is invalid");
  }

  /** Whether there are too many frames of {@code kind}, which ends the connection. */
  boolean flood(Kind kind) {
    if (floods.allows(kind)) {
      return false;
    }
    connectionError(
        ErrorCode.ENHANCE_YOUR_CALM,
        "more than " + floods.most(kind) + " " + kind + " in 10 seconds");
    return true;
  }

  private void trailers(Http2Stream stream, byte[] block, int length, boolean ended) {
    TrailerComposer composer = new TrailerComposer(codecs.limits());
    if (!decoder.decode(block, 0, length, composer)) {
      malformedBlock();
    } else if (stream.hasEndedInput()) {
      connection.streamError(stream.id, ErrorCode.STREAM_CLOSED);
    } else {
      stream.trailers(ended ? composer.fields() : null);
    }
  }

  @Override
  public void data(int number, ByteBuf payload, int flowBytes, boolean endStream) {
    if (!connection.receives(flowBytes)) {
      connectionError(ErrorCode.FLOW_CONTROL_ERROR, "more DATA than the window allows");
      return;
    }
    if (flowBytes == 0 && !endStream && flood(Kind.EMPTY_DATA)) {
      return;
    }
    Http2Stream stream = connection.stream(number);
    if (stream == null) {
      connection.read(flowBytes);
      unknown(number, "DATA");
    } else if (stream.hasEndedInput()) {
      connection.read(flowBytes);
      connection.streamError(number, ErrorCode.STREAM_CLOSED);
    } else {
      stream.data(payload, flowBytes, endStream);
    }
  }

  /** A frame of a stream that is not open. */
  private void unknown(int number, String frame) {
    if (number > connection.lastStream() || (number & 1) == 0) {
      connectionError(ErrorCode.PROTOCOL_ERROR, frame + " on idle stream " + number);
    } else if (!connection.wasReset(number)) {
      connection.streamError(number, ErrorCode.STREAM_CLOSED);
    }
  }

  @Override
  public void headers(
      int number, byte[] block, int length, boolean endStream, boolean dependsOnItself) {
    Http2Stream stream = connection.stream(number);
    if (stream != null) {
      trailers(stream, block, length, endStream);
    } else if ((number & 1) == 0) {
      connectionError(ErrorCode.PROTOCOL_ERROR, "a client's stream has an even number");
    } else if (number > connection.lastStream()) {
      connection.begin(number, block, length, endStream);
      if (dependsOnItself && connection.stream(number) != null) {
        connection.streamError(number, ErrorCode.PROTOCOL_ERROR);
      }
    } else if (connection.wasReset(number)) {
      if (!decoder.decode(block, 0, length, new TrailerComposer(codecs.limits()))) {
        malformedBlock();
      }
    } else {
      connectionError(ErrorCode.STREAM_CLOSED, "HEADERS on closed stream " + number);
    }
  }

  @Override
  public void priority(int stream, boolean dependsOnItself) {
    if (!flood(Kind.PRIORITY) && dependsOnItself) {
      connection.streamError(stream, ErrorCode.PROTOCOL_ERROR);
    }
  }

  @Override
  public void priorityUpdate(int number, ByteBuf value) {
    Http2Stream stream = connection.stream(number);
    if (!flood(Kind.PRIORITY) && stream != null) {
      byte[] bytes = new byte[Math.min(64, value.readableBytes())];
      value.readBytes(bytes);
      stream.prioritize(
          RequestComposer.urgency(bytes, 0, bytes.length),
          RequestComposer.isIncremental(bytes, 0, bytes.length));
    }
  }

  @Override
  public void reset(int number, ErrorCode why) {
    Http2Stream stream = connection.stream(number);
    if (stream == null) {
      if (number > connection.lastStream()) {
        connectionError(ErrorCode.PROTOCOL_ERROR, "RST_STREAM on idle stream " + number);
      }
      return;
    }
    if (!flood(Kind.RESET)) {
      stream.gone(false);
    }
  }

  @Override
  public void setting(int id, long value) {
    switch (id) {
      case Frames.HEADER_TABLE_SIZE -> connection.output().tableSizeGiven();
      case Frames.INITIAL_WINDOW_SIZE -> {
        all.clear();
        connection.addStreams(all);
        if (!connection.output().streamWindow((int) value, all)) {
          connectionError(ErrorCode.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
        }
        all.clear();
      }
      default -> {
        // says nothing to a server
      }
    }
  }

  @Override
  public void settingsEnd() {
    if (!flood(Kind.SETTINGS)) {
      Frames.header(
          connection.output().control(Frames.HEADER_BYTES), 0, Frames.SETTINGS, Frames.ACK, 0);
      connection.flushes().mark();
    }
  }

  @Override
  public void settingsAck() {
    connection.settled();
  }

  @Override
  public void ping(boolean ack, long data) {
    if (ack) {
      connection.pingAnswered(data);
    } else if (!flood(Kind.PING)) {
      Frames.ping(connection.output().control(Frames.HEADER_BYTES + 8), true, data);
      connection.flushes().mark();
    }
  }

  @Override
  public void goAway(int last, ErrorCode why) {
    connection.leave(ErrorCode.NO_ERROR);
  }

  @Override
  public void windowUpdate(int number, int increment) {
    if (flood(Kind.WINDOW_UPDATE)) {
      return;
    }
    Http2Stream stream = connection.stream(number);
    if (number == 0) {
      if (increment == 0) {
        connectionError(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
      } else if (!connection.output().widen(increment)) {
        connectionError(ErrorCode.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
      }
      connection.flushes().mark();
    } else if (stream == null) {
      if (number > connection.lastStream()) {
        connectionError(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE on idle stream " + number);
      }
    } else if (increment == 0) {
      connection.streamError(number, ErrorCode.PROTOCOL_ERROR);
    } else if (!connection.output().widen(stream, increment)) {
      connection.streamError(number, ErrorCode.FLOW_CONTROL_ERROR);
    }
  }

  @Override
  public void streamError(int number, ErrorCode why, String detail) {
    connection.streamError(number, why);
  }

  @Override
  public void connectionError(ErrorCode why, String detail) {
    connection.connectionError(why, detail);
  }
}
