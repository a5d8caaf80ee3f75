package io.loligo.server.upstream.http2;

import io.loligo.core.http1.ParseLimits;
import io.loligo.core.http2.ErrorCode;
import io.loligo.core.http2.FrameReader;
import io.loligo.core.http2.Frames;
import io.loligo.core.http2.HpackDecoder;
import io.loligo.core.http2.ResponseComposer;
import io.loligo.core.http2.TrailerComposer;
import io.loligo.core.message.ParseFailure;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of a server (RFC 9113 section 6): which of them are allowed when, and the connection
 * or the stream that each one is for. Confined to the channel's event loop.
 */
final class ServerFrames implements FrameReader.Events {
  private final MultiplexedConnection connection;
  private final HeadCodecs codecs;
  private final ParseLimits limits;
  private final HpackDecoder decoder;
  private final FrameBudget budget;
  private final int windowBytes;
  private final List<RequestStream> all = new ArrayList<>();

  /** Bytes of DATA since the last WINDOW_UPDATE of the connection. */
  private int creditBytes;

  /** SETTINGS_MAX_HEADER_LIST_SIZE of the server. */
  private long maxListBytes = Long.MAX_VALUE;

  /**
   * The frames for {@code connection}.
   *
   * @param windowBytes of the connection
   */
  ServerFrames(
      MultiplexedConnection connection, StreamContext shared, FrameBudget budget, int windowBytes) {
    this.connection = connection;
    this.codecs = shared.codecs();
    this.limits = shared.limits();
    this.decoder = new HpackDecoder(HpackDecoder.DEFAULT_TABLE_BYTES, codecs.room());
    this.budget = budget;
    this.windowBytes = windowBytes;
  }

  /** Most bytes of a field list that the server takes. */
  long maxListBytes() {
    return maxListBytes;
  }

  private boolean flood(FrameBudget.Kind kind) {
    if (budget.allows(kind)) {
      return false;
    }
    connection.error(
        ErrorCode.ENHANCE_YOUR_CALM,
        ParseFailure.TOO_MANY_FRAMES,
        "more than " + kind.most() + " " + kind + " in 10 seconds");
    return true;
  }

  private void malformedBlock() {
    connection.error(
        ErrorCode.COMPRESSION_ERROR, ParseFailure.BAD_FIELD_BLOCK, "a field block is invalid");
  }

  private void head(RequestStream stream, byte[] block, int length, boolean last) {
    ResponseComposer composer = codecs.borrow();
    try {
      composer.begin(limits);
      if (!decoder.decode(block, 0, length, composer)) {
        malformedBlock();
        return;
      }
      stream.head(composer.head(), composer.finish(), Frames.HEADER_BYTES + length, last);
    } finally {
      codecs.giveBack(composer);
    }
  }

  private void trailers(RequestStream stream, byte[] block, int length, boolean last) {
    TrailerComposer composer = new TrailerComposer(limits);
    if (decoder.decode(block, 0, length, composer)) {
      stream.trailers(composer.fields(), Frames.HEADER_BYTES + length, last);
      connection.touch(stream);
    } else {
      malformedBlock();
    }
  }

  @Override
  public void data(int number, ByteBuf payload, int flowBytes, boolean endStream) {
    creditBytes += flowBytes;
    if (creditBytes >= windowBytes / 4) {
      connection.windowUpdate(0, creditBytes);
      creditBytes = 0;
    }
    if (!payload.isReadable() && !endStream && flood(FrameBudget.Kind.EMPTY_DATA)) {
      return;
    }
    RequestStream stream = connection.stream(number);
    if (stream == null) {
      late(number, "DATA");
    } else {
      stream.data(payload, flowBytes, endStream);
      connection.touch(stream);
    }
  }

  /** A frame of a stream that is not open; false: the connection has ended. */
  private boolean late(int number, String frame) {
    if (isIdle(number)) {
      connectionError(ErrorCode.PROTOCOL_ERROR, frame + " on idle stream " + number);
      return false;
    }
    return !flood(FrameBudget.Kind.LATE);
  }

