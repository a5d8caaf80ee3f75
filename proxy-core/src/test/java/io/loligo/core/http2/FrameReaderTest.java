package io.loligo.core.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames, whole and cut at every byte, and wrong ones. */
class FrameReaderTest {
  private final List<String> events = new ArrayList<>();
  private final FrameReader reader = new FrameReader(new Noted(), 1_000);
  private final ByteBuf bytes = Unpooled.buffer();

  private class Noted implements FrameReader.Events {
    @Override
    public void data(int stream, ByteBuf payload, int flowBytes, boolean endStream) {
      String text =
          payload.readCharSequence(payload.readableBytes(), StandardCharsets.US_ASCII) + "";
      events.add("data " + stream + ' ' + text + ' ' + flowBytes + ' ' + endStream);
    }

    @Override
    public void headers(
        int stream, byte[] block, int length, boolean endStream, boolean dependsOnItself) {
      String text = new String(block, 0, length, StandardCharsets.US_ASCII);
      events.add("headers " + stream + ' ' + text + ' ' + endStream + ' ' + dependsOnItself);
    }

    @Override
    public void priority(int stream, boolean dependsOnItself) {
      events.add("priority " + stream + ' ' + dependsOnItself);
    }

    @Override
    public void priorityUpdate(int stream, ByteBuf value) {
      events.add("update " + stream + ' ' + value.toString(StandardCharsets.US_ASCII));
    }

    @Override
    public void reset(int stream, ErrorCode why) {
      events.add("reset " + stream + ' ' + why);
    }

    @Override
    public void setting(int id, long value) {
      events.add("setting " + id + ' ' + value);
    }

    @Override
    public void settingsEnd() {
      events.add("settings");
    }

    @Override
    public void settingsAck() {
      events.add("settings ack");
    }

    @Override
    public void ping(boolean ack, long data) {
      events.add("ping " + ack + ' ' + data);
    }

    @Override
    public void goAway(int lastStream, ErrorCode why) {
      events.add("goaway " + lastStream + ' ' + why);
    }

    @Override
    public void windowUpdate(int stream, int increment) {
      events.add("window " + stream + ' ' + increment);
    }

    @Override
    public void streamError(int stream, ErrorCode why, String detail) {
      events.add("error " + stream + ' ' + why);
    }

    @Override
    public void connectionError(ErrorCode why, String detail) {
      events.add("error " + why);
    }
  }

  private void frame(int type, int flags, int stream, String payload) {
    Frames.header(bytes, payload.length(), type, flags, stream);
    bytes.writeCharSequence(payload, StandardCharsets.ISO_8859_1);
  }

  private void settings() {
    frame(Frames.SETTINGS, 0, 0, "");
  }

  private void read() {
    while (reader.read(bytes)) {
      // all frames
    }
  }

  private void allKinds() {
    settings();
    Frames.header(bytes, 6, Frames.SETTINGS, 0, 0);
    Frames.setting(bytes, Frames.INITIAL_WINDOW_SIZE, 77);
    frame(Frames.HEADERS, Frames.END_STREAM, 1, "abc");
    frame(Frames.CONTINUATION, Frames.END_HEADERS, 1, "def");
    frame(Frames.HEADERS, Frames.END_HEADERS | Frames.PADDED, 3, "\2abc\0\0");
    frame(Frames.HEADERS, Frames.END_HEADERS | Frames.HAS_PRIORITY, 5, "\0\0\0\5\20x");
    frame(Frames.DATA, Frames.END_STREAM, 3, "hello");
    frame(Frames.DATA, Frames.PADDED, 3, "\3hi\0\0\0");
    frame(77, 0, 3, "unknown");
    frame(Frames.PRIORITY_UPDATE, 0, 0, "\0\0\0\3u=1");
    Frames.ping(bytes, false, 5);
    Frames.windowUpdate(bytes, 3, 9);
    Frames.reset(bytes, 3, ErrorCode.CANCEL);
    Frames.goAway(bytes, 0, ErrorCode.NO_ERROR);
  }

  private static final List<String> ALL =
      List.of(
          "settings",
          "setting 4 77",
          "settings",
          "headers 1 abcdef true false",
          "headers 3 abc false false",
          "headers 5 x false true",
          "data 3 hello 5 true",
          "data 3 hi 6 false",
          "update 3 u=1",
          "ping false 5",
          "window 3 9",
          "reset 3 CANCEL",
          "goaway 0 NO_ERROR");

  @Test
  void readsFramesOfAllKinds() {
    allKinds();
    read();
    assertThat(events).containsExactlyElementsOf(ALL);
    assertThat(bytes.isReadable()).isFalse();
  }

