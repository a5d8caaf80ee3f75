package io.loligo.cluster.jgroups;

import java.io.DataInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.ObjectMessage;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.FragHeader;
import org.jgroups.util.AsciiString;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.MutableDigest;
import org.jgroups.util.SeqnoList;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages of the engine from one frame. The engine's own reader allocates whatever length,
 * up to 2 GB, a frame claims for its content or its number of messages; this one allocates nothing
 * that the frame cannot have. Stateless.
 */
final class EngineMessages {
  /** Fragments of one message; a message of {@link GroupFrame#MAX_CONTENT} has 18. */
  static final int MAX_FRAGMENTS = 64;

  /** Headers of one message: of each protocol at most one. */
  static final int MAX_HEADERS = 16;

  private static final short NUMBERS = ClassConfigurator.getMagicNumber(SeqnoList.class);
  private static final short DIGEST = ClassConfigurator.getMagicNumber(MutableDigest.class);
  private static final short FRAGMENTS = ClassConfigurator.getProtocolId(FRAG2.class);

  private EngineMessages() {}

  /** A message with bytes, which are in the frame. */
  private static final class Framed extends BytesMessage {
    @Override
    public void readPayload(DataInput in) throws IOException {
      int claimed = in.readInt();
      if (claimed < 0) {
        return;
      }
      if (claimed > ((ByteArrayDataInputStream) in).available()) {
        throw new IOException("a content of " + claimed + " bytes is longer than its frame");
      }
      byte[] content = new byte[claimed];
      in.readFully(content);
      setArray(content, 0, claimed);
    }
  }

  /**
   * A message with numbers of messages, or with those of all members. No other object is read: the
   * engine would make any of the class path.
   */
  private static final class Listed extends ObjectMessage {
    @Override
    public void readPayload(DataInput in) throws IOException, ClassNotFoundException {
      ByteArrayDataInputStream frame = (ByteArrayDataInputStream) in;
      int start = frame.position();
      if (frame.readByte() != 0) {
        short kind = frame.readShort();
        if (kind == NUMBERS) {
          int bits = frame.readInt();
          if (bits < 0 || bits / Byte.SIZE > frame.available()) {
            throw new IOException("a list of " + bits + " numbers is longer than its frame");
          }
        } else if (kind != DIGEST) {
          throw new IOException("an object of kind " + kind);
        }
      }
      frame.position(start);
      super.readPayload(in);
      if (isFlagSet(Flag.SERIALIZED)) {
        throw new IOException("an object in a form that no node sends");
      }
    }
  }

  /**
   * The next one.
   *
   * @throws IOException if it is malformed, or of a kind that the protocols of {@link Stack} do not
   *     send
   */
  static Message read(ByteArrayDataInputStream in) throws IOException, ClassNotFoundException {
    return read(in, null, null);
  }

  private static Message read(
      ByteArrayDataInputStream in, @Nullable Address to, @Nullable Address from)
      throws IOException, ClassNotFoundException {
    short type = in.readShort();
    Message message =
        switch (type) {
          case Message.BYTES_MSG -> new Framed();
          case Message.OBJ_MSG -> new Listed();
          case Message.EMPTY_MSG, Message.LONG_MSG -> MessageFactory.create(type);
          default -> throw new IOException("a message of type " + type);
        };
    message.setDest(to).setSrc(from);
    message.readFrom(in);
    if (message.getNumHeaders() > MAX_HEADERS) {
      throw new IOException("a message of " + message.getNumHeaders() + " headers");
    }
    if (message.getSrc() == null) {
      throw new IOException("a message without a sender");
    }
    FragHeader fragment = message.getHeader(FRAGMENTS);
    if (fragment != null) {
      check(fragment);
    }
    return message;
  }

  private static void check(FragHeader fragment) throws IOException {
    int count = fragment.num_frags;
    if (count < 1 || count > MAX_FRAGMENTS) {
      throw new IOException("a message of " + count + " fragments");
    }
    if (fragment.frag_id < 0 || fragment.frag_id >= count || fragment.needsDeserialization()) {
      throw new IOException("a fragment that no node sends");
    }
  }

  /**
   * All of a frame with several.
   *
   * @return at most two: those without an order, and those that keep it
   * @throws IOException as for one
   */
  static List<MessageBatch> readBatch(ByteArrayDataInputStream in, boolean multicast)
      throws IOException, ClassNotFoundException {
    Address to = Util.readAddress(in);
    Address from = Util.readAddress(in);
    short length = in.readShort();
    AsciiString cluster = null;
    if (length >= 0) {
      byte[] name = new byte[length];
      in.readFully(name);
      cluster = new AsciiString(name);
    }
    int count = in.readInt();
    List<Message> ordered = new ArrayList<>();
    List<Message> others = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Message message = read(in, to, from);
      (message.isFlagSet(Message.Flag.OOB) ? others : ordered).add(message);
    }
    List<MessageBatch> batches = new ArrayList<>();
    if (!others.isEmpty()) {
      MessageBatch.Mode mode = MessageBatch.Mode.OOB;
      batches.add(
          batch(new MessageBatch(to, from, cluster, multicast, mode, others.size()), others));
    }
    if (!ordered.isEmpty()) {
      MessageBatch.Mode mode = MessageBatch.Mode.REG;
      batches.add(
          batch(new MessageBatch(to, from, cluster, multicast, mode, ordered.size()), ordered));
    }
    return batches;
  }

  private static MessageBatch batch(MessageBatch empty, List<Message> messages) {
    messages.forEach(empty::add);
    return empty;
  }
}