  private boolean isIdle(int number) {
    return (number & 1) == 0 || !connection.hasBegun(number);
  }

  @Override
  public void headers(
      int number, byte[] block, int length, boolean endStream, boolean dependsOnItself) {
    RequestStream stream = connection.stream(number);
    if (stream != null && stream.awaitsHead()) {
      head(stream, block, length, endStream);
    } else if (stream != null) {
      trailers(stream, block, length, endStream);
    } else if (late(number, "HEADERS")
        && !decoder.decode(block, 0, length, new TrailerComposer(limits))) {
      malformedBlock(); // its table has to follow
    }
  }

  @Override
  public void priority(int stream, boolean dependsOnItself) {
    flood(FrameBudget.Kind.PRIORITY);
  }

  @Override
  public void priorityUpdate(int number, ByteBuf value) {
    connectionError(ErrorCode.PROTOCOL_ERROR, "PRIORITY_UPDATE of a server");
  }

  @Override
  public void reset(int number, ErrorCode why) {
    if (!connection.resetByServer(number, why)) {
      late(number, "RST_STREAM");
    }
  }

  @Override
  public void setting(int id, long value) {
    switch (id) {
      case Frames.HEADER_TABLE_SIZE -> connection.output().tableSizeGiven();
      case Frames.ENABLE_PUSH -> {
        if (value != 0) {
          connectionError(ErrorCode.PROTOCOL_ERROR, "SETTINGS_ENABLE_PUSH of a server");
        }
      }
      case Frames.MAX_HEADER_LIST_SIZE -> maxListBytes = value;
      case Frames.MAX_CONCURRENT_STREAMS -> connection.allowsStreams(value);
      case Frames.INITIAL_WINDOW_SIZE -> {
        all.clear();
        connection.addStreams(all);
        if (!connection.output().streamWindow((int) value, all)) {
          connectionError(ErrorCode.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
        }
        all.clear();
      }
      default -> {
        // says nothing to this client
      }
    }
  }

  @Override
  public void settingsEnd() {
    if (!flood(FrameBudget.Kind.SETTINGS)) {
      connection.settingsRead();
    }
  }

  @Override
  public void settingsAck() {
    // nothing waits for it
  }

  @Override
  public void ping(boolean ack, long data) {
    if (!flood(FrameBudget.Kind.PING) && !ack) {
      Frames.ping(connection.output().control(Frames.HEADER_BYTES + 8), true, data);
      connection.flushes().mark();
    }
  }

  @Override
  public void goAway(int last, ErrorCode why) {
    if (!flood(FrameBudget.Kind.SETTINGS)) {
      connection.goneAway(last, why);
    }
  }

  @Override
  public void windowUpdate(int number, int increment) {
    if (flood(FrameBudget.Kind.WINDOW_UPDATE)) {
      return;
    }
    RequestStream stream = connection.stream(number);
    if (number == 0) {
      if (increment == 0) {
        connectionError(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
      } else if (!connection.output().widen(increment)) {
        connectionError(ErrorCode.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
      }
      connection.flushes().mark();
    } else if (stream == null) {
      if (isIdle(number)) {
        connectionError(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE on idle stream " + number);
      }
    } else if (increment == 0) {
      stream.malformed(ErrorCode.PROTOCOL_ERROR);
    } else if (!connection.output().widen(stream, increment)) {
      stream.malformed(ErrorCode.FLOW_CONTROL_ERROR);
    }
    connection.flushes().mark();
  }

  @Override
  public void streamError(int number, ErrorCode why, String detail) {
    RequestStream stream = connection.stream(number);
    if (stream != null) {
      stream.malformed(why);
    } else {
      late(number, "a frame of a wrong size");
    }
  }

  @Override
  public void connectionError(ErrorCode why, String detail) {
    boolean block = why == ErrorCode.ENHANCE_YOUR_CALM;
    connection.error(why, block ? ParseFailure.HEAD_TOO_LARGE : ParseFailure.BAD_FRAME, detail);
  }
}
