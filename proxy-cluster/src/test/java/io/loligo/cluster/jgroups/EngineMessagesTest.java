package io.loligo.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jgroups.BytesMessage;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.NioMessage;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.FragHeader;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.UUID;
import org.jgroups.util.Util;
import org.junit.jupiter.api.Test;

class EngineMessagesTest {
  private static final UUID FROM = new UUID(1, 2);
  private static final UUID TO = new UUID(3, 4);
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};

  /** Behind version and flags, which the engine reads. */
  private static final int HEAD_BYTES = 3;

  private static byte[] frame(Message... messages) throws IOException {
    ByteArrayDataOutputStream out = new ByteArrayDataOutputStream();
    if (messages.length == 1) {
      Util.writeMessage(messages[0], out, false);
    } else {
      Util.writeMessageList(TO, FROM, new byte[] {'c'}, List.of(messages), out, false);
    }
    return Arrays.copyOf(out.buffer(), out.position());
  }

  private static ByteArrayDataInputStream in(byte[] frame) {
    return new ByteArrayDataInputStream(frame, HEAD_BYTES, frame.length - HEAD_BYTES);
  }

  private static byte[] changed(byte[] frame, Consumer<ByteBuffer> change) {
    change.accept(ByteBuffer.wrap(frame));
    return frame;
  }

  @Test
  void readsWhatTheEngineWrites() throws Exception {
    Message read = EngineMessages.read(in(frame(new BytesMessage(TO, CONTENT).setSrc(FROM))));
    assertThat(read.getArray()).isEqualTo(CONTENT);
    assertThat(read.getLength()).isEqualTo(CONTENT.length);
    assertThat((Object) read.getSrc()).isEqualTo(FROM);
    assertThat((Object) read.getDest()).isEqualTo(TO);
    assertThat(EngineMessages.read(in(frame(new BytesMessage(TO).setSrc(FROM)))).hasPayload())
        .isFalse();
  }

  @Test
  void readsBatches() throws Exception {
    Message hurried = new EmptyMessage(TO).setFlag(Message.Flag.OOB);
    byte[] frame = frame(new BytesMessage(TO, CONTENT), hurried, new BytesMessage(TO, CONTENT));
    List<MessageBatch> batches = EngineMessages.readBatch(in(frame), false);
    assertThat(batches).extracting(MessageBatch::size).containsExactly(1, 2);
    assertThat(batches.get(0).mode()).isEqualTo(MessageBatch.Mode.OOB);
    assertThat(batches.get(1).clusterName()).hasToString("c");
    assertThat((Object) batches.get(1).sender()).isEqualTo(FROM);
    for (Message message : batches.get(1)) {
      assertThat(message.getArray()).isEqualTo(CONTENT);
      assertThat((Object) message.getSrc()).isEqualTo(FROM);
      assertThat((Object) message.getDest()).isEqualTo(TO);
    }
  }

  /** The engine's own reader allocates 2 GB here. */
  @Test
  void noContentIsLongerThanItsFrame() throws Exception {
    for (int claimed : new int[] {Integer.MAX_VALUE, CONTENT.length + 1}) {
      byte[] frame = frame(new BytesMessage(TO, CONTENT));
      int length = frame.length - CONTENT.length - Integer.BYTES;
      assertThatThrownBy(
              () -> EngineMessages.read(in(changed(frame, at -> at.putInt(length, claimed)))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a content of " + claimed + " bytes");
    }
  }

  @Test
  void noBatchHasRoomForMoreMessagesThanItsFrame() throws Exception {
    byte[] frame = frame(new EmptyMessage(TO), new EmptyMessage(TO));
    byte[] none = frame(new Message[0]);
    int count = none.length - Integer.BYTES;
    assertThatThrownBy(
            () ->
                EngineMessages.readBatch(
                    in(changed(frame, at -> at.putInt(count, Integer.MAX_VALUE))), false))
        .isInstanceOf(IOException.class);
  }

  @Test
  void noMessageHasMoreFragmentsThanANodeSends() throws Exception {
    short fragments = ClassConfigurator.getProtocolId(FRAG2.class);
    for (int claimed : new int[] {EngineMessages.MAX_FRAGMENTS + 1, -1}) {
      Message message = new BytesMessage(TO, CONTENT).setSrc(FROM);
      message.putHeader(fragments, new FragHeader(1, 0, claimed));
      assertThatThrownBy(() -> EngineMessages.read(in(frame(message))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("fragments");
    }
    Message message = new BytesMessage(TO, CONTENT);
    message.putHeader(fragments, new FragHeader(1, 0, EngineMessages.MAX_FRAGMENTS));
    message.setSrc(FROM);
    assertThat(EngineMessages.read(in(frame(message))).getLength()).isEqualTo(CONTENT.length);
  }

  private static void refused(Message message, String reason) {
    assertThatThrownBy(() -> EngineMessages.read(in(frame(message.setSrc(FROM)))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void noFragmentIsOneThatTheEngineWouldReadAgain() {
    short fragments = ClassConfigurator.getProtocolId(FRAG2.class);
    Message form = new BytesMessage(TO, CONTENT);
    form.putHeader(fragments, new FragHeader(1, 0, 2).needsDeserialization(true));
    refused(form, "a fragment");
    Message place = new BytesMessage(TO, CONTENT);
    place.putHeader(fragments, new FragHeader(1, 2, 2));
    refused(place, "a fragment");
  }

  @Test
  void noMessageHasMoreHeadersThanProtocols() {
    Message message = new BytesMessage(TO, CONTENT);
    for (short i = 0; i <= EngineMessages.MAX_HEADERS; i++) {
      message.putHeader((short) (500 + i), new FragHeader(1, 0, 1));
    }
    refused(message, "headers");
  }

  @Test
  void noMessageIsWithoutASender() {
    assertThatThrownBy(() -> EngineMessages.read(in(frame(new BytesMessage(TO, CONTENT)))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("sender");
  }

  /** The engine would make any object of the class path. */
  @Test
  void onlyListsAreReadAsObjects() throws Exception {
    SeqnoList numbers = new SeqnoList(10, 5).add(6, 7);
    Message list = EngineMessages.read(in(frame(new ObjectMessage(TO, numbers).setSrc(FROM))));
    assertThat(list.<SeqnoList>getObject()).containsExactly(6L, 7L);
    refused(new ObjectMessage(TO, new ArrayList<>(List.of("any"))), "an object of kind");
    refused(new ObjectMessage(TO, "a primitive"), "an object of kind");
  }

  /** The engine would allocate 256 MB. */
  @Test
  void noListHasRoomForMoreNumbersThanItsFrame() throws Exception {
    byte[] frame = frame(new ObjectMessage(TO, new SeqnoList(10, 5).add(6)).setSrc(FROM));
    int bits = frame.length - Long.BYTES - Long.BYTES - Integer.BYTES;
    assertThat(ByteBuffer.wrap(frame).getInt(bits)).isEqualTo(10);
    for (int claimed : new int[] {Integer.MAX_VALUE, -1}) {
      assertThatThrownBy(
              () -> EngineMessages.read(in(changed(frame, at -> at.putInt(bits, claimed)))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("a list of " + claimed);
    }
  }

  @Test
  void kindsThatNoNodeSendsAreRefused() throws Exception {
    assertThatThrownBy(
            () -> EngineMessages.read(in(frame(new NioMessage(TO, ByteBuffer.wrap(CONTENT))))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("type " + Message.NIO_MSG);
  }
}