  @Test
  void readsTheSameHoweverTheBytesAreCut() {
    allKinds();
    int end = bytes.writerIndex();
    for (int at = 1; at <= end; at++) {
      bytes.writerIndex(at);
      read();
    }
    assertThat(events).containsExactlyElementsOf(ALL);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 1, PROTOCOL_ERROR",
    "1, 4, 0, 1, PROTOCOL_ERROR",
    "2, 0, 0, 5, PROTOCOL_ERROR",
    "3, 0, 0, 4, PROTOCOL_ERROR",
    "3, 0, 1, 3, FRAME_SIZE_ERROR",
    "4, 0, 1, 0, PROTOCOL_ERROR",
    "4, 0, 0, 5, FRAME_SIZE_ERROR",
    "4, 1, 0, 6, FRAME_SIZE_ERROR",
    "5, 4, 1, 9, PROTOCOL_ERROR",
    "6, 0, 1, 8, PROTOCOL_ERROR",
    "6, 0, 0, 7, FRAME_SIZE_ERROR",
    "7, 0, 1, 8, PROTOCOL_ERROR",
    "7, 0, 0, 7, FRAME_SIZE_ERROR",
    "8, 0, 0, 3, FRAME_SIZE_ERROR",
    "9, 4, 1, 1, PROTOCOL_ERROR",
    "0, 0, 1, 16385, FRAME_SIZE_ERROR",
    "1, 36, 1, 4, FRAME_SIZE_ERROR"
  })
  void refusesWrongFrames(int type, int flags, int stream, int length, ErrorCode why) {
    settings();
    frame(type, flags, stream, "\0".repeat(length));
    read();
    assertThat(events).containsExactly("settings", "error " + why);
    settings();
    read();
    assertThat(events).as("nothing more is read").hasSize(2);
  }

  @Test
  void aFieldBlockIsNotInterrupted() {
    settings();
    frame(Frames.HEADERS, 0, 1, "abc");
    Frames.ping(bytes, false, 1);
    read();
    assertThat(events).containsExactly("settings", "error PROTOCOL_ERROR");
  }

  @Test
  void aFieldBlockHasALimit() {
    settings();
    frame(Frames.HEADERS, 0, 1, "x".repeat(990));
    frame(Frames.CONTINUATION, Frames.END_HEADERS, 1, "x".repeat(11));
    read();
    assertThat(events).containsExactly("settings", "error ENHANCE_YOUR_CALM");
  }

  @Test
  void morePaddingThanPayloadIsRefused() {
    settings();
    frame(Frames.DATA, Frames.PADDED, 1, "\5abc");
    read();
    assertThat(events).containsExactly("settings", "error PROTOCOL_ERROR");
  }

  @Test
  void theFirstFrameIsSettings() {
    Frames.ping(bytes, false, 1);
    read();
    assertThat(events).containsExactly("error PROTOCOL_ERROR");
  }

  /** Connections of one event loop share the array. */
  @Test
  void blocksOfOneFrameTakeNoArrayOfTheirOwn() {
    HpackDecoder.Room room = new HpackDecoder.Room();
    Counting counting = new Counting();
    FrameReader shared = new FrameReader(counting, 1_000, room);
    settings();
    shared.read(bytes);
    bytes.clear();
    frame(Frames.HEADERS, Frames.END_HEADERS, 1, "x".repeat(700));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    long before = 0;
    for (int i = 0; i < 20_000; i++) {
      if (i == 10_000) {
        before = threads.getThreadAllocatedBytes(self);
      }
      bytes.readerIndex(0);
      shared.read(bytes);
    }
    assertThat((threads.getThreadAllocatedBytes(self) - before) / 10_000).isZero();
    assertThat(counting.blockBytes).isEqualTo(20_000 * 700);
  }

  @Test
  void aBlockIsWholeWhileAnotherReaderReadsOne() {
    HpackDecoder.Room room = new HpackDecoder.Room();
    room.giveBack(new byte[512]);
    FrameReader inner = new FrameReader(new Noted(), 1_000, room);
    FrameReader outer =
        new FrameReader(
            new Noted() {
              @Override
              public void headers(
                  int stream, byte[] block, int length, boolean endStream, boolean ofItself) {
                bytes.readerIndex(0);
                while (inner.read(bytes)) {
                  // the same bytes with another block behind them
                }
                super.headers(stream, block, length, endStream, ofItself);
              }
            },
            1_000,
            room);
    settings();
    frame(Frames.HEADERS, Frames.END_HEADERS, 1, "outer");
    int end = bytes.writerIndex();
    frame(Frames.HEADERS, Frames.END_HEADERS, 3, "INNER");
    ByteBuf first = bytes.copy(0, end);
    while (outer.read(first)) {
      // settings, and the first block
    }
    first.release();
    assertThat(events)
        .containsExactly(
            "settings",
            "settings",
            "headers 1 outer false false",
            "headers 3 INNER false false",
            "headers 1 outer false false");
  }

  /** Counts blocks. */
  private final class Counting extends Noted {
    private long blockBytes;

    @Override
    public void headers(
        int stream, byte[] block, int length, boolean endStream, boolean dependsOnItself) {
      blockBytes += length;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2, PROTOCOL_ERROR",
    "4, -1, FLOW_CONTROL_ERROR",
    "5, 16383, PROTOCOL_ERROR",
    "5, 16777216, PROTOCOL_ERROR",
    "8, 2, PROTOCOL_ERROR"
  })
  void refusesWrongSettings(int id, int value, ErrorCode why) {
    Frames.header(bytes, 6, Frames.SETTINGS, 0, 0);
    Frames.setting(bytes, id, value);
    read();
    assertThat(events).containsExactly("error " + why);
  }
}
